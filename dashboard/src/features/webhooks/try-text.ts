import type { DeliveryShape } from '../../../../src/contract/webhooks.ts';

/** How a message went that was sent just now. */
export function testResultText({ state, attempts }: Pick<DeliveryShape, 'state' | 'attempts'>): string {
  const last = attempts.at(-1);
  if (!last) return 'It is queued.';
  if (state === 'delivered') return `Delivered in ${Math.round(last.ms)} ms (${last.status ?? 'sent'}).`;
  return `It was not delivered: ${[last.error, last.response].filter(Boolean).join(' ')}`;
}
