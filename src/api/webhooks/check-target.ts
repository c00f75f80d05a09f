import type { WebhookType } from '../../core/webhook.ts';
import { destinationOf } from '../../destinations/destinations.ts';
import type { Target } from '../../destinations/destination.ts';
import type { Services } from '../services.ts';

/** Throws `invalid` when a webhook of this type can't work with the address and secret. */
export async function checkTarget({ deliveries }: Services, type: WebhookType, target: Target): Promise<void> {
  destinationOf(type).check(target);
  await deliveries.checkAddress(target.url);
}
