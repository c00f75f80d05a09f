import { Badge, Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AdminKeyShape } from '../../../../src/contract/admin-keys.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { ConfirmDialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ErrorNote, Note } from '../../shared/ui/note.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { useAddAdminKey, usePauseAdminKey, useRemoveAdminKey, useReplaceAdminKey, useSyncAdminKey } from './queries.ts';
import { PasswordField, SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

interface ConnectionActionsProps {
  readonly connection: AdminKeyShape;
}

/** Actions on a connection: sync, pause, replace key, delete. */
function ConnectionActions({ connection }: ConnectionActionsProps): ReactNode {
  const { id, state } = connection;
  const sync = useSyncAdminKey(id);
  const pause = usePauseAdminKey(connection);
  const isPaused = state === 'paused';
  return (
    <>
      {sync.error && <ErrorNote error={sync.error} />}
      {pause.error && <ErrorNote error={pause.error} />}
      <div className="row">
        {!isPaused && (
          <Button size="xs" variant="default" loading={sync.isPending} onClick={() => sync.mutate()}>
            {' '}
            Sync now{' '}
          </Button>
        )}
        <Button size="xs" variant="default" loading={pause.isPending} onClick={() => pause.mutate(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <ReplaceKeyButton connection={connection} />
        <RemoveConnectionButton connection={connection} />
      </div>
    </>
  );
}

function ReplaceKeyButton({ connection }: ConnectionActionsProps): ReactNode {
  const [open, setOpen] = useState(false);
  const replace = useReplaceAdminKey(connection);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Replace key
      </Button>
      {open && (
        <FormDialog
          title={`Replace admin key of ${isolated(connection.name)}`}
          actionLabel="Replace key"
          busy={replace.isPending}
          error={replace.error}
          onClose={close}
          onSubmit={(fields) => replace.mutate(fields('adminKey'), { onSuccess: close })}
        >
          <p className="soft">
            The new key must belong to the same organization. Synced reports are kept, and the sync continues where it
            stopped.
          </p>
          <AdminKeyInput />
        </FormDialog>
      )}
    </>
  );
}

function RemoveConnectionButton({ connection }: ConnectionActionsProps): ReactNode {
  const [open, setOpen] = useState(false);
  const remove = useRemoveAdminKey(connection);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="xs" variant="light" color="red" onClick={() => setOpen(true)}>
        {' '}
        Delete{' '}
      </Button>
      {open && (
        <ConfirmDialog
          title={`Delete ${isolated(connection.name)}?`}
          actionLabel="Delete connection"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          The key is deleted immediately and its synced reports soon after. To keep the reports, pause the connection or
          replace its key.
        </ConfirmDialog>
      )}
    </>
  );
}

interface ConnectionProps {
  readonly connection: AdminKeyShape;
}

const CONNECTION_STATES: Readonly<Record<AdminKeyShape['state'], { readonly word: string; readonly color: string }>> = {
  syncing: { word: 'Syncing', color: 'teal' },
  idle: { word: 'Up to date', color: 'teal' },
  paused: { word: 'Paused', color: 'gray' },
  failing: { word: 'Failing', color: 'red' },
};

/** Connection to one organization: details, sync progress and problems. */
export function ConnectionCard({ connection }: ConnectionProps): ReactNode {
  const { name, provider, organization, fingerprint, lastFour, state, problem, lastSyncAt, sharedWithOtherWorkspaces } =
    connection;
  const mayChange = useMay('manage');
  const { word, color } = CONNECTION_STATES[state];
  return (
    <Card
      title={name}
      aside={
        <Badge variant="light" color={color} tt="none">
          {word}
        </Badge>
      }
    >
      {problem !== null && <Note kind="warn">{problem}</Note>}
      {sharedWithOtherWorkspaces && (
        <Note kind="warn">
          Another workspace is connected to the same organization. Usage outside the gateway counts in both.
        </Note>
      )}
      <Facts
        of={[
          ['Organization', organization.name ?? organization.id ?? `At ${provider}`],
          ['Admin key', `…${lastFour}, fingerprint ${fingerprint}`],
          ['Last sync', lastSyncAt === null ? 'Never' : <Ago key="read" at={lastSyncAt} />],
          ['History', <HistoryProgress key="history" connection={connection} />],
        ]}
      />
      {mayChange && <ConnectionActions connection={connection} />}
    </Card>
  );
}

function HistoryProgress({ connection: { progress, name } }: ConnectionProps): ReactNode {
  const { daysDone, daysTotal } = progress;
  if (daysDone >= daysTotal) return `${daysTotal} days, complete`;
  return (
    <>
      {daysDone} of {daysTotal} days <progress aria-label={`Synced days of ${name}`} value={daysDone} max={daysTotal} />
    </>
  );
}

/** The field `adminKey` of a form. */
function AdminKeyInput(): ReactNode {
  return (
    <PasswordField
      name="adminKey"
      label="Admin key"
      description="An organization admin creates it in the provider’s console. Tollbook checks the key, stores it encrypted, and never shows it again."
      autoComplete="off"
      required
    />
  );
}

export function AddConnectionButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Connect organization
      </Button>
      {open && <ConnectionDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ConnectionDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const add = useAddAdminKey();
  const providers = useProviders();
  const reporting = (providers.data ?? []).filter(({ hasReports }) => hasReports);
  return (
    <FormDialog
      title="Connect organization"
      actionLabel="Connect"
      busy={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={(fields) =>
        add.mutate(
          { provider: fields('provider'), name: fields('name'), adminKey: fields('adminKey') },
          { onSuccess: onClose },
        )
      }
    >
      <SelectField
        name="provider"
        label="Provider"
        data={reporting.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextField name="name" label="Name" description="For example the name of the organization" required />
      <AdminKeyInput />
    </FormDialog>
  );
}
