import { callPrices, type CallPrices } from '../prices/call-prices.ts';
import { type Entry, isUncertain } from '../domain/usage/call.ts';
import { TollbookError } from '../domain/errors.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { cardVersions } from '../domain/pricing/provenance.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import { DAY_MS, MINUTE_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { Adjustment, EntryStore } from '../storage/entry-store.ts';
import { claimedJob } from './claimed-job.ts';
import { fetchFromProvider, ProviderQuestionError, describeQuestionFailure } from './fetch-from-provider.ts';
import type { Job } from './schedule.ts';
import { effectiveEntry } from '../storage/effective-entry.ts';
import type { CallProblem } from '../storage/records/call-problems.ts';
import type { Records } from '../storage/records/records.ts';
import type { RecordedEntry, UsageQueries } from '../storage/usage-queries.ts';

/** An older call is asked about less often. */
const OFTEN_MS = 20 * MINUTE_MS;
const SELDOM_MS = 5 * MINUTE_MS;
const PROBLEM_KEPT_MS = 90 * DAY_MS;
const PAGE_ROWS = 200;

/** Decides when a job has calls to ask about. */
export class OpenCalls {
  /** The ledger may have calls that are not known here. */
  #isUnseen = true;
  #isFirst = true;
  #dueAt = Infinity;
  /** Time from which older calls are asked about again. */
  #olderAt = 0;

  isAnyDue(now: number): boolean {
    return this.#isUnseen || this.#dueAt <= now;
  }

  notice(): void {
    this.#isUnseen = true;
  }

  /** Begins a run. A call that is noticed meanwhile is looked for by the next one. */
  begin(now: number): OpenCallsRun {
    this.#isUnseen = false;
    this.#dueAt = Infinity;
    const [isFirst, asksOlder] = [this.#isFirst, now >= this.#olderAt];
    this.#isFirst = false;
    if (asksOlder) this.#olderAt = now + SELDOM_MS;
    return {
      isDue: ({ startedAt }, problem) => {
        if (problem) return problem.dueAt !== null && (isFirst || problem.dueAt <= now);
        return asksOlder || now - startedAt < OFTEN_MS;
      },
      later: ({ startedAt }, problem) => {
        const running = now - startedAt < OFTEN_MS ? now : this.#olderAt;
        const dueAt = problem ? (problem.dueAt ?? Infinity) : running;
        this.#dueAt = Math.min(this.#dueAt, dueAt);
      },
    };
  }
}

interface OpenCallsRun {
  isDue(entry: Entry, problem: CallProblem | undefined): boolean;
  /** Has the job look at the call again when it is due. */
  later(entry: Entry, problem: CallProblem | undefined): void;
}

/** Parts of a job that reads the ends of open calls from their providers. */
export interface OpenCallParts {
  readonly records: {
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
    readonly keys: Pick<Records['keys'], 'findForGateway'>;
    readonly callProblems: Records['callProblems'];
    readonly priceCards: Pick<Records['priceCards'], 'keep'>;
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

/** An open call, and what its end is read with. */
export interface OpenCall {
  readonly recorded: RecordedEntry;
  readonly provider: Provider;
  readonly key: GatewayKey;
  readonly prices: CallPrices;
}

/** `later`: the provider still works. */
export type OpenCallOutcome = 'done' | 'later' | OpenCallProblem;

/** Reason why the end of a call can't be read now. */
interface OpenCallProblem {
  /** A sentence. */
  readonly problem: string;
  /** Asking again can't help; absent = it may. */
  readonly isFinal?: true;
}

interface OpenCallsWork extends WantedCalls {
  readonly name: string;
  readonly everyMs: number;
  readonly open: OpenCalls;
  /** Longest pause after failed questions; it doubles with each. */
  readonly pauseMsMax: number;
  /** Failed questions in a row, after which a call is given up. */
  readonly failedAsksMax: number;
  ask(call: OpenCall, signal: AbortSignal): Promise<OpenCallOutcome>;
}

/**
 * Asks about each open call that is due, by one process at a time. Calls are found in the ledger, so that a restart forgets
 * none. If a question fails, the problem is noted for people, and the pause before the next one grows.
 */
export function openCallsJob(parts: OpenCallParts, work: OpenCallsWork): Job {
  const { name, everyMs, open } = work;
  const run = (signal: AbortSignal): Promise<void> => askDue(parts, work, signal);
  const job = claimedJob(parts, { name, everyMs, run }, { apartMs: 0 });
  return { ...job, run: (signal) => (open.isAnyDue(parts.clock()) ? job.run(signal) : Promise.resolve()) };
}

async function askDue(parts: OpenCallParts, work: OpenCallsWork, signal: AbortSignal): Promise<void> {
  const { records, clock } = parts;
  const run = work.open.begin(clock());
  try {
    for await (const calls of listOpenCalls(parts, work)) await askPage(parts, work, calls, run, signal);
    signal.throwIfAborted();
  } catch (error) {
    work.open.notice();
    if (!signal.aborted) throw error;
  }
  await records.callProblems.prune(clock() - PROBLEM_KEPT_MS);
}

async function askPage(
  parts: OpenCallParts,
  work: OpenCallsWork,
  calls: readonly RecordedEntry[],
  run: OpenCallsRun,
  signal: AbortSignal,
): Promise<void> {
  const { callProblems } = parts.records;
  const workspaceId = calls[0]?.entry.workspaceId ?? '';
  const ids = calls.map(({ entry }) => entry.callId);
  const problems = await callProblems.find(workspaceId, ids);
  for (const recorded of calls) {
    const { entry } = recorded;
    signal.throwIfAborted();
    const known = problems.get(entry.callId);
    if (!run.isDue(entry, known)) {
      run.later(entry, known);
      continue;
    }
    const outcome = await askAboutOpenCall(parts, work, recorded, signal);
    signal.throwIfAborted();
    const isOpen = typeof outcome === 'object';
    const problem = isOpen ? await noteProblem(parts, work, entry, outcome, known) : undefined;
    if (known && !isOpen) await callProblems.clear(workspaceId, entry.callId);
    if (outcome !== 'done') run.later(entry, problem);
  }
}

async function askAboutOpenCall(
  { records, providers, prices }: OpenCallParts,
  { ask }: OpenCallsWork,
  recorded: RecordedEntry,
  signal: AbortSignal,
): Promise<OpenCallOutcome> {
  const { entry } = recorded;
  const provider = providers.get(entry.provider);
  if (!provider) return { problem: `The provider "${entry.provider}" was removed.` };
  try {
    const key = await records.keys.findForGateway(entry.keyId);
    if (!key || key.providerKey === '')
      return { problem: 'Its wrapped key was revoked, and the provider answers no other.', isFinal: true };
    return await ask({ recorded, provider, key, prices: callPrices(prices, entry, provider.priceProvider) }, signal);
  } catch (error) {
    return { problem: describeQuestionFailure(provider, error) };
  }
}

async function noteProblem(
  { records, clock, log }: OpenCallParts,
  { pauseMsMax, failedAsksMax }: OpenCallsWork,
  { callId, workspaceId, responseId }: Entry,
  { problem, isFinal }: OpenCallProblem,
  known: CallProblem | undefined,
): Promise<CallProblem> {
  const [asks, askedAt] = [(known?.asks ?? 0) + 1, clock()];
  const dueAt = isFinal || asks >= failedAsksMax ? null : askedAt + Math.min(MINUTE_MS * 2 ** asks, pauseMsMax);
  const noted = { callId, problem, asks, askedAt, dueAt };
  log.warn({ callId, responseId, asks }, `the cost of an open call stays uncertain: ${problem}`);
  await records.callProblems.note(workspaceId, noted);
  return noted;
}

/** Asks the provider of a call with GET, in the account that made it. Throws for another answer than 200. */
export async function fetchForCall(
  { clock }: Pick<OpenCallParts, 'clock'>,
  { recorded, provider, key }: OpenCall,
  { path, msMax, signal }: { readonly path: string; readonly msMax: number; readonly signal: AbortSignal },
): Promise<Response> {
  const headers = recorded.entry.openWork?.headers ?? {};
  const answer = await fetchFromProvider({ provider, key, path, headers, msMax, now: clock(), signal });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw new ProviderQuestionError(answer.status);
}

/** Corrects an open call with what the provider says of it. Another correction, for instance by a person, stays. */
export async function correctOpenCall(
  { entries, records, clock }: Pick<OpenCallParts, 'entries' | 'records' | 'clock'>,
  { recorded, prices }: Pick<OpenCall, 'recorded' | 'prices'>,
  correction: OpenCallCorrection,
): Promise<'done'> {
  const { callId, workspaceId } = recorded.entry;
  const costBefore = effectiveEntry(recorded).cost;
  await records.priceCards.keep(pricedBy(recorded.entry, correction, prices));
  try {
    await entries.adjust([{ callId, workspaceId, recordedAt: clock(), costBefore, ...correction }]);
  } catch (error) {
    if (!(error instanceof TollbookError && CORRECTED.has(error.type))) throw error;
  }
  return 'done';
}

type OpenCallCorrection = Pick<
  Adjustment,
  'adjustmentId' | 'costAfter' | 'priced' | 'provenance' | 'reason' | 'resolved' | 'narrowed'
>;

/** Returns the cards that gave the cost, which the ledger keeps to explain it. */
function pricedBy(
  { model }: Entry,
  { resolved, narrowed, provenance }: OpenCallCorrection,
  prices: CallPrices,
): RateCard[] {
  const passes = (resolved?.usage ?? narrowed?.usage)?.inferences ?? [];
  const models = new Set([model, ...passes.map((pass) => pass.model)]);
  const versions = cardVersions(provenance);
  return [...models].flatMap((name) => {
    const card = name === null ? null : prices.contracted(name);
    return card && versions.includes(card.version) ? [card] : [];
  });
}

/** Errors of a call that was just corrected, or pruned. */
const CORRECTED: ReadonlySet<string> = new Set(['conflict', 'unprocessable', 'not_found']);

interface ListParts {
  readonly records: { readonly workspaces: Pick<Records['workspaces'], 'list'> };
  readonly reports: Pick<UsageQueries, 'entriesPage'>;
  readonly clock: Clock;
}

interface WantedCalls {
  readonly lookedMs: number;
  isOf(entry: Entry): boolean;
}

/** Uncertain calls may be many: only the calls that the provider had not finished when they were recorded. */
const OPEN = { uncertain: true, source: 'proxy', recordedReason: 'background' } as const;

/** Yields the calls on which the provider still works, those of one workspace at a time. */
async function* listOpenCalls(
  { records, reports, clock }: ListParts,
  { lookedMs, isOf }: WantedCalls,
): AsyncGenerator<readonly RecordedEntry[]> {
  const range = { start: clock() - lookedMs, end: clock() + 1 };
  for (const { id } of await records.workspaces.list())
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const query = { range, filter: OPEN, cursor, limit: PAGE_ROWS };
      const page: Awaited<ReturnType<UsageQueries['entriesPage']>> = await reports.entriesPage(id, query);
      yield page.rows.filter((recorded) => isOf(recorded.entry) && isStillOpen(recorded));
      cursor = page.next;
    }
}

function isStillOpen(recorded: RecordedEntry): boolean {
  const entry = effectiveEntry(recorded);
  return entry.uncertainReason === 'background' && isUncertain(entry);
}
