import { TollbookError } from '../../domain/errors.ts';
import type { HttpMessage, WebhookTarget } from './destination.ts';

/**
 * The address of a webhook that is spoken to over HTTP. Which hosts may be reached is not asked here. The address may
 * hold a secret, so that no sentence repeats it.
 * @throws TollbookError `invalid` that names `url`
 */
export function httpAddress({ url }: WebhookTarget, kind: string): URL {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol))
    throw invalid(
      'url',
      `This is no address; give the one that ${kind} shows for the webhook, beginning with https://.`,
    );
  if (address.username !== '' || address.password !== '' || address.hash !== '')
    throw invalid('url', 'url must not carry a user name, a password or a "#".');
  return address;
}

export function invalid(param: 'url' | 'secret', sentence: string): TollbookError {
  return new TollbookError('invalid', sentence, param);
}

export function jsonPost(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpMessage {
  return { via: 'http', url, headers: { 'content-type': 'application/json', ...headers }, body: toJson(body) };
}

/** JSON that every reader takes: many refuse half of a surrogate pair, even escaped. */
export function toJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'string' ? each.toWellFormed() : each)) ?? 'null'
  );
}
