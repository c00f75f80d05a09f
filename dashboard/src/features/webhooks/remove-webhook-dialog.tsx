import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { useRemoveWebhook } from './use-remove-webhook.ts';
import { isolated } from '../../shared/format/isolated.ts';

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
