import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AdminKeyShape } from '../../../../src/contract/admin-keys.ts';
import { AdminKeyInput } from './admin-key-input.tsx';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { usePauseAdminKey, useRemoveAdminKey, useReplaceAdminKey, useSyncAdminKey } from './use-admin-keys.ts';
import { isolated } from '../../shared/format/isolated.ts';

interface ConnectionActionsProps {
  readonly connection: AdminKeyShape;
}

/** Reads now, pauses, replaces, removes. */
export function ConnectionActions({ connection }: ConnectionActionsProps): ReactNode {
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
