import type { SubscriptionShape } from '../contract/sync.ts';

/** `Claude Max 5x (sub_…): $100 a month, from 2026-01-01.` */
export function describeSubscription(subscription: SubscriptionShape): string {
  const { id, name, monthlyCost, seats, startedAt, endedAt, tokens, provider } = subscription;
  const price = `$${monthlyCost} a month${seats === 1 ? '' : ` for each of ${seats} seats`}`;
  const time = endedAt === null ? `from ${startedAt} on` : `from ${startedAt} to ${endedAt}`;
  const whose = tokens.length === 0 ? `all sessions of ${provider}` : `sessions uploaded with ${tokens.join(', ')}`;
  return `${name} (${id}): ${price}, ${time}.\nIt covers ${whose}.`;
}
