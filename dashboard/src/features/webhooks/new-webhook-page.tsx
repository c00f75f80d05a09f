import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Card } from '../../shared/ui/card.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { WebhookCreated } from './made-webhook.tsx';
import { NewWebhookForm } from './new-webhook-form.tsx';
import type { NewWebhookResult } from './use-create-webhook.ts';

/** A new webhook; a secret that was made for it is shown before anything else. */
export function NewWebhookPage(): ReactNode {
  const navigate = useNavigate();
  const mayChange = useMay('manage');
  const [made, setMade] = useState<NewWebhookResult | null>(null);
  if (made) return <WebhookCreated made={made} />;
  const done = (webhook: NewWebhookResult): void => {
    if (webhook.secret === null && webhook.secretProblem === null) void navigate({ to: `/webhooks/${webhook.id}` });
    else setMade(webhook);
  };
  return (
    <Page title="Add a webhook" lead="Alerts go there from the next one on.">
      {mayChange ? (
        <Card>
          <NewWebhookForm onMade={done} />
        </Card>
      ) : (
        <Note kind="info">Webhooks are added by admins.</Note>
      )}
    </Page>
  );
}
