import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AdminKeyShape } from '../../../../src/api/contract-admin-keys.ts';
import { ConfirmDialog } from '../../shared/parts/confirm-dialog.tsx';
import { Trouble } from '../../shared/parts/trouble.tsx';
import { usePauseAdminKey, useRemoveAdminKey, useSyncAdminKey } from './use-admin-keys.ts';

interface ConnectionProps {
  readonly connection: AdminKeyShape;
}

/** Reads now, pauses, removes. */
export function ConnectionActions({ connection }: ConnectionProps): ReactNode {
  const { id, state } = connection;
  const sync = useSyncAdminKey(id);
  const pause = usePauseAdminKey(id);
  const isPaused = state === 'paused';
  return (
    <>
      {sync.error && <Trouble error={sync.error} />}
      {pause.error && <Trouble error={pause.error} />}
      <div className="row">
        {!isPaused && (
          <Button size="xs" variant="default" loading={sync.isPending} onClick={() => sync.mutate()}>
            Read now
          </Button>
        )}
        <Button size="xs" variant="default" loading={pause.isPending} onClick={() => pause.mutate(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <RemoveButton connection={connection} />
      </div>
    </>
  );
}

function RemoveButton({ connection: { id, name } }: ConnectionProps): ReactNode {
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
          title={`Remove ${name}?`}
          deed="Remove connection"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          The key is erased at once, and what was read with it soon after. To keep that, pause it instead.
        </ConfirmDialog>
      )}
    </>
  );
}
