import type { ReceiverReply, DeliveryVerdict } from './destination.ts';

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
