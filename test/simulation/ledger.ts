import { jobClock } from '../../src/ledger/job-clock.ts';
import { LimitService, type LimitServiceParts } from '../../src/ledger/limit-service.ts';
import type { LimitMessageToGateway, LimitMessageToLedger } from '../../src/ipc/messages.ts';
import { createShipper, type EntryShipper } from '../../src/ledger/ship.ts';
import { withCounterEvents } from '../../src/ledger/append-entries.ts';
import type { Alert } from '../../src/domain/alerts/alert.ts';
import type { CallAmounts, Entry } from '../../src/domain/usage/call.ts';
import { isOnDemand, type Limit, type ZoneChange } from '../../src/domain/limits/limit.ts';
import { recountLimits, releaseUncertainJob } from '../../src/jobs/limit-counters.ts';
import { openMemoryStore } from '../support/memory-store/memory-store.ts';
import type { LedgerStore } from '../../src/storage/store.ts';
import type { Disk } from './disk.ts';
import { pricedAs } from './provider.ts';
import type { SimulatedTime } from './time.ts';
import type { Change } from './changes.ts';
import { type Truth, WORKSPACES } from './truth.ts';
import { placeKey } from './true-call.ts';
import { must, Violation } from './violation.ts';
import type { Workspace } from '../../src/storage/records/workspaces.ts';
import type { StoredAlert } from '../../src/storage/records/alerts.ts';
import type { EntryStore } from '../../src/storage/entry-store.ts';

/** What the book has on its own disk: it outlives processes. */
export class LedgerDisk {
  readonly store: LedgerStore = openMemoryStore();
  limits: Limit[] = [];
  readonly zones: Record<string, readonly ZoneChange[]> = {};
  lastCounter = 0;
  lastAdjustment = 0;
  /** Alerts of models that passed their bound, by episode; those that somebody has read stay away. */
  readonly #overruns = new Map<string, StoredAlert | null>();

  get unread(): StoredAlert[] {
    return [...this.#overruns.values()].filter((alert) => alert !== null);
  }

  raise(alert: Alert): void {
    if (alert.type === 'OVERRUN' && this.#overruns.get(alert.episode) !== null)
      this.#overruns.set(alert.episode, { id: alert.episode, readAt: null, resolvedAt: null, ...alert });
  }

  read({ episode }: Alert): void {
    this.#overruns.set(episode, null);
  }
}

/** Of a call that was never sent. */
const NOTHING: CallAmounts = { usd: 0, inputTokens: 0, outputTokens: 0 };

/** What goes wrong with the store's next transaction: it is refused, or done and not said, or that a past is counted. */
export type StoreFault = 'refuse' | 'say_so' | 'forget_past';

/** A message with what is true of it. */
export interface LedgerMessage {
  readonly message: LimitMessageToGateway;
  readonly changes: readonly Change[];
}

export interface SimulatedLedgerParts {
  readonly disk: LedgerDisk;
  readonly journal: Disk;
  readonly time: SimulatedTime;
  readonly truth: Truth;
  readonly send: (message: LedgerMessage) => void;
  readonly shipped: (mark: number) => void;
  /** Everything that the gate has said so far. */
  readonly hear: () => void;
  /** A planted bug: the mark goes on though the transaction failed. */
  readonly marksEarly: boolean;
}

/** The book's thread of one process: the real shipper and the real desk, over the store in memory. */
export class SimulatedLedger {
  readonly limits: LimitService;
  fault: StoreFault | null = null;
  readonly #parts: SimulatedLedgerParts;
  readonly #shipper: EntryShipper;
  readonly #store: EntryStore;
  readonly #jobClock: () => number;
  /** Ended calls that it may still read in this step. */
  #allowance = 0;
  /** What is true of what is told next. */
  #changes: readonly Change[] = [];
  #violation: Error | null = null;
  /** Whose past is told next. */
  #installed: Extract<LimitMessageToLedger, { type: 'limit-installed' }> | null = null;

  constructor(parts: SimulatedLedgerParts) {
    const { disk, journal, time, shipped, hear: receive } = parts;
    this.#parts = parts;
    this.#jobClock = jobClock(
      () => time.wall,
      () => time.uptime,
    );
    this.#store = withCounterEvents(disk.store.entries, { change: (work) => this.limits.change(work) });
    const records = limitRecords(disk);
    const pastCounted = (counter: number): Promise<void> => {
      if (!this.#fails('forget_past')) return records.limits.markBackfilled(counter);
      return Promise.reject(new Error('the records are busy'));
    };
    this.limits = new LimitService({
      records: { ...records, limits: { ...records.limits, markBackfilled: pastCounted } },
      counters: {
        ...disk.store.counters,
        backfill: (limit, window, priced) => {
          try {
            this.#changes = parts.truth.countPast(limit, window);
          } catch (error) {
            if (error instanceof Violation) this.#violation = error;
            throw error;
          }
          return disk.store.counters.backfill(limit, window, priced);
        },
      },
      reports: disk.store.reports,
      providers: new Map(),
      clock: () => time.wall,
      pricedAs: () => (_provider, model) => pricedAs(model),
      sendToGateway: (message) => {
        const installed = this.#installed;
        const limit = installed && disk.limits.find(({ counter }) => counter === installed.counter);
        if (message.type === 'limit-backfilled' && installed && limit && isOnDemand(limit))
          this.#changes = parts.truth.countPast(limit, installed);
        parts.send({ message, changes: this.#changes });
      },
      scheduler: time,
    });
    const reader = journal.reader();
    this.#shipper = createShipper({
      reader: { ...reader, readEnded: (after, limit) => reader.readEnded(after, Math.min(limit, this.#allowance)) },
      store: { append: (batch) => this.#append(batch), mark: (id) => this.#store.mark(id) },
      takeMessages: receive,
      batchEntriesMax: 5,
      retryMs: 1,
      // What fails is tried again, but not what shows that something is wrong.
      wait: async () => {
        if (this.#violation !== null) throw this.#violation;
      },
      onProblem: () => {},
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
  hear(message: LimitMessageToLedger): void {
    if (message.type === 'limit-installed')
      this.#shipper.stopAt(message.endSeq, () => {
        this.#installed = message;
        return this.limits.installed(message);
      });
    if (message.type === 'ask-agents') this.#shipper.stopAt(message.endSeq, () => this.limits.readAgents(message));
    if (message.type === 'ask-counters') this.#shipper.stopAt(message.endSeq, () => this.limits.readCounters(message));
  }

  /** A price was corrected, or somebody says what an uncertain call came to: the provider's own bill. */
  async correct(callId: string, cost: number | null): Promise<void> {
    const { truth, disk, time } = this.#parts;
    const call = truth.calls.get(callId);
    const recorded = call && (await disk.store.reports.entry(call.subject.workspaceId, callId));
    const bill = call?.provided?.bill ?? NOTHING;
    if (!call || !recorded || !call.counted) return;
    const isResolved = cost === null;
    const isUncertain = !isResolved && call.uncertain !== null;
    // Limits keep counting all that an uncertain call may have cost.
    const usd = isUncertain ? Math.max(call.first?.counted?.usd ?? 0, cost) : cost;
    const counted = isResolved ? bill : { ...call.counted, usd };
    const uncertain = isUncertain && call.uncertain ? { ...call.uncertain, usd: (usd ?? 0) - cost } : null;
    const { entry, adjustments } = recorded;
    disk.lastAdjustment += 1;
    this.#changes = truth.corrected(call, counted, uncertain);
    await this.#store.adjust([
      {
        adjustmentId: `adjustment-${disk.lastAdjustment}`,
        callId,
        workspaceId: entry.workspaceId,
        recordedAt: time.wall,
        costBefore: adjustments.length > 0 ? (adjustments.at(-1)?.costAfter ?? null) : entry.cost,
        costAfter: isResolved ? bill.usd : cost,
        provenance: { from: 'price', versions: ['corrected'] },
        reason: 'simulation',
        ...(isResolved && { resolved: { inputTokens: bill.inputTokens, outputTokens: bill.outputTokens } }),
      },
    ]);
  }

  /** Limits that release uncertain amounts after a while do. */
  async release(): Promise<void> {
    const { truth, disk } = this.#parts;
    const { counters } = disk.store;
    const job = releaseUncertainJob({
      records: limitRecords(disk),
      counters: {
        ...counters,
        release: (workspaceId, due) => {
          this.#changes = truth.release(due, workspaceId);
          return counters.release(workspaceId, due);
        },
      },
      raise: () => Promise.resolve(),
      change: (work) => this.limits.change(work),
      clock: this.#jobClock,
    });
    await job.run(new AbortController().signal);
  }

  /** The product's own comparison of counters with entries. */
  async recount(now: number): Promise<void> {
    const { disk } = this.#parts;
    const { counters } = disk.store;
    const { differences } = await recountLimits({ records: limitRecords(disk), counters, clock: () => now });
    for (const { limit, counted, expected } of differences)
      must(false, () => `8: ${limit.id} (${limit.unit}) holds ${counted}, counted again it is ${expected}`);
  }

  /** The ledger has every refused call once. */
  async checkRefusals(): Promise<void> {
    const { disk, truth } = this.#parts;
    const asked = { range: { start: 0, end: Number.MAX_SAFE_INTEGER }, filter: {}, cursor: null, limit: 1_000_000 };
    const pages = await Promise.all(WORKSPACES.map((workspace) => disk.store.refusals.page(workspace, asked)));
    truth.refusals.checkRecords(pages.flatMap(({ rows }) => rows));
  }

  /** The book has every end up to its mark, and counters of limits that are there hold what their calls come to. */
  async check(): Promise<void> {
    const { disk, truth, journal } = this.#parts;
    const mark = await this.#store.mark(journal.journalId);
    for (const { callId, seq, isRefused } of journal.all())
      must(
        seq === 0 ||
          seq > mark ||
          (isRefused ? truth.refusals.isBooked(callId) : truth.calls.get(callId)?.isShipped === true),
        () => `7: the mark is ${mark}, and the book lacks ${callId}, which ended as number ${seq}`,
      );
    const states = await disk.store.counters.list(0);
    const held = new Map(states.map((state) => [placeKey(state), state]));
    const inBook = truth.inLedger();
    for (const limit of disk.limits)
      for (const [key, { counted, uncertain }] of inBook)
        if (key.startsWith(`${limit.counter} `) && !truth.releases.tooHigh.has(key))
          must(
            Number(held.get(key)?.counted ?? 0) === counted && Number(held.get(key)?.uncertain ?? 0) === uncertain,
            () =>
              `8: the book holds ${held.get(key)?.counted}, ${held.get(key)?.uncertain} uncertain, for ${limit.id} (${limit.unit} ${key}); its entries come to ${counted}, ${uncertain}`,
          );
  }

  async #append(batch: Parameters<EntryStore['append']>[0]): ReturnType<EntryStore['append']> {
    const { marksEarly } = this.#parts;
    if (this.#fails('refuse')) {
      if (marksEarly) await this.#store.append({ ...batch, entries: [] });
      throw new Error('the store is busy');
    }
    const before = await this.#store.mark(batch.journalId);
    this.#changes = batch.entries.flatMap((entry) => this.#recorded(entry));
    const appended = await this.#store.append(batch);
    for (const call of batch.refused ?? []) this.#parts.truth.refusals.booked(call);
    must((await this.#store.mark(batch.journalId)) >= before, () => '7: the mark falls');
    if (this.#fails('say_so')) throw new Error('the store did not answer');
    return appended;
  }

  /** Once. */
  #fails(fault: StoreFault): boolean {
    const fails = this.fault === fault;
    if (fails) this.fault = null;
    return fails;
  }

  #recorded({ callId, touched }: Entry): Change[] {
    const { truth } = this.#parts;
    const { calls } = truth;
    const call = calls.get(callId);
    must(call !== undefined, () => `7: ${callId} is booked and never was`);
    if (call.isShipped) return [];
    call.isShipped = true;
    if (call.recorded.size === 0)
      for (const [key, place] of call.places) if (place.unit !== 'concurrency') call.recorded.set(key, place);
    const named = touched.map((touch) => placeKey(touch)).toSorted();
    const places = [...call.recorded.keys()].toSorted();
    must(named.join() === places.join(), () => `8: ${callId} names ${named.join()}, it counts under ${places.join()}`);
    return truth.booked(call);
  }
}

function limitRecords(disk: LedgerDisk): LimitServiceParts['records'] {
  const limits = {
    all: () => Promise.resolve(disk.limits),
    list: (workspaceId: string) => Promise.resolve(disk.limits.filter((limit) => limit.workspaceId === workspaceId)),
    byCounter: (counter: number) => Promise.resolve(disk.limits.find((limit) => limit.counter === counter) ?? null),
    pendingBackfills: () =>
      Promise.resolve(new Set(disk.limits.filter(({ countsPast }) => !countsPast).map(({ counter }) => counter))),
    releasing: () => Promise.resolve(disk.limits.filter(({ uncertain }) => uncertain !== 'keep')),
    markBackfilled: (counter: number) => {
      disk.limits = disk.limits.map((limit) => (limit.counter === counter ? { ...limit, countsPast: true } : limit));
      return Promise.resolve();
    },
  } satisfies Partial<LimitServiceParts['records']['limits']>;
  const workspaces = { list: () => Promise.resolve(WORKSPACES.map((id) => ({ id }) as Workspace)) };
  const alerts = { unread: () => Promise.resolve(disk.unread), list: () => Promise.resolve([]) };
  return { limits, workspaces, alerts } as unknown as LimitServiceParts['records'];
}
