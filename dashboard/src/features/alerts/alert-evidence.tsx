import type { ReactNode } from 'react';
import type { AnomalyShape } from '../../../../src/contract/anomalies.ts';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { formatShare } from '../../shared/format/number.ts';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { More } from '../../shared/ui/more.tsx';
import { alertAmountText } from './alert-words.ts';
import { isolated } from '../../shared/format/isolated.ts';

type AlertMover = AnomalyShape['evidence']['movers'][number];

/** What an alert rests on: what moved, and everything that was noted, as it is. */
export function AlertEvidence({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { evidence } = alert;
  const keyNames = useKeyNames();
  if (Object.keys(evidence).length === 0) return null;
  const movers = readMovers(evidence);
  const unit = alert.type === 'ERROR_SPIKE' ? 'calls' : evidence['unit'];
  return (
    <Card title="What it rests on">
      {movers.length > 0 && (
        <DataTable
          name="What moved"
          columns={moverColumns(unit, keyNames)}
          rows={movers}
          rowKey={({ scope }) => JSON.stringify(scope)}
        />
      )}
      <More title="All of the evidence, as programs get it" open={movers.length === 0}>
        <pre className="plain" tabIndex={0} role="group" aria-label="Evidence">
          {JSON.stringify(evidence, null, 2)}
        </pre>
      </More>
    </Card>
  );
}

/** Evidence is open to what is to come: only what has the shape is shown as a table. */
function readMovers({ movers }: AlertShape['evidence']): readonly AlertMover[] {
  return Array.isArray(movers) ? (movers as readonly AlertMover[]) : [];
}

function moverColumns(unit: unknown, keyNames: ReadonlyMap<string, string>): readonly TableColumn<AlertMover>[] {
  return [
    {
      id: 'name',
      name: 'What moved',
      cell: ({ name, scope, isNew }) => `${isolated(keyNames.get(scope['key'] ?? '') ?? name)}${isNew ? ' (new)' : ''}`,
    },
    { id: 'value', name: 'Now', figures: true, cell: ({ value }) => alertAmountText(unit, value) },
    { id: 'baseline', name: 'Usual', figures: true, cell: ({ baseline }) => alertAmountText(unit, baseline) },
    { id: 'share', name: 'Share of it', figures: true, wideOnly: true, cell: ({ share }) => formatShare(share) },
  ];
}
