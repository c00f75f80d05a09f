import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { errorText } from '../../shared/api/api-error.ts';
import { useMay } from '../../shared/session/session.ts';
import { testResultText } from './try-text.ts';
import { useTestWebhook } from './use-test-webhook.ts';

/** Sends a test at once, and says how it went. */
export function TestButton({ webhookId }: { readonly webhookId: string }): ReactNode {
  const mayChange = useMay('manage');
  const send = useTestWebhook(webhookId);
  if (!mayChange) return null;
  const text = send.error ? errorText(send.error) : send.data && testResultText(send.data);
  return (
    <>
      <span aria-live="polite" data-good={send.data?.state === 'delivered'} className="outcome">
        {!send.isPending && text}
      </span>
      <Button size="xs" loading={send.isPending} onClick={() => send.mutate()}>
        Send a test
      </Button>
    </>
  );
}
