import type { IncomingHttpHeaders } from 'node:http';
import type { Alert } from '../../domain/alerts/alert.ts';
import type { CallBegin } from '../../domain/usage/call.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { formatCount } from '../../domain/text/counts.ts';

/** Share of a provider's rate limit below which little is left. */
const NEAR_PART = 0.02;
/** Maximum number of keys and kinds remembered for an hour; the oldest are dropped. */
const REMEMBERED_MAX = 10_000;

interface RateLimitKind {
  /** Name of what is limited. */
  readonly what: string;
  readonly remaining: string;
  readonly limit: string;
}

/** Headers in which Anthropic, and OpenAI and compatible providers, say what a provider key has left. */
const KINDS: readonly RateLimitKind[] = [
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((kind) => ({
    what: kind.replace('-', ' '),
    remaining: `anthropic-ratelimit-${kind}-remaining`,
    limit: `anthropic-ratelimit-${kind}-limit`,
  })),
  ...['requests', 'tokens'].map((kind) => ({
    what: kind,
    remaining: `x-ratelimit-remaining-${kind}`,
    limit: `x-ratelimit-limit-${kind}`,
  })),
];

type RateLimitOwner = Pick<CallBegin, 'workspaceId' | 'keyId' | 'provider'>;

/** Reads the provider's own rate limits from answers, and raises an alert when one is nearly reached. */
export class RateWatch {
  readonly #raise: (alert: Alert) => void;
  /** Time of the last alert by key and kind. */
  readonly #alerted = new Map<string, number>();

  constructor(raise: (alert: Alert) => void) {
    this.#raise = raise;
  }

  /** Checks an answer. Allocates nothing if there are no such headers or much is left. */
  look(whose: RateLimitOwner, headers: IncomingHttpHeaders, now: number): void {
    for (const kind of KINDS) {
      const remaining = headers[kind.remaining];
      if (remaining === undefined || remaining === '') continue;
      const limit = Number(headers[kind.limit]);
      const left = Number(remaining);
      if (limit > 0 && left >= 0 && left <= limit * NEAR_PART) this.#near(whose, kind, left, limit, now);
    }
  }

  #near(whose: RateLimitOwner, kind: RateLimitKind, left: number, limit: number, now: number): void {
    const key = `${whose.keyId} ${kind.remaining}`;
    const alerted = this.#alerted.get(key);
    if (alerted !== undefined && now - alerted < HOUR_MS && now >= alerted) return;
    this.#alerted.delete(key);
    const [oldest] = this.#alerted.size >= REMEMBERED_MAX ? this.#alerted.keys() : [];
    if (oldest !== undefined) this.#alerted.delete(oldest);
    this.#alerted.set(key, now);
    this.#raise(nearAlert(whose, kind, left, limit, now));
  }
}

/** Raised once a day per key and kind, since such limits refill every minute. */
function nearAlert(
  { workspaceId, keyId, provider }: RateLimitOwner,
  { what }: RateLimitKind,
  left: number,
  limit: number,
  now: number,
): Alert {
  const [shownLeft, shownLimit] = [left, limit].map((number) => formatCount(number));
  return {
    type: 'RATE_LIMIT',
    severity: 'info',
    workspaceId,
    title: `Few ${what} left at ${provider} for key ${keyId}`,
    message: `${provider} says that ${shownLeft} of ${shownLimit} ${what} are left under its rate limit for the provider key of key ${keyId}: further calls may be refused with 429 until it fills up again.`,
    episode: `provider_rate:${provider}:${keyId}:${what}:${Math.floor(now / DAY_MS)}`,
    createdAt: now,
    scope: { provider, key: keyId },
    value: left,
    threshold: limit * NEAR_PART,
    period: { start: now, end: now + HOUR_MS },
    evidence: { source: 'provider_headers', what, left, limit },
  };
}
