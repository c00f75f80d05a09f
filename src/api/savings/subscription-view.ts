import { usdFromNano } from '../../domain/money/money.ts';
import { isSubscribed, type Subscription } from '../../domain/sessions/subscription.ts';
import type { SubscriptionShape } from '../../contract/sync.ts';

export function subscriptionView(subscription: Subscription, now: number, timeZone: string): SubscriptionShape {
  const { id, name, provider, plan, monthlyCost, seats, startedOn, endedOn, tokenIds } = subscription;
  return {
    id,
    name,
    provider,
    plan,
    monthlyCost: usdFromNano(monthlyCost),
    currency: 'USD',
    seats,
    startedAt: startedOn,
    endedAt: endedOn,
    active: isSubscribed(subscription, now, timeZone),
    tokens: [...tokenIds],
  };
}
