import { type Entry, isUncertain } from '../domain/usage/call.ts';
import { MINUTE_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
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
export async function listOpenCalls(
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
