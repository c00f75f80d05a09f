import { type Entry, isUncertain } from '../domain/usage/call.ts';
import { MINUTE_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { EntryStore } from '../storage/entry-store.ts';
import { claimedJob } from './claimed-job.ts';
import type { Job } from './schedule.ts';
import { effectiveEntry } from '../storage/effective-entry.ts';
import type { Records } from '../storage/records/records.ts';
import type { RecordedEntry, UsageQueries } from '../storage/usage-queries.ts';

/** An older call is asked about less often. */
const OFTEN_MS = 20 * MINUTE_MS;
const SELDOM_MS = 5 * MINUTE_MS;
const PAGE_ROWS = 200;
/** Calls that are open at the same time; further ones wait. */
const OPEN_MAX = 2_000;

/** Times of the next questions about calls on which the provider still works, by call. */
export class OpenCalls {
  /** The ledger may have calls that are not known here. */
  #isUnseen = true;
  #dueAt = new Map<string, number>();

  isAnyDue(now: number): boolean {
    return this.#isUnseen || [...this.#dueAt.values()].some((at) => at <= now);
  }

  notice(): void {
    this.#isUnseen = true;
  }

  /** Replaces the known calls with the result of `list`. A call that is noticed meanwhile is looked for by the next run. */
  async relist(list: () => Promise<RecordedEntry[]>): Promise<RecordedEntry[]> {
    this.#isUnseen = false;
    try {
      const calls = await list();
      this.#dueAt = new Map(calls.map(({ entry: { callId } }) => [callId, this.#dueAt.get(callId) ?? 0]));
      return calls;
    } catch (error) {
      this.#isUnseen = true;
      throw error;
    }
  }

  isDue({ callId }: Entry, now: number): boolean {
    return (this.#dueAt.get(callId) ?? 0) <= now;
  }

  /** Asks again later. */
  later({ callId, startedAt }: Entry, now: number): void {
    this.#dueAt.set(callId, now + (now - startedAt < OFTEN_MS ? 0 : SELDOM_MS));
  }

  giveUp({ callId }: Entry): void {
    this.#dueAt.set(callId, Infinity);
  }
}

/** Parts of a job that reads the ends of open calls from their providers. */
export interface OpenCallParts {
  readonly records: {
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
    readonly keys: Pick<Records['keys'], 'findForGateway'>;
    readonly jobs: Records['jobs'];
  };
  readonly reports: Pick<UsageQueries, 'entriesPage'>;
  readonly entries: Pick<EntryStore, 'adjust'>;
  readonly prices: Pick<PriceBook, 'resolve' | 'contracts'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
}

/** `later`: the provider still works, or could not be asked now; `never`: the call is gone, or its cost stays unknown. */
export type OpenCallOutcome = 'done' | 'later' | 'never';

interface OpenCallsWork extends WantedCalls {
  readonly name: string;
  readonly everyMs: number;
  readonly open: OpenCalls;
  ask(recorded: RecordedEntry, signal: AbortSignal): Promise<OpenCallOutcome>;
}

/** Asks about each open call that is due, by one process at a time. Calls are found in the ledger, so that a restart forgets none. */
export function openCallsJob(parts: OpenCallParts, work: OpenCallsWork): Job {
  const { name, everyMs, open } = work;
  const run = (signal: AbortSignal): Promise<void> => askDue(parts, work, signal);
  const job = claimedJob(parts, { name, everyMs, run }, { apartMs: 0 });
  return { ...job, run: (signal) => (open.isAnyDue(parts.clock()) ? job.run(signal) : Promise.resolve()) };
}

async function askDue(parts: OpenCallParts, work: OpenCallsWork, signal: AbortSignal): Promise<void> {
  const { open, ask } = work;
  for (const recorded of await open.relist(() => listOpenCalls(parts, work))) {
    if (signal.aborted) return;
    const now = parts.clock();
    if (!open.isDue(recorded.entry, now)) continue;
    const outcome = await ask(recorded, signal);
    if (outcome === 'later') open.later(recorded.entry, now);
    else if (outcome === 'never') open.giveUp(recorded.entry);
  }
}

interface ListParts {
  readonly records: { readonly workspaces: Pick<Records['workspaces'], 'list'> };
  readonly reports: Pick<UsageQueries, 'entriesPage'>;
  readonly clock: Clock;
}

interface WantedCalls {
  readonly lookedMs: number;
  isOf(entry: Entry): boolean;
}

/** Lists calls on which the provider still works. */
async function listOpenCalls(
  { records, reports, clock }: ListParts,
  { lookedMs, isOf }: WantedCalls,
): Promise<RecordedEntry[]> {
  const open: RecordedEntry[] = [];
  const range = { start: clock() - lookedMs, end: clock() + 1 };
  for (const { id } of await records.workspaces.list())
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const query = { range, filter: { uncertain: true, source: 'proxy' as const }, cursor, limit: PAGE_ROWS };
      const page: Awaited<ReturnType<UsageQueries['entriesPage']>> = await reports.entriesPage(id, query);
      open.push(...page.rows.filter((recorded) => isOf(recorded.entry) && isStillOpen(recorded)));
      if (open.length >= OPEN_MAX) return open.slice(0, OPEN_MAX);
      cursor = page.next;
    }
  return open;
}

function isStillOpen(recorded: RecordedEntry): boolean {
  return recorded.entry.uncertainReason === 'background' && isUncertain(effectiveEntry(recorded));
}
