import { Button, Checkbox, PasswordInput } from '@mantine/core';
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

/** The one moment at which a secret is shown. */
export function NewSecretNote({ secret }: { readonly secret: string }): ReactNode {
  return (
    <div className="stack">
      <p>
        It is shown only now. Give it to the program that receives: libraries of Standard Webhooks verify{' '}
        <code>webhook-signature</code> with it, in every language.
      </p>
      <CopyBlock first name="secret" text={secret} />
    </div>
  );
}

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
          {made.oldSecretUntil !== null && <p className="soft">The one before signs too for 24 hours.</p>}
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

interface EditWebhookDialogProps {
  readonly webhook: WebhookDetailsShape;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook: shown, onClose }: EditWebhookDialogProps): ReactNode {
  // As it was when the dialog opened: the page behind it is read anew meanwhile.
  const [webhook] = useState(shown);
  const { name, url, events, digest } = webhook;
  const edit = useEditWebhook(webhook.id);
  return (
    <FormDialog
      title={`Edit ${isolated(webhook.name)}`}
      deed="Save"
      busy={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={(fields) =>
        edit.mutate(
          { ...readWebhookChange(fields, webhook.type), seen: { name, url, events, digest } },
          { onSuccess: onClose },
        )
      }
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
  // As it was when the dialog opened: the page behind it is read anew meanwhile.
  const [webhook] = useState(shown);
  const remove = useRemoveWebhook(webhook);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Remove ${isolated(webhook.name)}?`}
      deed="Remove webhook"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/webhooks' }) })}
      onClose={onClose}
    >
      Nothing goes there any more, and what waited is dropped. To hold it back for a while, disable it instead.
    </ConfirmDialog>
  );
}
