import type { ReactNode } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { usePathParameter } from '../../shared/filter/use-path-text.ts';
import { Ago } from '../../shared/theme/instant.tsx';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Deliveries } from './deliveries.tsx';
import { ReplayButton } from './replay-button.tsx';
import { TestButton } from './test-button.tsx';
import { useWebhook } from './use-webhook.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookFacts } from './webhook-facts.tsx';

/** One webhook: how it does, what it sent, and what it has still to send. */
export function WebhookPage(): ReactNode {
  const webhook = useWebhook(usePathParameter('webhookId'));
  const found = webhook.data;
  return (
    <Page
      title={found?.name ?? 'One webhook'}
      lead={<PageLink to="/webhooks">All webhooks</PageLink>}
      actions={found && <WebhookActions webhook={found} />}
    >
      <Loaded of={webhook} rows={10}>
        {(shown) => <WebhookContent webhook={shown} />}
      </Loaded>
    </Page>
  );
}

function WebhookContent({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
  const { id, enabled, disabledBecause, failingSince } = webhook;
  return (
    <>
      {!enabled && disabledBecause !== null && (
        <Note kind="bad">
          {disabledBecause} Mend the receiver and test it, then enable the webhook; what it missed can be replayed.
        </Note>
      )}
      {enabled && failingSince !== null && (
        <Note kind="warn">
          <span>
            Nothing could be delivered for a while: every try has failed since <Ago at={failingSince} />.
          </span>
        </Note>
      )}
      <Card title="What it is" aside={<TestButton webhookId={id} />}>
        <WebhookFacts webhook={webhook} />
      </Card>
      <Card title="Deliveries" aside={<ReplayButton webhookId={id} />}>
        <Deliveries webhookId={id} />
      </Card>
    </>
  );
}
