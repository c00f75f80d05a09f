import { TollbookError } from '../../domain/errors.ts';
import type { Digest } from '../../domain/alerts/webhook.ts';
import { WEBHOOK_KINDS, type WebhookType } from '../../domain/alerts/webhook-kinds.ts';
import { destinationOf } from '../../notifications/destinations/destinations.ts';
import type { Target } from '../../notifications/destinations/destination.ts';
import type { Webhook } from '../../storage/records/records.ts';
import type { Services } from '../services.ts';

/** Of a secret that signs, or of a key; both are far shorter. */
const SECRET_CHARS_MAX = 1_000;

/** Throws `invalid` when a webhook of this type can't work with the address and secret. */
export async function checkTarget({ deliveries }: Services, type: WebhookType, target: Target): Promise<void> {
  checkWritten(type, target);
  await deliveries.checkAddress(target.url);
}

/** The same, by what is written alone. */
export function checkWritten(type: WebhookType, target: Target): void {
  if (target.secrets.some((secret) => secret.length > SECRET_CHARS_MAX))
    throw new TollbookError('invalid', `The secret is longer than ${SECRET_CHARS_MAX} characters.`, 'secret');
  destinationOf(type).check(target);
}

/** Throws `impossible` where a key that somebody gave for one host would be sent to another one. */
export function checkMove({ type, url, hasSecret }: Webhook, to: string): void {
  if (hasSecret && WEBHOOK_KINDS[type].key && URL.parse(to)?.origin !== URL.parse(url)?.origin)
    throw new TollbookError(
      'impossible',
      'The key of this webhook would be sent to another host; make a new webhook there, and remove this one.',
      'url',
    );
}

/** Throws `invalid` for a digest where each message opens an incident. */
export function checkDigest(type: WebhookType, digest: Digest): void {
  if (digest !== 'off' && !WEBHOOK_KINDS[type].takesDigest)
    throw new TollbookError(
      'invalid',
      `A digest to ${type} would open an incident; send it to a chat or by e-mail.`,
      'digest',
    );
}
