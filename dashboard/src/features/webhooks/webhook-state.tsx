import type { ReactNode } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { StateBadge } from '../../shared/ui/values.tsx';

type WebhookHealth = Pick<WebhookDetailsShape, 'enabled' | 'disabledReason' | 'failingSince'>;

/** State of a webhook. */
export function WebhookState({ of }: { readonly of: WebhookHealth }): ReactNode {
  const { enabled, disabledReason, failingSince } = of;
  if (!enabled) return <StateBadge color={disabledReason === null ? 'gray' : 'red'}>Disabled</StateBadge>;
  return failingSince === null ? (
    <StateBadge color="teal">Enabled</StateBadge>
  ) : (
    <StateBadge color="yellow">Failing</StateBadge>
  );
}
