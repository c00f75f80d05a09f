import { hash } from 'node:crypto';
import { networkKey, parseAddress } from '../domain/identity/address-range.ts';
import { TollbookError } from '../domain/errors.ts';
import { AttemptLimit } from '../lib/concurrency/attempt-limit.ts';
import type { Clock } from '../lib/clock.ts';
import { HOUR_MS } from '../domain/time/units.ts';

/** Attempts per address, successful or not: each takes the time of a password hash. */
const BY_ADDRESS_MAX = 30;
const BY_ADDRESS_MS = 5 * 60_000;
/** Wrong passwords for one account from one network. */
const BY_NETWORK_MAX = 10;
const BY_NETWORK_MS = 15 * 60_000;
/** Wrong passwords for one account from all networks, since an attacker may use many. */
const BY_ACCOUNT_MAX = 100;
const BY_ACCOUNT_MS = HOUR_MS;
/** Changes of a user's own name. */
const RENAMES_MAX = 20;
const RENAMES_MS = HOUR_MS;
/** Networks in which users signed in; above this, the oldest is dropped. */
const KNOWN_MAX = 20_000;

/**
 * Limits attempts with passwords and codes. Existing and missing accounts count alike. Nobody can lock out another
 * user: attempts from elsewhere don't count where the user has signed in before.
 */
export class SignInAttempts {
  readonly #clock: Clock;
  readonly #byAddress = new AttemptLimit(BY_ADDRESS_MAX, BY_ADDRESS_MS);
  readonly #byNetwork = new AttemptLimit(BY_NETWORK_MAX, BY_NETWORK_MS);
  readonly #byAccount = new AttemptLimit(BY_ACCOUNT_MAX, BY_ACCOUNT_MS);
  readonly #renames = new AttemptLimit(RENAMES_MAX, RENAMES_MS);
  /** Accounts with the networks from which they signed in since this process started. */
  readonly #known = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts an attempt. Throws `rate_limited` with the seconds to wait.
   * @param account whose password is tried; null = a code
   */
  take(address: string | null, account: string | null): void {
    requireNoWait(this.#byAddress.take(networkName(address), this.#clock()));
    if (account !== null) this.takeForAccount(address, account);
  }

  /** Counts an attempt for an account, or another target, after its address. Throws `rate_limited`. */
  takeForAccount(address: string | null, account: string): void {
    const now = this.#clock();
    const place = accountPlace(account, address);
    requireNoWait(this.#byNetwork.take(place, now));
    if (!this.#known.has(place)) requireNoWait(this.#byAccount.take(accountKey(account), now));
  }

  /** Counts a rename. Throws `rate_limited`. */
  takeRename(userId: string): void {
    requireNoWait(this.#renames.take(userId, this.#clock()));
  }

  /** Records a right password. */
  succeeded(address: string | null, account: string): void {
    const place = accountPlace(account, address);
    this.#byNetwork.forget(place);
    this.#known.delete(place);
    this.#known.add(place);
    for (const oldest of this.#known) {
      if (this.#known.size <= KNOWN_MAX) break;
      this.#known.delete(oldest);
    }
  }

  /** Forgets attempts at an account whose password changed. */
  forget(account: string): void {
    const key = accountKey(account);
    this.#byAccount.forget(key);
    this.#byNetwork.forgetMatching((place) => place.startsWith(key));
  }
}

/** Returns a short key for an account name, which may have any length. */
function accountKey(account: string): string {
  return hash('sha256', account, 'base64url');
}

function accountPlace(account: string, address: string | null): string {
  return `${accountKey(account)} ${networkName(address)}`;
}

function networkName(address: string | null): string {
  const bits = address === null ? null : parseAddress(address);
  return bits ? networkKey(bits) : 'unknown';
}

function requireNoWait(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  throw new TollbookError('rate_limited', `Too many attempts. Wait ${seconds} s.`, undefined, { retryAfter: seconds });
}
