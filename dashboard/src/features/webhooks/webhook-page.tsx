import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DeliveryShape, WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { errorText } from '../../shared/api/api-error.ts';
import { usePathParameter } from '../../shared/filter/address.ts';
import { ALERT_TYPE_NAMES } from '../../shared/names/display-names.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { ErrorNote, Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Ago, Instant } from '../../shared/ui/values.tsx';
import { Deliveries, ReplayButton } from './deliveries.tsx';
import { useEditWebhook, useTestWebhook, useWebhook } from './queries.ts';
import { readWebhookAddress } from './read-webhook.ts';
import { EditWebhookDialog, NewSecretDialog, RemoveWebhookDialog } from './webhook-dialogs.tsx';
import { WebhookState } from './webhook-state.tsx';

type OpenWebhookDialog = 'edit' | 'secret' | 'remove';

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

function WebhookActions({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
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

/** How a message went that was sent just now. */
function testResultText({ state, attempts }: Pick<DeliveryShape, 'state' | 'attempts'>): string {
  const last = attempts.at(-1);
  if (!last) return 'It is queued.';
  if (state === 'delivered') return `Delivered in ${Math.round(last.ms)} ms (${last.status ?? 'sent'}).`;
  return `It was not delivered: ${[last.error, last.response].filter(Boolean).join(' ')}`;
}

/** Sends a test at once, and says how it went. */
function TestButton({ webhookId }: { readonly webhookId: string }): ReactNode {
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

function WebhookFacts({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
  const { id, type, url, events, digest, signed, oldSecretUntil, createdAt } = webhook;
  const kind = WEBHOOK_KINDS[type];
  return (
    <Facts
      of={[
        ['State', <WebhookState key="state" of={webhook} />],
        ['Kind', kind.name],
        ['Address', readWebhookAddress(url, type)],
        ['Gets', events.map((event) => ALERT_TYPE_NAMES[event]).join(', ')],
        ['Weekly digest', kind.takesDigest ? (digest === 'weekly' ? 'each Monday' : 'no') : null],
        ['Signed', kind.signs ? (signed ? 'yes' : 'no: make a secret') : null],
        ['Secret before', oldSecretUntil === null ? null : <OldSecretUntil key="old" at={oldSecretUntil} />],
        ['Created', <Instant key="created" at={createdAt} />],
        ['Id', <code key="id">{id}</code>],
      ]}
    />
  );
}

function OldSecretUntil({ at }: { readonly at: string }): ReactNode {
  return (
    <>
      signs too until <Instant at={at} />
    </>
  );
}

function WebhookContent({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
  const { id, enabled, disabledReason, failingSince } = webhook;
  return (
    <>
      {!enabled && disabledReason !== null && (
        <Note kind="bad">
          {disabledReason} Mend the receiver and test it, then enable the webhook; what it missed can be replayed.
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
