import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MuteShape } from '../../../../src/contract/anomalies.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useMay } from '../../shared/session/session.ts';
import { ALERT_TYPE_NAMES } from '../../shared/names/alert-types.ts';
import { useMutes } from './use-mutes.ts';
import { useRemoveMute } from './use-remove-mute.ts';
import { isolated } from '../../shared/format/isolated.ts';

/** What is muted, so that silence is never a riddle. Nothing is shown where nothing is. */
export function MutedAlerts(): ReactNode {
  const { data: mutes = [] } = useMutes();
  const keyNames = useKeyNames();
  const mayChange = useMay('manage');
  const remove = useRemoveMute();
  if (mutes.length === 0) return null;
  const columns = muteColumns(keyNames, mayChange ? remove.mutate : null);
  return (
    <Card title="Muted">
      {remove.error && <ErrorNote error={remove.error} />}
      <DataTable name="Muted alerts" columns={columns} rows={mutes} rowKey={({ id }) => id} />
    </Card>
  );
}

function muteColumns(
  keyNames: ReadonlyMap<string, string>,
  remove: ((id: string) => void) | null,
): readonly TableColumn<MuteShape>[] {
  return [
    { id: 'type', name: 'Type', cell: ({ type }) => (type === null ? 'All of spending' : ALERT_TYPE_NAMES[type]) },
    { id: 'scope', name: 'Where', cell: ({ scope }) => muteScopeText(scope, keyNames) },
    { id: 'until', name: 'Until', cell: ({ until }) => (until === null ? 'for good' : <Instant at={until} />) },
    { id: 'reason', name: 'Why', wideOnly: true, cell: ({ reason }) => reason },
    {
      id: 'remove',
      name: '',
      figures: true,
      cell: ({ id }) =>
        remove && (
          <Button size="xs" variant="default" onClick={() => remove(id)}>
            Unmute
          </Button>
        ),
    },
  ];
}

function muteScopeText(scope: MuteShape['scope'], keyNames: ReadonlyMap<string, string>): string {
  const parts = Object.entries(scope).map(
    ([name, of]) => `${name.replace(/^tag:/, '')} ${isolated(keyNames.get(of) ?? of)}`,
  );
  return parts.length === 0 ? 'everywhere' : parts.join(', ');
}
