import { Button, Checkbox } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { useEditWebhook, useRemoveWebhook, useReplaceSecret } from './queries.ts';
import { readWebhookChange } from './read-webhook.ts';
import { WebhookFields } from './webhook-fields.tsx';
import { PasswordField } from '../../shared/ui/form-inputs.tsx';

/** Shows a new secret, once. */
export function NewSecretNote({ secret }: { readonly secret: string }): ReactNode {
  return (
    <div className="stack">
      <p>
        Tollbook shows this secret only once. Your receiver verifies the header <code>webhook-signature</code> with it.
        Standard Webhooks libraries exist for every common language.
      </p>
      <CopyBlock first name="secret" text={secret} />
    </div>
  );
}

interface WebhookDialogProps {
  readonly webhook: WebhookDetailsShape;
  readonly onClose: () => void;
}

/** Creates a new signing secret, or replaces the key of the receiver. */
export function NewSecretDialog({ webhook, onClose }: WebhookDialogProps): ReactNode {
  const renew = useReplaceSecret(webhook);
  const { type, signed } = webhook;
  const { key } = WEBHOOK_KINDS[type];
  const made = renew.data;
  if (made && !key)
    return (
      <Dialog title="Copy the secret now" onClose={onClose}>
        <div className="stack">
          <NewSecretNote secret={made.secret} />
          {made.oldSecretUntil !== null && <p className="soft">The old secret also signs for 24 hours.</p>}
          <div className="row">
            <Button onClick={onClose}>Done</Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <FormDialog
      title={key ? `Replace ${key.label}` : 'Create new secret'}
      actionLabel={key ? 'Replace key' : 'Create secret'}
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
        <PasswordField name="secret" label={key.label} description={key.help} autoComplete="off" required />
      ) : (
        <p>
          All requests are signed with the new secret from now on.
          {signed && ' The old secret also signs for 24 hours, so you can switch without missing a request.'}
        </p>
      )}
      {signed && !key && (
        <Checkbox name="dropOld" value="yes" label="Revoke the old secret immediately, because it may have leaked" />
      )}
    </FormDialog>
  );
}

interface EditWebhookDialogProps {
  readonly webhook: WebhookDetailsShape;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook: shown, onClose }: EditWebhookDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [webhook] = useState(shown);
  const edit = useEditWebhook(webhook);
  return (
    <FormDialog
      title={`Edit ${isolated(webhook.name)}`}
      actionLabel="Save changes"
      busy={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={(fields) => edit.mutate(readWebhookChange(fields, webhook.type), { onSuccess: onClose })}
    >
      <WebhookFields type={webhook.type} webhook={webhook} />
    </FormDialog>
  );
}

interface RemoveWebhookDialogProps {
  readonly webhook: WebhookDetailsShape;
  readonly onClose: () => void;
}

export function RemoveWebhookDialog({ webhook: shown, onClose }: RemoveWebhookDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [webhook] = useState(shown);
  const remove = useRemoveWebhook(webhook);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete ${isolated(webhook.name)}?`}
      actionLabel="Delete webhook"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/webhooks' }) })}
      onClose={onClose}
    >
      No more alerts are sent here, and waiting deliveries are dropped. To pause it, disable the webhook instead.
    </ConfirmDialog>
  );
}
