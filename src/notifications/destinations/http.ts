import { TollbookError } from '../../domain/errors.ts';
import type { DeliveryVerdict, HttpMessage, ReceiverReply, WebhookTarget } from './destination.ts';

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

/** A receiver can't put a delivery off for longer than this at a time: it would be forgotten on both sides. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** These speak of the message. All others speak of the receiver or of the address, which somebody may put right. */
const REFUSED: ReadonlySet<number> = new Set([400, 406, 413, 414, 415, 422, 431]);

/** What an answer over HTTP means where a kind has no words of its own. A redirection is a failure: nobody follows it. */
export function judgeHttp(reply: ReceiverReply): DeliveryVerdict {
  const { status } = reply;
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  if (status === 410) return { outcome: 'gone' };
  if (REFUSED.has(status)) return { outcome: 'refused' };
  return later(retryAfterMs(reply));
}

export function later(afterMs: number | null): DeliveryVerdict {
  return { outcome: 'later', afterMs: afterMs === null ? null : Math.min(Math.max(afterMs, 0), RETRY_AFTER_MS_MAX) };
}

/**
 * `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). The date is compared with the reply's own `Date`, so that it
 * doesn't matter whose clock is wrong. null = it isn't there or can't be read.
 */
export function retryAfterMs({ headers }: ReceiverReply): number | null {
  const value = first(headers['retry-after'])?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const wait = httpDate(value) - httpDate(first(headers['date']) ?? '');
  return Number.isNaN(wait) ? null : wait;
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function httpDate(text: string): number {
  return text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
}
