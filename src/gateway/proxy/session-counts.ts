import { TollbookError } from '../../domain/errors.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

/** Keys whose sessions of an earlier hour are still in memory, at most. */
const KEYS_MAX = 1_000;

interface HourOfSessions {
  readonly hour: number;
  /** Never more than the policy allows. */
  readonly sessions: Set<string>;
}

/** Counts the sessions that the calls of a key name in one hour. */
export class SessionCounts {
  readonly #byKey = new Map<string, HourOfSessions>();

  /** Notes the session of a call. Throws `rate_limited` for a new one that its key's policy does not allow. */
  check({ id, name, policy: { maxSessionsPerHour } }: GatewayKey, session: string | null, now: number): void {
    if (maxSessionsPerHour === null || session === null) return;
    const hour = Math.floor(now / HOUR_MS);
    let counted = this.#byKey.get(id);
    if (counted?.hour !== hour) counted = this.#begin(id, hour);
    if (counted.sessions.has(session)) return;
    if (counted.sessions.size >= maxSessionsPerHour)
      throw new TollbookError(
        'rate_limited',
        `Calls of the wrapped key "${name}" named ${maxSessionsPerHour} sessions in this hour, as many as its policy allows (x-svc-session). Go on with one of them, or wait for the next hour.`,
        undefined,
        { retryAfter: Math.ceil(((hour + 1) * HOUR_MS - now) / 1_000) },
      );
    counted.sessions.add(session);
  }

  #begin(keyId: string, hour: number): HourOfSessions {
    if (this.#byKey.size >= KEYS_MAX)
      for (const [other, counted] of this.#byKey) if (counted.hour !== hour) this.#byKey.delete(other);
    const begun = { hour, sessions: new Set<string>() };
    this.#byKey.set(keyId, begun);
    return begun;
  }
}
