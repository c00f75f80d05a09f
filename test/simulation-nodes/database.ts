import type { CounterPlace } from '../../src/domain/limits/limit.ts';
import type { LeaseAnswer, LeaseRefusal, LeaseRequest } from '../../src/leases/exchange.ts';
import { LeaseAuthority, type ShippedUse } from '../../src/leases/lease-authority.ts';
import type { LeaseRegistration } from '../../src/leases/node-leases.ts';
import type { PlannedLimit } from './plan.ts';

/** Longer than a node's lease by more than the clocks drift apart. */
export const LEASE_MS = 3_000;
export const LEASE_OVER_MS = 3_100;

/** One committed transaction; played again to find what the database was before it. */
type Commit = (database: SimulatedDatabase) => void;

/** A limit as a row of the database. */
export interface LimitRow extends PlannedLimit {
  readonly counter: number;
  readonly isRemoved: boolean;
  /** Differs after each change. */
  readonly revision: number;
}

/** The database: limits, the lease authority, and which calls are in the ledger. A failover may forget its newest commits. */
export class SimulatedDatabase {
  limits = new Map<number, LimitRow>();
  authority: LeaseAuthority;
  /** Calls in the ledger. */
  shipped = new Set<number>();
  registered = new Set<string>();
  #commits: Commit[] = [];
  #time = 0;
  #failovers = 0;
  readonly #keepsCommits: boolean;
  readonly #recall: (places: readonly CounterPlace[]) => void;
  #isReplaying = false;

  /** @param keepsCommits they may be lost in a failover */
  constructor(keepsCommits: boolean, recall: (places: readonly CounterPlace[]) => void) {
    this.#keepsCommits = keepsCommits;
    this.#recall = recall;
    this.authority = this.#begin();
  }

  /** Commits so far. */
  get commits(): number {
    return this.#commits.length;
  }

  setTime(time: number): void {
    this.#time = time;
  }

  get time(): number {
    return this.#time;
  }

  register(node: string, epoch: number): LeaseRegistration {
    return this.#commit((database) => {
      database.registered.add(node);
      return database.authority.register(node, epoch);
    });
  }

  exchange(request: LeaseRequest): LeaseAnswer | LeaseRefusal {
    return this.#commit((database) => database.authority.exchange(request));
  }

  ship(node: string, epoch: number, from: number, to: number, calls: readonly ShippedCall[]): number | null {
    return this.#commit((database) => {
      const uses = calls.flatMap((call) => call.uses);
      const before = database.authority;
      const mark = before.ship(node, epoch, from, to, uses);
      if (mark === to && calls.length === to - from) for (const { id } of calls) database.shipped.add(id);
      return mark;
    });
  }

  /** Returns the number of the change. */
  putLimit(limit: LimitRow): number {
    return this.#commit((database) => {
      database.limits.set(limit.counter, limit);
      return database.authority.change();
    });
  }

  correct(place: CounterPlace, change: number): void {
    this.#commit((database) => {
      database.authority.correct(place, change);
    });
  }

  forget(node: string, unknown: 'count' | 'free'): boolean {
    return this.#commit((database) => database.authority.forget(node, unknown));
  }

  /** A standby takes over that lacks the newest commits. */
  failover(lost: number, isNoticed: boolean): void {
    const now = this.#time;
    const kept = this.#commits.slice(0, this.#commits.length - lost);
    this.limits = new Map();
    this.shipped = new Set();
    this.registered = new Set();
    this.authority = this.#begin();
    this.#isReplaying = true;
    for (const commit of kept) commit(this);
    this.#isReplaying = false;
    this.#commits = kept;
    this.#time = now;
    if (!isNoticed) return;
    this.#failovers += 1;
    const generation = 1 + this.#failovers;
    this.#commit((database) => {
      database.authority.promote(generation);
    });
  }

  #begin(): LeaseAuthority {
    return new LeaseAuthority({
      clock: () => this.#time,
      leaseOverMs: LEASE_OVER_MS,
      amount: (counter) => {
        const limit = this.limits.get(counter);
        return limit && !limit.isRemoved ? limit.amount : 0;
      },
      recall: (places) => {
        if (!this.#isReplaying) this.#recall(places);
      },
    });
  }

  #commit<Result>(work: (database: SimulatedDatabase) => Result): Result {
    if (!this.#keepsCommits) return work(this);
    const time = this.#time;
    this.#commits.push((database) => {
      database.setTime(time);
      work(database);
    });
    return work(this);
  }
}

/** An ended call on its way into the ledger. */
export interface ShippedCall {
  readonly id: number;
  readonly uses: readonly ShippedUse[];
}
