import type { ErrorFacts } from '../domain/errors.ts';
import type { RefusedCall } from '../domain/usage/call.ts';

/** Refusals kept per limit; the oldest are dropped. */
const CALLS_PER_LIMIT_MAX = 20;
/** Limits kept; those without a refusal for longest are dropped. */
const LIMITS_MAX = 1_000;

type RefusedRequest = Pick<RefusedCall, 'at' | 'callId' | 'keyId' | 'provider'>;

/** Recent refusals of each limit. They are lost when the process ends. */
export class RecentRefusals {
  /** Refusals by limit id, the limit that refused last at the end. */
  readonly #byLimit = new Map<string, RefusedCall[]>();

  /** Adds a refusal by a limit. Refusals for other reasons are ignored. */
  note(who: RefusedRequest, facts: ErrorFacts): void {
    const { limit, reason } = facts;
    if (typeof limit !== 'string' || typeof reason !== 'string') return;
    const calls = this.#byLimit.get(limit) ?? [];
    this.#byLimit.delete(limit);
    const [idlest] = this.#byLimit.size >= LIMITS_MAX ? this.#byLimit.keys() : [];
    if (idlest !== undefined) this.#byLimit.delete(idlest);
    const { value, needed, remaining } = facts;
    calls.unshift({
      ...who,
      value: typeof value === 'string' ? value : null,
      reason,
      needed: typeof needed === 'number' ? needed : null,
      remaining: typeof remaining === 'number' ? remaining : null,
    });
    if (calls.length > CALLS_PER_LIMIT_MAX) calls.pop();
    this.#byLimit.set(limit, calls);
  }

  /** Lists the refusals of a limit, newest first. */
  list(limit: string): readonly RefusedCall[] {
    return this.#byLimit.get(limit) ?? [];
  }
}
