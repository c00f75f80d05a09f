import type { CounterGrants } from '../leases/counter-head.ts';
import type { LeaseAnswer, LeaseRefusal, LeaseRequest } from '../leases/exchange.ts';
import type { PastWindows } from '../leases/lease-authority.ts';
import type { LeaseRegistration } from '../leases/node-leases.ts';
import type { IdleCheck } from './counter-store.ts';

/**
 * The authority in a database that several nodes share: what `LeaseAuthority` does in memory, with the same answers.
 * Each method is one transaction. Times are the database's. Shipped calls and corrections have no method here: they are
 * counted in the transactions that store them.
 */
export interface LeaseStore {
  /** Returns the database's time. */
  time(): Promise<number>;
  register(node: string, epoch: number): Promise<LeaseRegistration>;
  exchange(request: LeaseRequest): Promise<LeaseAnswer | LeaseRefusal>;
  leave(node: string, epoch: number): Promise<void>;
  forget(node: string, unknown: 'count' | 'free'): Promise<boolean>;
  /** Returns the number of the newest change of limits. Each change of a limit's record has one. */
  changes(): Promise<number>;
  isInForce(change: number): Promise<boolean>;
  /** A failover is also noticed without this. After a backup was restored, it is not. */
  promote(generation: number): Promise<void>;
  /** Returns what is taken of some limits' counters. */
  standings(counters: readonly number[]): Promise<CounterGrants[]>;
  prune(old: readonly PastWindows[]): Promise<void>;
  /**
   * Drops what it knows of counters of `total` that no node asked for since an instant, days ago, and that no node may use. They
   * come back with what the ledger has counted. Checks the next `limit` values after `after`, and returns the last of
   * them; null = all are checked.
   */
  pruneIdle(check: IdleCheck): Promise<string | null>;
  /** Drops the counters of all limits that are not listed and are lower than the highest listed number. */
  keepOnly(counters: readonly number[]): Promise<void>;
}
