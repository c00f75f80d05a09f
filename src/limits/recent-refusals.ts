import type { ErrorFacts } from '../domain/errors.ts';
import type { RefusedCall } from '../domain/usage/call.ts';

/** Of each limit; the oldest make room. */
const CALLS_PER_LIMIT_MAX = 20;
/** Those that refused nothing for longest make room. */
const LIMITS_MAX = 1_000;

type RefusedRequest = Pick<RefusedCall, 'at' | 'callId' | 'keyId' | 'provider'>;

/** Whom each limit refused lately, for whoever wonders who is held back. It lasts as long as the gate. */
export class RecentRefusals {
  /** By the limit's id, the one that refused last at the end. */
  readonly #byLimit = new Map<string, RefusedCall[]>();

  /** Takes the facts of a refusal; those of other reasons than a limit are left out. */
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

  /** The newest first. */
  list(limit: string): readonly RefusedCall[] {
    return this.#byLimit.get(limit) ?? [];
  }
}
