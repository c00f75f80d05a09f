import type { ReactNode } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { ALERT_TYPE_NAMES } from '../../shared/names/alert-types.ts';
import { Facts } from '../../shared/ui/facts.tsx';
import { readWebhookAddress } from './read-webhook.ts';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { WebhookState } from './webhook-state.tsx';

export function WebhookFacts({ webhook }: { readonly webhook: WebhookDetailsShape }): ReactNode {
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
