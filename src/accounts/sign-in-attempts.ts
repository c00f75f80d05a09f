import { hash } from 'node:crypto';
import { networkKey, parseAddress } from '../domain/identity/address-range.ts';
import { TollbookError } from '../domain/errors.ts';
import { HOUR_MS } from '../domain/time/units.ts';
import type { AttemptRecords, AttemptRule } from '../storage/records/attempts.ts';

/** Attempts per address, successful or not: each takes the time of a password hash. */
const BY_ADDRESS: AttemptRule = { name: 'address', max: 30, windowMs: 5 * 60_000 };
/** Wrong passwords for one account from one network. */
const BY_NETWORK: AttemptRule = { name: 'network', max: 10, windowMs: 15 * 60_000 };
/** Wrong passwords for one account from all networks, since an attacker may use many. */
const BY_ACCOUNT: AttemptRule = { name: 'account', max: 100, windowMs: HOUR_MS };
/** Changes of a user's own name. */
const RENAMES: AttemptRule = { name: 'rename', max: 20, windowMs: HOUR_MS };

/**
 * Limits attempts with passwords and codes. Existing and missing accounts count alike. Nobody can lock out another
 * user: attempts from elsewhere don't count in networks that the user has signed in from, as far as they are remembered.
 */
export class SignInAttempts {
  readonly #counts: AttemptRecords;

  constructor(counts: AttemptRecords) {
    this.#counts = counts;
  }

  /**
   * Counts an attempt. Throws `rate_limited` with the seconds to wait.
   * @param account whose password is tried; null = a code
   */
  async take(address: string | null, account: string | null): Promise<void> {
    requireNoWait(await this.#counts.take(BY_ADDRESS, networkName(address)));
    if (account !== null) await this.takeForAccount(address, account);
  }

  /** Counts an attempt for an account, or another target, after its address. Throws `rate_limited`. */
  async takeForAccount(address: string | null, account: string): Promise<void> {
    const place = accountPlace(account, address);
    requireNoWait(await this.#counts.take(BY_NETWORK, place));
    if (await this.#counts.isRemembered(place)) return;
    requireNoWait(await this.#counts.take(BY_ACCOUNT, accountKey(account)));
  }

  /** Counts a rename. Throws `rate_limited`. */
  async takeRename(userId: string): Promise<void> {
    requireNoWait(await this.#counts.take(RENAMES, userId));
  }

  /** Records a right password. */
  async succeeded(address: string | null, account: string): Promise<void> {
    const place = accountPlace(account, address);
    await this.#counts.forget(BY_NETWORK, place);
    await this.#counts.remember(place);
  }

  /** Forgets attempts at an account whose password changed. */
  async forget(account: string): Promise<void> {
    const key = accountKey(account);
    await this.#counts.forget(BY_ACCOUNT, key);
    await this.#counts.forgetAll(BY_NETWORK, key);
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
