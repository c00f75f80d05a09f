import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useMay } from '../../shared/session/session.ts';
import { EditWebhookDialog } from './edit-webhook-dialog.tsx';
import { RemoveWebhookDialog } from './remove-webhook-dialog.tsx';
import { NewSecretDialog } from './secret-dialog.tsx';
import { useEditWebhook } from './use-edit-webhook.ts';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';

type OpenWebhookDialog = 'edit' | 'secret' | 'remove';

export function WebhookActions({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
  const mayChange = useMay('manage');
  const edit = useEditWebhook(webhook.id);
  const [deed, setDeed] = useState<OpenWebhookDialog | null>(null);
  if (!mayChange) return null;
  const { type, enabled } = webhook;
  const { signs, key } = WEBHOOK_KINDS[type];
  const close = (): void => setDeed(null);
  return (
    <>
      <Button variant="default" loading={edit.isPending} onClick={() => edit.mutate({ enabled: !enabled })}>
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button variant="default" onClick={() => setDeed('edit')}>
        Edit
      </Button>
      {(signs || key) && (
        <Button variant="default" onClick={() => setDeed('secret')}>
          {signs ? 'New secret' : 'Replace key'}
        </Button>
      )}
      <Button variant="light" color="red" onClick={() => setDeed('remove')}>
        Remove
      </Button>
      {edit.error && <ErrorNote error={edit.error} />}
      {deed === 'edit' && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {deed === 'secret' && <NewSecretDialog webhook={webhook} onClose={close} />}
      {deed === 'remove' && <RemoveWebhookDialog webhook={webhook} onClose={close} />}
    </>
  );
}
