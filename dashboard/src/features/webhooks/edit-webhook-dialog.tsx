import { type ReactNode, useState } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { readWebhookChange } from './read-webhook.ts';
import { useEditWebhook } from './use-edit-webhook.ts';
import { WebhookFields } from './webhook-fields.tsx';
import { isolated } from '../../shared/format/isolated.ts';

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
