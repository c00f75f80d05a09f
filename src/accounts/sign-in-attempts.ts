import { hash } from 'node:crypto';
import { networkKey, parseAddress } from '../domain/identity/address-range.ts';
import { TollbookError } from '../domain/errors.ts';
import { AttemptLimit } from '../lib/concurrency/attempt-limit.ts';
import type { Clock } from '../lib/clock.ts';

/** Attempts of one address, whatever comes of them: each costs the time of a password's hash. */
const BY_ADDRESS_MAX = 30;
const BY_ADDRESS_MS = 5 * 60_000;
/** Passwords for one account that were wrong, from one network. */
const BY_NETWORK_MAX = 10;
const BY_NETWORK_MS = 15 * 60_000;
/** Passwords for one account, from wherever: whoever guesses may have many networks. */
const BY_ACCOUNT_MAX = 100;
const BY_ACCOUNT_MS = 60 * 60_000;
/** Names that somebody gives themselves. */
const RENAMES_MAX = 20;
const RENAMES_MS = 60 * 60_000;
/** Where somebody signed in; beyond so many the oldest is forgotten. */
const KNOWN_MAX = 20_000;

/**
 * How often somebody may try a password or a code. Accounts that there are and that there are not count alike. Nobody
 * locks another out: guesses from elsewhere do not count where the person has signed in before.
 */
export class SignInAttempts {
  readonly #clock: Clock;
  readonly #byAddress = new AttemptLimit(BY_ADDRESS_MAX, BY_ADDRESS_MS);
  readonly #byNetwork = new AttemptLimit(BY_NETWORK_MAX, BY_NETWORK_MS);
  readonly #byAccount = new AttemptLimit(BY_ACCOUNT_MAX, BY_ACCOUNT_MS);
  readonly #renames = new AttemptLimit(RENAMES_MAX, RENAMES_MS);
  /** Accounts with the networks from which they signed in since this process began. */
  readonly #known = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `rate_limited` with the seconds to wait. @param account whose password is tried; null = a code is */
  take(address: string | null, account: string | null): void {
    requireNoWait(this.#byAddress.take(networkName(address), this.#clock()));
    if (account !== null) this.takeForAccount(address, account);
  }

  /** An attempt that was counted for its address: now for the account, or whatever is guessed at. Throws `rate_limited`. */
  takeForAccount(address: string | null, account: string): void {
    const now = this.#clock();
    const place = accountPlace(account, address);
    requireNoWait(this.#byNetwork.take(place, now));
    if (!this.#known.has(place)) requireNoWait(this.#byAccount.take(accountKey(account), now));
  }

  /** Throws `rate_limited`. */
  takeRename(userId: string): void {
    requireNoWait(this.#renames.take(userId, this.#clock()));
  }

  /** The password was right. */
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

  /** The account has another password: what was tried before says nothing of it. */
  forget(account: string): void {
    const key = accountKey(account);
    this.#byAccount.forget(key);
    this.#byNetwork.forgetThose((place) => place.startsWith(key));
  }
}

/** Anything can be sent as an account, of any length; what is kept of it is short. */
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
  throw new TollbookError('rate_limited', `Too many attempts; wait ${seconds} s.`, undefined, { retryAfter: seconds });
}
