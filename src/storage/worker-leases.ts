import { amountAt, type CounterPlace, type Limit } from '../domain/limits/limit.ts';
import { addWhole, subtractWhole, type WholeAmount } from '../domain/money/money.ts';
import type { CounterGrants } from '../leases/counter-head.ts';
import { counterKey, type LeaseAnswer, type LeaseRefusal, type LeaseRequest } from '../leases/exchange.ts';
import { LeaseAuthority, NO_EPOCH, type PastWindows, type ShippedUse } from '../leases/lease-authority.ts';
import type { LeaseRegistration } from '../leases/node-leases.ts';
import type { Clock } from '../lib/clock.ts';
import { TurnQueue } from '../lib/concurrency/turn-queue.ts';
import type { CounterStore, IdleCheck } from './counter-store.ts';
import type { AppendResult, EntryBatch, EntryStore } from './entry-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { LedgerStore } from './store.ts';

/** Counters that are read in one turn. */
const READ_MAX = 500;

export interface WorkerLeaseParts {
  readonly store: Pick<LedgerStore, 'counters'> & { readonly entries: Pick<EntryStore, 'mark'> };
  /** Time of windows. */
  readonly clock: Clock;
  /** Asks all workers to return what they don't use of these counters. */
  readonly recall: (places: readonly CounterPlace[]) => void;
  /** Defaults are those of `LeaseAuthority`. */
  readonly leaseOverMs?: number;
  readonly nodesMax?: number;
}

/** A process of a worker, as it last registered. */
interface WorkerProcess {
  epoch: number;
  /** Its calls are counted up to this position of its journal. */
  mark: number;
}

/** Calls that were stored, and may not be counted here yet. */
interface StoredBatch {
  readonly places: readonly CounterPlace[];
  /** null = the change is of no worker. */
  readonly node: string | null;
}

/**
 * The authority of the workers of one service: in memory, over the counters that the ledger stores. As in PostgreSQL, `base` and
 * all `used` of a counter are together what the ledger has counted: a counter begins with that, and each change of the store
 * is followed in the same turn. It knows nothing of grants before its process began, so every journal must be in the ledger,
 * with the ends of calls that dead workers left open, before the first worker registers.
 */
export class WorkerLeases implements LeaseStore {
  readonly #parts: WorkerLeaseParts;
  readonly #authority: LeaseAuthority;
  readonly #limits = new Map<string, Limit>();
  /** The same by the number of their counters. */
  readonly #byCounter = new Map<number, Limit>();
  readonly #processes = new Map<string, WorkerProcess>();
  readonly #turns = new TurnQueue();
  /** In the order of their transactions. More than the current one only after a failure. */
  #uncounted: StoredBatch[] = [];

  constructor(parts: WorkerLeaseParts) {
    this.#parts = parts;
    const { clock } = parts;
    const amount = (counter: number): number => {
      const limit = this.#byCounter.get(counter);
      return limit ? amountAt(limit, clock()) : 0;
    };
    this.#authority = new LeaseAuthority({ ...parts, amount });
  }

  /** Notes that a limit is there, or has changed. It is in force once `isInForce` says so. */
  limitChanged(limit: Limit): void {
    const before = this.#limits.get(limit.id);
    if (before) this.#byCounter.delete(before.counter);
    this.#limits.set(limit.id, limit);
    this.#byCounter.set(limit.counter, limit);
    this.#authority.change();
  }

  limitRemoved(id: string): void {
    const before = this.#limits.get(id);
    if (before) this.#byCounter.delete(before.counter);
    this.#limits.delete(id);
    this.#authority.change();
  }

  async time(): Promise<number> {
    return this.#parts.clock();
  }

  async register(node: string, epoch: number): Promise<LeaseRegistration> {
    return await this.#turns.run(async () => {
      const known = this.#processes.get(node);
      const mark = known?.mark ?? (await this.#parts.store.entries.mark(node));
      const registration = this.#authority.register(node, epoch);
      // What was shipped before is in the counters that the ledger has.
      if (!known) this.#authority.ship(node, epoch, 0, mark, []);
      this.#processes.set(node, { epoch, mark });
      return registration;
    });
  }

  async exchange(request: LeaseRequest): Promise<LeaseAnswer | LeaseRefusal> {
    return await this.#turns.run(async () => {
      await this.#countStored();
      await this.#open(request.items);
      return this.#authority.exchange(request);
    });
  }

  async leave(node: string, epoch: number): Promise<void> {
    this.#authority.leave(node, epoch);
  }

  /** Notes that a worker's process has ended, however it did: it admits no calls any more. */
  gone(node: string): void {
    const known = this.#processes.get(node);
    if (known) this.#authority.leave(node, known.epoch);
  }

  async forget(node: string, unknown: 'count' | 'free'): Promise<boolean> {
    const isForgotten = this.#authority.forget(node, unknown);
    const known = this.#processes.get(node);
    // Its calls may still be shipped.
    if (isForgotten && known) known.epoch = NO_EPOCH;
    return isForgotten;
  }

  async changes(): Promise<number> {
    return this.#authority.changes;
  }

  async isInForce(change: number): Promise<boolean> {
    return this.#authority.isInForce(change);
  }

  async promote(generation: number): Promise<void> {
    this.#authority.promote(generation);
  }

  async standings(counters: readonly number[]): Promise<CounterGrants[]> {
    const asked = new Set(counters);
    return Array.from(this.#authority.standings()).filter(({ place }) => asked.has(place.counter));
  }

  async prune(old: readonly PastWindows[]): Promise<void> {
    this.#authority.prune(old);
  }

  async pruneIdle({ counter, before }: IdleCheck): Promise<null> {
    return await this.#turns.run(async () => {
      await this.#countStored();
      this.#authority.pruneIdle(counter, before);
      return null;
    });
  }

  async keepOnly(counters: readonly number[]): Promise<void> {
    this.#authority.keepOnly(counters);
  }

  /** Returns the store whose changes of counters this authority follows. */
  follow(store: LedgerStore): LedgerStore {
    return { ...store, entries: this.#followEntries(store.entries), counters: this.#followCounters(store.counters) };
  }

  #followEntries(entries: EntryStore): EntryStore {
    return {
      ...entries,
      append: (batch) => this.#append(batch, () => entries.append(batch)),
      adjust: (adjustments, by) =>
        this.#change(
          () => entries.adjust(adjustments, by),
          ({ moves }) => moves,
        ),
    };
  }

  #followCounters(counters: CounterStore): CounterStore {
    const all = (counter: number) => () => this.#known(counter);
    return {
      ...counters,
      backfill: (limit, window, pricedAs) =>
        this.#change(() => counters.backfill(limit, window, pricedAs), all(limit.counter)),
      release: (workspaceId, due) =>
        this.#change(
          () => counters.release(workspaceId, due),
          ({ moves }) => moves,
        ),
      pruneIdle: (check) => this.#change(() => counters.pruneIdle(check), all(check.counter)),
    };
  }

  /** Stores calls of a worker, and counts them under its grants. */
  async #append(batch: EntryBatch, store: () => Promise<AppendResult>): Promise<AppendResult> {
    const { journalId: node, mark, entries } = batch;
    return await this.#turns.run(async () => {
      await this.#countStored();
      const places = new Map(entries.flatMap(({ touched }) => touched.map((ref) => [counterKey(ref), ref] as const)));
      const counted = [...places.values()].filter(({ counter }) => this.#byCounter.get(counter)?.action === 'block');
      await this.#open(counted);
      // Before: a transaction that failed may have been committed.
      this.#uncounted.push({ places: counted, node });
      const result = await store();
      await this.#countStored();
      this.#ship(node, mark, []);
      return result;
    });
  }

  async #change<Result>(
    work: () => Promise<Result>,
    places: (result: Result) => readonly CounterPlace[],
  ): Promise<Result> {
    return await this.#turns.run(async () => {
      await this.#countStored();
      const result = await work();
      this.#uncounted.push({ places: places(result), node: null });
      await this.#countStored();
      return result;
    });
  }

  #known(counter: number): CounterPlace[] {
    return Array.from(this.#authority.standings(), ({ place }) => place).filter((place) => place.counter === counter);
  }

  /** Opens counters that are new here. They begin with what the ledger has counted. */
  async #open(items: readonly CounterPlace[]): Promise<void> {
    const unknown = items.filter((item) => !this.#authority.standing(counterKey(item)));
    if (unknown.length === 0) return;
    for (const { counted, ...place } of await this.#parts.store.counters.read(unknown))
      this.#authority.correct(place, Number(counted));
  }

  /** Counts what was stored: all that the ledger counts more than this authority knows. */
  async #countStored(): Promise<void> {
    for (let [batch] = this.#uncounted; batch; [batch] = this.#uncounted) {
      const { places, node } = batch;
      const known = places.filter((place) => this.#authority.standing(counterKey(place)));
      for (let at = 0; at < known.length; at += READ_MAX) {
        const states = await this.#parts.store.counters.read(known.slice(at, at + READ_MAX));
        this.#count(
          node,
          states.map(({ counted, ...place }) => ({ place, counted: Number(subtractWhole(counted, this.#sum(place))) })),
        );
      }
      this.#uncounted = this.#uncounted.slice(1);
    }
  }

  /** Counts changes: of a worker under its grants, and all else for good. */
  #count(node: string | null, changes: readonly ShippedUse[]): void {
    const isOfProcess = node !== null && this.#processes.has(node);
    const uses = changes.filter(({ counted }) => isOfProcess && counted > 0);
    for (const change of changes)
      if (change.counted !== 0 && !uses.includes(change)) this.#authority.correct(change.place, change.counted);
    if (node !== null && uses.length > 0) this.#ship(node, this.#processes.get(node)?.mark ?? 0, uses);
  }

  #ship(node: string, to: number, uses: readonly ShippedUse[]): void {
    const known = this.#processes.get(node);
    if (!known) return;
    const { epoch, mark } = known;
    known.mark = Math.max(mark, to);
    if (this.#authority.ship(node, epoch, mark, known.mark, uses) !== known.mark)
      throw new Error(`The calls of the worker ${node} could not be counted.`);
  }

  /** Returns what the ledger has counted of one counter, as far as this authority knows. */
  #sum(place: CounterPlace): WholeAmount {
    const head = this.#authority.standing(counterKey(place));
    let sum: WholeAmount = head?.base ?? 0;
    for (const { used } of head?.grants.values() ?? []) sum = addWhole(sum, used);
    return sum;
  }
}
