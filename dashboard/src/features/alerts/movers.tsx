import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import type { AnomalyShape } from '../../../../src/contract/anomalies.ts';
import { formatPercent } from '../../../../src/domain/text/percent.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { alertAmountText } from './alert-text.ts';

type AlertMover = AnomalyShape['evidence']['movers'][number];

/** Evidence has no fixed shape: only anomalies have movers. */
export function readMovers({ movers }: AlertShape['evidence']): readonly AlertMover[] {
  return Array.isArray(movers) ? (movers as readonly AlertMover[]) : [];
}

/** The parts that changed most. */
export function MoversCard({ alert }: { readonly alert: AlertShape }): ReactNode {
  const keyNames = useKeyNames();
  const movers = readMovers(alert.evidence);
  if (movers.length === 0) return null;
  const unit = alert.type === 'ERROR_SPIKE' ? 'calls' : alert.evidence['unit'];
  return (
    <Card title="What moved">
      <DataTable
        name="Largest changes"
        columns={moverColumns(unit, keyNames)}
        rows={movers}
        rowKey={({ scope }) => JSON.stringify(scope)}
      />
    </Card>
  );
}

function moverColumns(unit: unknown, keyNames: ReadonlyMap<string, string>): readonly TableColumn<AlertMover>[] {
  return [
    {
      id: 'name',
      name: 'Part',
      cell: ({ name, scope, isNew }) => `${isolated(keyNames.get(scope['key'] ?? '') ?? name)}${isNew ? ' (new)' : ''}`,
    },
    { id: 'value', name: 'Now', figures: true, cell: ({ value }) => alertAmountText(unit, value) },
    { id: 'baseline', name: 'Usual', figures: true, cell: ({ baseline }) => alertAmountText(unit, baseline) },
    { id: 'share', name: 'Share of change', figures: true, wideOnly: true, cell: ({ share }) => formatPercent(share) },
  ];
}
