import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MuteShape } from '../../../../src/contract/anomalies.ts';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { ALERT_TYPE_NAMES } from '../../shared/names/display-names.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { FormDialog } from '../../shared/ui/dialog.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { Instant } from '../../shared/ui/values.tsx';
import { useCreateMute, useMutes, useRemoveMute } from './queries.ts';

type MutableType = NonNullable<MuteShape['type']>;

const MUTABLE: Readonly<Record<MutableType, true>> = {
  COST_SPIKE: true,
  UNUSUAL_ACTIVITY: true,
  ERROR_SPIKE: true,
  RATE_LIMIT: true,
  BUDGET_WARNING: true,
  BUDGET_EXCEEDED: true,
};

/** Alerts of spending can be muted; trouble of the installation is always told. null = it can't be. */
export function mutableType(type: string): MutableType | null {
  return type in MUTABLE ? (type as MutableType) : null;
}

interface MuteDialogProps {
  readonly alert: AlertShape;
  readonly onClose: () => void;
}

const MUTE_SPANS = [
  { value: '1', label: 'a day' },
  { value: '7', label: 'a week' },
  { value: '30', label: '30 days' },
  { value: '', label: 'good, until somebody removes it' },
];

/** Be told no more of something like this alert: what is muted is neither kept nor sent. */
export function MuteDialog({ alert, onClose }: MuteDialogProps): ReactNode {
  const create = useCreateMute();
  const keyNames = useKeyNames();
  const scope = Object.entries(alert.scope);
  return (
    <FormDialog
      title="Mute alerts like this one"
      deed="Mute"
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
        Alerts of the type “{ALERT_TYPE_NAMES[alert.type]}” are then neither kept nor sent
        {scope.length > 0 && ', where all of this holds:'}
        {scope.length === 0 && ', whatever they are about.'}
      </p>
      {scope.map(([name, of]) => (
        <Checkbox
          key={name}
          name={`scope ${name}`}
          value="yes"
          defaultChecked
          label={`${name.replace(/^tag:/, 'tag ')}: ${isolated(keyNames.get(of) ?? of)}`}
        />
      ))}
      <NativeSelect name="days" label="For" defaultValue="7" data={MUTE_SPANS} />
      <TextInput name="reason" label="Why" description="For whoever wonders later" required data-first />
    </FormDialog>
  );
}

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
