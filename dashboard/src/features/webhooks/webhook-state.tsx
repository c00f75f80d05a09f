import type { ReactNode } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { StateBadge } from '../../shared/ui/values.tsx';

type WebhookHealth = Pick<WebhookDetailsShape, 'enabled' | 'disabledReason' | 'failingSince'>;

/** Whether it delivers. */
export function WebhookState({ of }: { readonly of: WebhookHealth }): ReactNode {
  const { enabled, disabledReason, failingSince } = of;
  if (!enabled) return <StateBadge color={disabledReason === null ? 'gray' : 'red'}>disabled</StateBadge>;
  return failingSince === null ? (
    <StateBadge color="teal">enabled</StateBadge>
  ) : (
    <StateBadge color="yellow">failing</StateBadge>
  );
}
