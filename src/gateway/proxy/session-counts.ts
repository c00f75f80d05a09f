import { hash } from 'node:crypto';
import { TollbookError } from '../../domain/errors.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import { KeyPlaces } from '../../limits/key-places.ts';

/** Sessions of all keys in one hour. A key names at most half, as many as its policy can allow, if no other names any. */
const SESSIONS_PER_HOUR_MAX = 200_000;
/** Longer names are counted by their hash, which is shorter. */
const NAME_CHARACTERS_MAX = 64;

/** Counts the sessions that the calls of each key name in one hour. */
export class SessionCounts {
  readonly #sessionsMax: number;
  #hour = -1;
  #byKey = new Map<string, Set<string>>();
  #places: KeyPlaces;

  constructor(sessionsMax = SESSIONS_PER_HOUR_MAX) {
    this.#sessionsMax = sessionsMax;
    this.#places = new KeyPlaces(sessionsMax);
  }

  /**
   * Notes the session of a call. Throws `rate_limited` for a new one that its key's policy does not allow, and
   * `unavailable` if too many are counted.
   */
  check({ id, name, policy: { maxSessionsPerHour } }: GatewayKey, session: string | null, now: number): void {
    if (maxSessionsPerHour === null || session === null) return;
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) this.#begin(hour);
    const counted = this.#byKey.get(id);
    const counting = session.length > NAME_CHARACTERS_MAX ? hash('sha256', session, 'base64url') : session;
    if (counted?.has(counting)) return;
    const retryAfter = Math.ceil(((hour + 1) * HOUR_MS - now) / 1_000);
    if (counted && counted.size >= maxSessionsPerHour)
      throw new TollbookError(
        'rate_limited',
        `Calls of the wrapped key "${name}" named ${maxSessionsPerHour} sessions in this hour, as many as its policy allows (x-svc-session). Go on with one of them, or wait for the next hour.`,
        undefined,
        { retryAfter },
      );
    if (!this.#places.hasFree(id))
      throw new TollbookError(
        'unavailable',
        `Calls named too many sessions in this hour, in total or of the wrapped key "${name}", for policies that count them. Go on with an earlier session, or wait for the next hour.`,
        undefined,
        { retryAfter },
      );
    this.#places.take(id);
    if (counted) counted.add(counting);
    else this.#byKey.set(id, new Set([counting]));
  }

  #begin(hour: number): void {
    this.#hour = hour;
    this.#byKey = new Map();
    this.#places = new KeyPlaces(this.#sessionsMax);
  }
}
