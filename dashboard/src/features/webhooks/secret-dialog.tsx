import { Button, Checkbox, PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { NewSecretNote } from './secret-once.tsx';
import { useReplaceSecret } from './use-new-secret.ts';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';

interface WebhookDialogProps {
  readonly webhook: WebhookDetailsShape;
  readonly onClose: () => void;
}

/** A new secret that signs, shown once; or another key of the receiver. */
export function NewSecretDialog({ webhook, onClose }: WebhookDialogProps): ReactNode {
  const renew = useReplaceSecret(webhook.id);
  const { type, signed } = webhook;
  const { key } = WEBHOOK_KINDS[type];
  const made = renew.data;
  if (made && !key)
    return (
      <Dialog title="Keep its secret" onClose={onClose}>
        <div className="stack">
          <NewSecretNote secret={made.secret} />
          {made.oldValidUntil !== null && <p className="soft">The one before signs too for 24 hours.</p>}
          <div className="row">
            <Button onClick={onClose}>I have kept it</Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <FormDialog
      title={key ? `Replace the ${key.label.toLowerCase()}` : 'Make a new secret'}
      deed={key ? 'Replace' : 'Make a new secret'}
      busy={renew.isPending}
      error={renew.error}
      onClose={onClose}
      onSubmit={(fields) =>
        renew.mutate(
          { secret: fields('secret') || undefined, dropOld: fields('dropOld') === 'yes' },
          { onSuccess: () => key && onClose() },
        )
      }
    >
      {key ? (
        <PasswordInput name="secret" label={key.label} description={key.help} autoComplete="off" required />
      ) : (
        <p>
          What is sent is signed with it from now on.
          {signed && ' The one before signs too for 24 hours, so that nothing is missed while you change over.'}
        </p>
      )}
      {signed && !key && (
        <Checkbox name="dropOld" value="yes" label="The one before signs no more, at once: somebody else may know it" />
      )}
    </FormDialog>
  );
}
