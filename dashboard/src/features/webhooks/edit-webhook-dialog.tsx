import type { ReactNode } from 'react';
import type { WebhookDetailsShape } from '../../../../src/api/contract-webhooks.ts';
import { FormDialog } from '../../shared/parts/form-dialog.tsx';
import { readChange } from './read-webhook.ts';
import { useEditWebhook } from './use-edit-webhook.ts';
import { WebhookFields } from './webhook-fields.tsx';

interface WebhookDialogProps {
  readonly webhook: WebhookDetailsShape;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook, onClose }: WebhookDialogProps): ReactNode {
  const edit = useEditWebhook(webhook.id);
  return (
    <FormDialog
      title={`Edit ${webhook.name}`}
      deed="Save"
      busy={edit.isPending}
      error={edit.error}
      onClose={onClose}
      onSubmit={(fields) => edit.mutate(readChange(fields, webhook.type), { onSuccess: onClose })}
    >
      <WebhookFields type={webhook.type} webhook={webhook} />
    </FormDialog>
  );
}
