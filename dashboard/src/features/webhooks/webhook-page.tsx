import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
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
import { describeDelivery } from '../../../../src/domain/text/deliveries.ts';
import { RecordPlaceholder } from '../../shared/ui/placeholders.tsx';

type OpenWebhookDialog = 'edit' | 'secret' | 'remove';

/** One webhook with its state and deliveries. */
export function WebhookPage(): ReactNode {
  const webhook = useWebhook(usePathParameter('webhookId'));
  const found = webhook.data;
  return (
    <Page
      title={found?.name ?? 'Webhook'}
      lead={<PageLink to="/webhooks">All webhooks</PageLink>}
      actions={found && <WebhookActions webhook={found} />}
    >
      <Loaded of={webhook} placeholder={<RecordPlaceholder hasFigures={false} />}>
        {(shown) => <WebhookContent webhook={shown} />}
      </Loaded>
    </Page>
  );
}

function WebhookActions({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
  const mayChange = useMay('manage');
  const edit = useEditWebhook(webhook);
  const [openDialog, setOpenDialog] = useState<OpenWebhookDialog | null>(null);
  if (!mayChange) return null;
  const { type, enabled } = webhook;
  const { signs, key } = WEBHOOK_KINDS[type];
  const close = (): void => setOpenDialog(null);
  return (
    <>
      <Button variant="default" loading={edit.isPending} onClick={() => edit.mutate({ enabled: !enabled })}>
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button variant="default" onClick={() => setOpenDialog('edit')}>
        Edit
      </Button>
      {(signs || key) && (
        <Button variant="default" onClick={() => setOpenDialog('secret')}>
          {signs ? 'Create new secret' : 'Replace key'}
        </Button>
      )}
      <Button variant="light" color="red" onClick={() => setOpenDialog('remove')}>
        {' '}
        Delete{' '}
      </Button>
      {edit.error && <ErrorNote error={edit.error} />}
      {openDialog === 'edit' && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {openDialog === 'secret' && <NewSecretDialog webhook={webhook} onClose={close} />}
      {openDialog === 'remove' && <RemoveWebhookDialog webhook={webhook} onClose={close} />}
    </>
  );
}

/** Sends a test and shows the result. */
function TestButton({ webhookId }: { readonly webhookId: string }): ReactNode {
  const mayChange = useMay('manage');
  const send = useTestWebhook(webhookId);
  if (!mayChange) return null;
  const text = send.error ? errorText(send.error) : send.data && describeDelivery(send.data);
  return (
    <>
      <span aria-live="polite" data-good={send.data?.state === 'delivered'} className="outcome">
        {!send.isPending && text}
      </span>
      <Button size="xs" loading={send.isPending} onClick={() => send.mutate()}>
        {' '}
        Send test{' '}
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
        ['Type', kind.name],
        ['Address', readWebhookAddress(url, type)],
        ['Events', events.map((event) => ALERT_TYPE_NAMES[event]).join(', ')],
        ['Weekly digest', kind.takesDigest ? (digest === 'weekly' ? 'Every Monday' : 'Off') : null],
        ['Signed', kind.signs ? (signed ? 'Yes' : 'No. Create a secret to sign requests.') : null],
        ['Old secret', oldSecretUntil === null ? null : <OldSecretUntil key="old" at={oldSecretUntil} />],
        ['Created', <Instant key="created" at={createdAt} />],
        ['ID', <code key="id">{id}</code>],
      ]}
    />
  );
}

function OldSecretUntil({ at }: { readonly at: string }): ReactNode {
  return (
    <>
      Valid until <Instant at={at} />
    </>
  );
}

function WebhookContent({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
  const { id, enabled, disabledReason, failingSince } = webhook;
  return (
    <>
      {!enabled && disabledReason !== null && (
        <Note kind="bad">
          {disabledReason} Fix the receiver, send a test, then enable the webhook and replay the missed deliveries.
        </Note>
      )}
      {enabled && failingSince !== null && (
        <Note kind="warn">
          <span>
            Every delivery has failed since <Ago at={failingSince} />.
          </span>
        </Note>
      )}
      <Card title="Details" aside={<TestButton webhookId={id} />}>
        <WebhookFacts webhook={webhook} />
      </Card>
      <Card title="Deliveries" aside={<ReplayButton webhookId={id} />}>
        <Deliveries webhookId={id} />
      </Card>
    </>
  );
}
