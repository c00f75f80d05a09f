import { Button, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MuteShape } from '../../../../src/contract/anomalies.ts';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { limitName } from '../../shared/limits/limit-text.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { ALERT_TYPE_NAMES } from '../../shared/names/display-names.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { FormDialog } from '../../shared/ui/dialog.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { Instant } from '../../shared/ui/values.tsx';
import { alertScopeName } from './alert-details.tsx';
import { useCreateMute, useMutes, useRemoveMute } from './queries.ts';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

type MutableType = NonNullable<MuteShape['type']>;

const MUTABLE: Readonly<Record<MutableType, true>> = {
  COST_SPIKE: true,
  UNUSUAL_ACTIVITY: true,
  ERROR_SPIKE: true,
  RATE_LIMIT: true,
  BUDGET_WARNING: true,
  BUDGET_EXCEEDED: true,
};

/** Returns the type if it can be muted, otherwise null. Health alerts can't be muted. */
export function mutableType(type: string): MutableType | null {
  return type in MUTABLE ? (type as MutableType) : null;
}

interface MuteDialogProps {
  readonly alert: AlertShape;
  readonly onClose: () => void;
}

const MUTE_SPANS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '1 week' },
  { value: '30', label: '30 days' },
  { value: '', label: 'No end' },
];

/** Mutes alerts like this one: muted alerts are not stored or sent. */
export function MuteDialog({ alert, onClose }: MuteDialogProps): ReactNode {
  const create = useCreateMute();
  const keyNames = useKeyNames();
  const { data } = useLimits();
  const limit = data?.limits.find(({ id }) => id === alert.scope['limit']);
  const scope = Object.entries(alert.scope);
  const keyName = (id: string): string => keyNames.get(id) ?? id;
  return (
    <FormDialog
      title="Mute similar alerts"
      actionLabel="Mute alerts"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(fields) => {
        const days = fields('days');
        create.mutate(
          {
            type: mutableType(alert.type),
            scope: Object.fromEntries(scope.filter(([name]) => fields(`scope ${name}`) === 'yes')),
            days: days === '' ? null : Number(days),
            reason: fields('reason'),
          },
          { onSuccess: onClose },
        );
      }}
    >
      <p>
        Alerts of type “{ALERT_TYPE_NAMES[alert.type]}” {scope.length > 0 ? 'that match all checked values' : ''} are no
        longer stored or sent.
      </p>
      {scope.map(([name, of]) => (
        <Checkbox
          key={name}
          name={`scope ${name}`}
          value="yes"
          defaultChecked
          label={`${alertScopeName(name, limit)}: ${name === 'limit' && limit ? limitName(limit, keyName) : isolated(keyName(of))}`}
        />
      ))}
      <SelectField name="days" label="Duration" defaultValue="7" data={MUTE_SPANS} />
      <TextField name="reason" label="Reason" description="Shown in the list of muted alerts" required data-first />
    </FormDialog>
  );
}

/** Muted alerts; hidden when there are none. */
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
  remove: ((mute: MuteShape) => void) | null,
): readonly TableColumn<MuteShape>[] {
  return [
    { id: 'type', name: 'Type', cell: ({ type }) => (type === null ? 'All spending alerts' : ALERT_TYPE_NAMES[type]) },
    { id: 'scope', name: 'Matches', cell: ({ scope }) => muteScopeText(scope, keyNames) },
    { id: 'until', name: 'Until', cell: ({ until }) => (until === null ? 'No end' : <Instant at={until} />) },
    { id: 'reason', name: 'Reason', wideOnly: true, cell: ({ reason }) => reason },
    {
      id: 'remove',
      name: '',
      figures: true,
      cell: (mute) =>
        remove && (
          <Button size="xs" variant="default" onClick={() => remove(mute)}>
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
  return parts.length === 0 ? 'Everything' : parts.join(', ');
}
