import { LimitDesk, type LimitDeskParts } from '../../src/book/limit-desk.ts';
import type { LimitToBook, LimitToGate } from '../../src/book/limit-messages.ts';
import { createShipper, type Shipper } from '../../src/book/ship.ts';
import { tellingMoves } from '../../src/book/telling-moves.ts';
import type { Amounts, Entry } from '../../src/core/call.ts';
import type { CounterMove, Limit, ZoneChange } from '../../src/core/limit.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Workspace } from '../../src/storage/records/records.ts';
import type { EntryStore, Store } from '../../src/storage/store.ts';
import type { Disk } from './disk.ts';
import { pricedAs } from './provider.ts';
import type { SimulatedTime } from './time.ts';
import { type Change, type Truth, WORKSPACES } from './truth.ts';
import { keyOf } from './true-call.ts';
import { must } from './violation.ts';

/** What the book has on its own disk: it outlives processes. */
export class BookDisk {
  readonly store: Store = openMemoryStore();
  limits: Limit[] = [];
  readonly zones: Record<string, readonly ZoneChange[]> = {};
  lastCounter = 0;
  lastAdjustment = 0;
}

/** Of a call that was never sent. */
const NOTHING: Amounts = { usd: 0, inputTokens: 0, outputTokens: 0 };

/** What goes wrong with the store's next transaction. */
export type StoreFault = 'refuse' | 'say_so';

/** A message with what is true of it. */
export interface ToGate {
  readonly message: LimitToGate;
  readonly changes: readonly Change[];
}

export interface BookParts {
  readonly disk: BookDisk;
  readonly journal: Disk;
  readonly time: SimulatedTime;
  readonly truth: Truth;
  readonly tell: (message: ToGate) => void;
  readonly shipped: (mark: number) => void;
  /** Everything that the gate has said so far. */
  readonly hear: () => void;
}

/** The book's thread of one process: the real shipper and the real desk, over the store in memory. */
export class Book {
  readonly desk: LimitDesk;
  fault: StoreFault | null = null;
  readonly #parts: BookParts;
  readonly #shipper: Shipper;
  readonly #store: EntryStore;
  /** Ended calls that it may still read in this step. */
  #allowance = 0;
  #moves: readonly CounterMove[] = [];
  #past: readonly Change[] = [];

  constructor(parts: BookParts) {
    const { disk, journal, time, shipped, hear } = parts;
    this.#parts = parts;
    this.#store = tellingMoves(disk.store.entries, (moves) => {
      this.#moves = moves;
    });
    this.desk = new LimitDesk({
      records: recordsOf(disk),
      counters: {
        ...disk.store.counters,
        countPast: (limit, window, priced) => {
          this.#past = parts.truth.countPast(limit, window);
          return disk.store.counters.countPast(limit, window, priced);
        },
      },
      reports: disk.store.reports,
      clock: () => time.wall,
      pricedAs: () => (_provider, model) => pricedAs(model),
      tellGate: (message) => parts.tell({ message, changes: message.type === 'limit-past' ? this.#past : [] }),
      scheduler: time,
    });
    const reader = journal.reader();
    this.#shipper = createShipper({
      reader: { ...reader, readEnded: (after, limit) => reader.readEnded(after, Math.min(limit, this.#allowance)) },
      store: { append: (batch) => this.#append(batch), mark: (id) => this.#store.mark(id) },
      hear,
      batchEntriesMax: 5,
      retryMs: 1,
      wait: () => Promise.resolve(),
      onTrouble: () => {},
      onMissing: () => {},
      onShipped: (mark) => {
        must(
          mark >= journal.prunedTo,
          () => `7: the journal dropped ends up to ${journal.prunedTo}, the mark is ${mark}`,
        );
        shipped(mark);
      },
    });
  }

  /** All that the journal has. */
  async start(): Promise<void> {
    this.#allowance = Number.MAX_SAFE_INTEGER;
    await this.#shipper.start();
    await this.#shipper.caughtUp();
    this.#allowance = 0;
    await this.check();
  }

  /** So many more ended calls. */
  async ship(calls: number): Promise<void> {
    this.#allowance = calls;
    this.#shipper.poke();
    await this.#shipper.caughtUp();
    this.#allowance = 0;
    await this.check();
  }

  /** Without waiting for what comes of it. */
  hear(message: LimitToBook): void {
    if (message.type === 'limit-installed') this.#shipper.stopAt(message.endSeq, () => this.desk.installed(message));
  }

  /** A price was corrected, or somebody says what an uncertain call came to: the provider's own bill. */
  async correct(callId: string, cost: number | null): Promise<void> {
    const { truth, disk, time, tell } = this.#parts;
    const call = truth.calls.get(callId);
    const booked = call && (await disk.store.reports.entry(call.subject.workspaceId, callId));
    const bill = call?.provided?.bill ?? NOTHING;
    if (!call || !booked || !call.counted) return;
    const isResolved = cost === null;
    const counted = isResolved ? bill : { ...call.counted, usd: cost };
    const { entry, adjustments } = booked;
    disk.lastAdjustment += 1;
    await this.#store.adjust([
      {
        adjustmentId: `adjustment-${disk.lastAdjustment}`,
        callId,
        workspaceId: entry.workspaceId,
        recordedAt: time.wall,
        costBefore: adjustments.length > 0 ? (adjustments.at(-1)?.costAfter ?? null) : entry.cost,
        costAfter: counted.usd,
        priceVersion: 'corrected',
        reason: 'simulation',
        ...(isResolved && { resolved: { inputTokens: bill.inputTokens, outputTokens: bill.outputTokens } }),
      },
    ]);
    const changes = truth.corrected(call, counted, null);
    if (this.#moves.length > 0) tell({ message: { type: 'counters-moved', moves: this.#moves }, changes });
  }

  /** Every counter of a limit that is there holds what its calls come to. */
  async check(): Promise<void> {
    const { disk, truth } = this.#parts;
    const states = await disk.store.counters.list(0);
    const held = new Map(states.map((state) => [keyOf(state), state]));
    const booked = truth.booked();
    for (const limit of disk.limits)
      for (const [key, { counted, uncertain }] of booked)
        if (key.startsWith(`${limit.counter} `))
          must(
            Number(held.get(key)?.counted ?? 0) === counted && Number(held.get(key)?.uncertain ?? 0) === uncertain,
            () =>
              `8: the book holds ${held.get(key)?.counted}, ${held.get(key)?.uncertain} uncertain, for ${limit.id} (${limit.unit} ${key}); its entries come to ${counted}, ${uncertain}`,
          );
  }

  async #append(batch: Parameters<EntryStore['append']>[0]): ReturnType<EntryStore['append']> {
    const { fault } = this;
    this.fault = null;
    if (fault === 'refuse') throw new Error('the store is busy');
    const before = await this.#store.mark(batch.journalId);
    for (const entry of batch.entries) this.#booked(entry);
    const appended = await this.#store.append(batch);
    must((await this.#store.mark(batch.journalId)) >= before, () => '7: the mark falls');
    if (fault === 'say_so') throw new Error('the store did not answer');
    return appended;
  }

  #booked({ callId, touched }: Entry): void {
    const { calls } = this.#parts.truth;
    const call = calls.get(callId);
    must(call !== undefined, () => `7: ${callId} is booked and never was`);
    if (call.isShipped) return;
    call.isShipped = true;
    if (call.booked.size === 0)
      for (const [key, place] of call.places) if (place.unit !== 'concurrency') call.booked.set(key, place);
    const named = touched.map((touch) => keyOf(touch)).toSorted();
    const places = [...call.booked.keys()].toSorted();
    must(named.join() === places.join(), () => `8: ${callId} names ${named.join()}, it counts under ${places.join()}`);
  }
}

function recordsOf(disk: BookDisk): LimitDeskParts['records'] {
  const limits = {
    all: () => Promise.resolve(disk.limits),
    list: (workspaceId: string) => Promise.resolve(disk.limits.filter((limit) => limit.workspaceId === workspaceId)),
    byCounter: (counter: number) => Promise.resolve(disk.limits.find((limit) => limit.counter === counter) ?? null),
    pastCounted: (counter: number) => {
      disk.limits = disk.limits.map((limit) => (limit.counter === counter ? { ...limit, countsPast: true } : limit));
      return Promise.resolve();
    },
  };
  const workspaces = { list: () => Promise.resolve(WORKSPACES.map((id) => ({ id }) as Workspace)) };
  const alerts = { unread: () => Promise.resolve([]) };
  return { limits, workspaces, alerts } as unknown as LimitDeskParts['records'];
}
