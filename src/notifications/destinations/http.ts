import { TollbookError } from '../../domain/errors.ts';
import type { DeliveryVerdict, HttpMessage, ReceiverReply, WebhookTarget } from './destination.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

/**
 * Parses the URL of an HTTP webhook. It does not check which hosts may be reached. The URL may contain a secret, so
 * errors never repeat it.
 * @throws TollbookError `invalid` that names `url`
 */
export function httpAddress({ url }: WebhookTarget, kind: string): URL {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol))
    throw invalid(
      'url',
      `This is not a valid URL. Enter the one that ${kind} shows for the webhook, starting with https://.`,
    );
  if (address.username !== '' || address.password !== '' || address.hash !== '')
    throw invalid('url', 'url must not contain a username, a password or a "#".');
  return address;
}

export function invalid(param: 'url' | 'secret', sentence: string): TollbookError {
  return new TollbookError('invalid', sentence, param);
}

export function jsonPost(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpMessage {
  return { via: 'http', url, headers: { 'content-type': 'application/json', ...headers }, body: toJson(body) };
}

/** Returns JSON that every receiver accepts: many refuse half of a surrogate pair, even escaped. */
export function toJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'string' ? each.toWellFormed() : each)) ?? 'null'
  );
}

/** Longest delay that a receiver can ask for at a time. */
const RETRY_AFTER_MS_MAX = HOUR_MS;
/** Statuses that refuse the message. All others concern the receiver or the URL, which may be fixed. */
const REFUSED: ReadonlySet<number> = new Set([400, 406, 413, 414, 415, 422, 431]);

/** Returns the verdict on an HTTP response by the usual rules. A redirect counts as a failure and is not followed. */
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
 * Reads `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). The date is compared with the reply's own `Date`, so
 * that a wrong clock on either side does not matter. null = absent or unreadable.
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
