import { hash } from 'node:crypto';
import { networkOf, parseAddress } from '../core/address-range.ts';
import { TollbookError } from '../core/errors.ts';
import { AttemptLimit } from '../lib/attempt-limit.ts';
import type { Clock } from '../lib/clock.ts';

/** Attempts of one address, whatever comes of them: each costs the time of a password's hash. */
const BY_ADDRESS_MAX = 30;
const BY_ADDRESS_MS = 5 * 60_000;
/** Passwords for one account that were wrong, from wherever they came. */
const BY_ACCOUNT_MAX = 10;
const BY_ACCOUNT_MS = 15 * 60_000;

/** How often somebody may try a password or a code. Accounts that there are and that there are not count alike. */
export class Attempts {
  readonly #clock: Clock;
  readonly #byAddress = new AttemptLimit(BY_ADDRESS_MAX, BY_ADDRESS_MS);
  readonly #byAccount = new AttemptLimit(BY_ACCOUNT_MAX, BY_ACCOUNT_MS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `rate` with the seconds to wait. @param account whose password is tried; null = a code is */
  take(address: string | null, account: string | null): void {
    const now = this.#clock();
    refuse(this.#byAddress.take(placeOf(address), now));
    if (account !== null) refuse(this.#byAccount.take(keyOf(account), now));
  }

  /** The password was right. */
  succeeded(account: string): void {
    this.#byAccount.forget(keyOf(account));
  }
}

/** Anything can be sent as an account, of any length; what is kept of it is short. */
function keyOf(account: string): string {
  return hash('sha256', account, 'base64url');
}

function placeOf(address: string | null): string {
  const bits = address === null ? null : parseAddress(address);
  return bits ? networkOf(bits) : 'unknown';
}

function refuse(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  throw new TollbookError('rate', `Too many attempts; wait ${seconds} s.`, undefined, { retryAfter: seconds });
}
