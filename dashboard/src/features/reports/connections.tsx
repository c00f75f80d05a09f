import { Badge, Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
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

interface ConnectionActionsProps {
  readonly connection: AdminKeyShape;
}

/** Reads now, pauses, replaces, removes. */
function ConnectionActions({ connection }: ConnectionActionsProps): ReactNode {
  const { id, state } = connection;
  const sync = useSyncAdminKey(id);
  const pause = usePauseAdminKey(id);
  const isPaused = state === 'paused';
  return (
    <>
      {sync.error && <ErrorNote error={sync.error} />}
      {pause.error && <ErrorNote error={pause.error} />}
      <div className="row">
        {!isPaused && (
          <Button size="xs" variant="default" loading={sync.isPending} onClick={() => sync.mutate()}>
            Read now
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

function ReplaceKeyButton({ connection: { id, name } }: ConnectionActionsProps): ReactNode {
  const [open, setOpen] = useState(false);
  const replace = useReplaceAdminKey(id);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Replace key
      </Button>
      {open && (
        <FormDialog
          title={`Replace the admin key of ${isolated(name)}`}
          deed="Replace key"
          busy={replace.isPending}
          error={replace.error}
          onClose={close}
          onSubmit={(fields) => replace.mutate(fields('adminKey'), { onSuccess: close })}
        >
          <p className="soft">Of the same organization. What was read stays, and reading goes on where it was.</p>
          <AdminKeyInput />
        </FormDialog>
      )}
    </>
  );
}

function RemoveConnectionButton({ connection: { id, name } }: ConnectionActionsProps): ReactNode {
  const [open, setOpen] = useState(false);
  const remove = useRemoveAdminKey(id);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="xs" variant="light" color="red" onClick={() => setOpen(true)}>
        Remove
      </Button>
      {open && (
        <ConfirmDialog
          title={`Remove ${isolated(name)}?`}
          deed="Remove connection"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          The key is erased at once, and what was read with it soon after. To keep that, pause it instead, or replace
          its key.
        </ConfirmDialog>
      )}
    </>
  );
}

interface ConnectionProps {
  readonly connection: AdminKeyShape;
}

const CONNECTION_STATES: Readonly<Record<AdminKeyShape['state'], { readonly word: string; readonly color: string }>> = {
  reading: { word: 'reading', color: 'teal' },
  waiting: { word: 'up to date', color: 'teal' },
  paused: { word: 'paused', color: 'gray' },
  failing: { word: 'in trouble', color: 'red' },
};

/** One organization: whose it is, how far its reports were read, and what is wrong. */
export function ConnectionCard({ connection }: ConnectionProps): ReactNode {
  const { name, provider, organization, fingerprint, lastFour, state, problem, readAt, sharedWithOtherWorkspaces } =
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
          Another workspace reads the same organization: what did not pass the gate is in the sums of both.
        </Note>
      )}
      <Facts
        of={[
          ['Organization', organization.name ?? organization.id ?? `of ${provider}`],
          ['Admin key', `ends in ${lastFour}, fingerprint ${fingerprint}`],
          ['Last read', readAt === null ? 'not yet' : <Ago key="read" at={readAt} />],
          ['History', <HistoryProgress key="history" connection={connection} />],
        ]}
      />
      {mayChange && <ConnectionActions connection={connection} />}
    </Card>
  );
}

function HistoryProgress({ connection: { backfill, name } }: ConnectionProps): ReactNode {
  const { days, of } = backfill;
  if (days >= of) return `${of} days, complete`;
  return (
    <>
      {days} of {of} days <progress aria-label={`Days of ${name} that were read`} value={days} max={of} />
    </>
  );
}

/** The field `adminKey` of a form. */
function AdminKeyInput(): ReactNode {
  return (
    <PasswordInput
      name="adminKey"
      label="Admin key"
      description="Made in the provider’s console by an admin of the organization. It is tried out now, kept encrypted, and never shown again."
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
        Connect an organization
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
      title="Connect an organization"
      deed="Connect"
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
      <NativeSelect
        name="provider"
        label="Provider"
        data={reporting.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextInput name="name" label="Name" description="For you, such as the organization’s" required />
      <AdminKeyInput />
    </FormDialog>
  );
}
