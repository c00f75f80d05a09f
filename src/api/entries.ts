import type { entryQuery } from '../contract/routes/usage.ts';
import type { z } from 'zod';
import { LIMITS } from '../config.ts';
import { type Entry, isUncertain, uncertainUpTo } from '../domain/usage/call.ts';
import { hashSessionId } from './hash-session-id.ts';
import { readUsd, usdFromNano } from '../domain/money/money.ts';
import { toIso, readPeriod } from '../domain/time/period.ts';
import type { EntryDetail, EntryShape } from '../contract/entries.ts';
import type { ObservedStore, RecordedObservation } from '../storage/observed-store.ts';
import type { RefusalStore } from '../storage/refusal-store.ts';
import { endpoint } from './http/endpoint.ts';
import { observedCallView } from './observed-calls.ts';
import { refusalView } from './refusals.ts';
import { readFilter } from './usage/filter.ts';
import { cardVersions, joinVersions } from '../domain/pricing/provenance.ts';
import { inputTokens, outputTokens, totalTokens } from '../domain/usage/usage.ts';
import { effectiveEntry, effectiveProvenance } from '../storage/effective-entry.ts';
import { amountIn, countedIn, uncertainIn } from '../domain/limits/counting.ts';
import { TollbookError } from '../domain/errors.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import type { CounterRef } from '../domain/limits/limit.ts';
import { explainCost, type CostServices } from './explain-cost.ts';
import type { Adjustment, TokenAmounts, EntryStore } from '../storage/entry-store.ts';
import type { EntryFilter, RecordedEntry, UsageQueries } from '../storage/usage-queries.ts';
import { describeScope, formatAmount } from '../domain/text/limits.ts';
import type { Clock } from '../lib/clock.ts';

export interface EntryServices extends CostServices {
  readonly clock: Clock;
  readonly entries: EntryStore;
  readonly reports: UsageQueries;
  readonly refusals: Pick<RefusalStore, 'find'>;
  readonly observed: Pick<ObservedStore, 'ofCalls'>;
}

export function entryView(recorded: RecordedEntry): EntryShape {
  const entry = effectiveEntry(recorded);
  const { cost } = entry;
  const tokens = entry.usage ? totalTokens(entry.usage) : {};
  const open = uncertainUpTo(entry);
  const provenance = effectiveProvenance(recorded);
  const versions = provenance ? cardVersions(provenance) : [];
  return {
    id: entry.callId,
    source: entry.source,
    provider: entry.provider,
    operation: entry.operation,
    model: entry.model,
    requestedModel: entry.requestedModel,
    keyId: entry.keyId,
    tags: entry.tags,
    startedAt: toIso(entry.startedAt),
    endedAt: toIso(entry.endedAt),
    durationMs: entry.endedAt - entry.startedAt,
    firstByteMs: entry.firstByteMs,
    stream: entry.stream,
    shortenedTo: entry.shortenedTo,
    status: entry.status,
    errorType: entry.errorType ?? null,
    outcome: entry.outcome,
    uncertainReason: entry.uncertainReason,
    usageSource: entry.usageSource,
    inputTokens: inputTokens(tokens),
    outputTokens: outputTokens(tokens),
    thinkingTokens: entry.usage?.thinking ?? 0,
    tokens,
    uses: entry.usage?.uses ?? {},
    cost: shownUsd(cost),
    listCost: shownUsd(entry.priced?.list ?? cost),
    contractedCost: shownUsd(entry.priced?.contracted ?? cost),
    ...(open > 0 && { uncertainUpTo: usdFromNano(open) }),
    ...(entry.openWork?.batch && { batchRequests: entry.openWork.batch.requests }),
    ...(provenance?.from === 'subscription' && { listPrice: listPrice(entry) }),
    costSource: provenance && provenance.from,
    priceVersion: versions.length === 0 ? null : joinVersions(versions),
    requestId: entry.requestId,
    responseId: entry.responseId,
    sessionHash: entry.sessionHash,
    ...entry.context,
  };
}

function shownUsd(nano: number | null): number | null {
  return nano === null ? null : usdFromNano(nano);
}

/** Limits count the list price of a call that a subscription covers; that of an uncertain call is a maximum. */
function listPrice(entry: Entry): number | null {
  const { usd } = entry.counted;
  return usd === null || isUncertain(entry) ? null : usdFromNano(usd);
}

export const listEntries = endpoint(
  'GET /api/mcp/entries',
  async ({ caller: { workspaceId }, query }, { clock, records, reports, refusals, observed }: EntryServices) => {
    const asked = { cursor: query.cursor ?? null, limit: query.limit, scanMax: LIMITS.entriesScanMax };
    const refused = query.find === undefined ? null : await refusals.find(workspaceId, query.find);
    const { rows, next } =
      query.find === undefined
        ? await reports.entriesPage(workspaceId, {
            ...asked,
            range: readPeriod(query.startDate, query.endDate, clock()),
            filter: readEntryFilter(query),
          })
        : await findById(reports, workspaceId, query.find, asked);
    const ids = rows.map(({ entry }) => entry.callId);
    const others = Map.groupBy(await observed.ofCalls(workspaceId, ids), ({ figuresOf }) => figuresOf);
    const problems = await settleProblems(rows, records);
    return {
      entries: rows.map((row) =>
        Object.assign(entryView(row), problems.get(row.entry.callId), observedBy(others.get(row.entry.callId))),
      ),
      ...(refused && { refusals: [refusalView(refused)] }),
      nextCursor: next,
    };
  },
);

/** Returns why the ends of open calls could not be read, by call. */
async function settleProblems(
  rows: readonly RecordedEntry[],
  { callProblems }: Pick<EntryServices['records'], 'callProblems'>,
): Promise<ReadonlyMap<string, Pick<EntryShape, 'settleProblem'>>> {
  const open = rows.filter((row) => effectiveEntry(row).uncertainReason === 'background');
  const [first] = open;
  if (!first) return new Map();
  const ids = open.map(({ entry }) => entry.callId);
  const found = await callProblems.find(first.entry.workspaceId, ids);
  return new Map([...found].map(([id, { problem }]) => [id, { settleProblem: problem }]));
}

/** Returns the sources that reported a call in addition to the gateway. */
function observedBy(observations: readonly RecordedObservation[] = []): Pick<EntryShape, 'observedBy'> {
  const sources = new Set(observations.map(({ call }) => call.source));
  return sources.size === 0 ? {} : { observedBy: [...sources].toSorted() };
}

function readEntryFilter(query: z.output<typeof entryQuery>): EntryFilter {
  return {
    ...readFilter(query),
    ...(query.uncertain !== undefined && { uncertain: query.uncertain === 'true' }),
    ...(query.open !== undefined && { recordedReason: 'background' as const }),
    ...(query.unpriced !== undefined && { unpriced: query.unpriced === 'true' }),
    ...(query.outcome !== undefined && { outcome: query.outcome }),
    ...(query.minCost !== undefined && { costMin: readUsd(query.minCost, 'minCost') }),
  };
}

const EVER = { start: 0, end: Number.MAX_SAFE_INTEGER };

type EntriesFound = Awaited<ReturnType<UsageQueries['entriesPage']>>;

/** Finds entries by an id. A session has many, other ids have a few. */
async function findById(
  reports: Pick<UsageQueries, 'find' | 'entriesPage'>,
  workspaceId: string,
  id: string,
  asked: { readonly cursor: string | null; readonly limit: number; readonly scanMax: number },
): Promise<EntriesFound> {
  const found: RecordedEntry[] = asked.cursor === null ? await reports.find(workspaceId, id) : [];
  if (found.length > 0) return { rows: found.slice(0, asked.limit), next: null };
  for (const filter of sessionFilters(id)) {
    const page = await reports.entriesPage(workspaceId, { ...asked, range: EVER, filter });
    if (page.rows.length > 0) return page;
  }
  return { rows: [], next: null };
}

/**
 * Returns filters for the session with an id. The ledger stores the hash of an assistant session; people know the id
 * that their assistant shows.
 */
function sessionFilters(id: string): EntryFilter[] {
  const hashes = [id.toLowerCase(), ...hashSessionId(id)];
  const sessions = [...new Set([id, ...hashes])];
  return [...sessions.map((session) => ({ session })), ...hashes.map((renamedSession) => ({ renamedSession }))];
}

export const getEntry = endpoint('GET /api/mcp/entries/{callId}', async ({ caller, path }, services: EntryServices) => {
  const recorded = await services.reports.entry(caller.workspaceId, path.callId);
  if (!recorded)
    throw new TollbookError(
      'not_found',
      `There is no entry "${path.callId}". A call appears in the ledger soon after it ends.`,
    );
  const { explanation, lines, sources } = await explainCost(recorded, services);
  const entry = effectiveEntry(recorded);
  const names = new Map((await services.records.keys.list(caller.workspaceId)).map(({ id, name }) => [id, name]));
  const keyName = (id: string): string => names.get(id) ?? id;
  const observations = await services.observed.ofCalls(caller.workspaceId, [entry.callId]);
  return {
    ...entryView(recorded),
    ...(await settleProblems([recorded], services.records)).get(entry.callId),
    ...observedBy(observations),
    keyName: names.get(entry.keyId) ?? null,
    explanation,
    lines,
    priceSources: sources,
    adjustments: recorded.adjustments.map(({ recordedAt, costBefore, costAfter, reason }) => ({
      recordedAt: toIso(recordedAt),
      costBefore: costBefore === null ? null : usdFromNano(costBefore),
      costAfter: costAfter === null ? null : usdFromNano(costAfter),
      reason,
    })),
    observations: observations.map((one) => observedCallView(one)),
    limits: await Promise.all(entry.touched.map((touch) => touchView(touch, entry, services, keyName))),
  };
});

async function touchView(
  { counter, unit, windowStart, value }: CounterRef,
  entry: Entry,
  { records }: Pick<EntryServices, 'records'>,
  keyName: (id: string) => string,
): Promise<EntryDetail['limits'][number]> {
  const limit = await records.limits.byCounter(counter);
  return {
    id: limit?.id ?? null,
    label: limit?.label ?? null,
    scope: limit && describeScope(limit.scope, keyName),
    action: limit?.action ?? null,
    window: limit?.window ?? null,
    unit,
    windowStart: windowStart === 0 ? null : toIso(windowStart),
    value: value === '' ? null : value,
    held: shownAmount(unit, amountIn(unit, entry.hold)),
    counted: shownAmount(unit, countedIn(unit, entry)),
    uncertain: shownAmount(unit, uncertainIn(unit, entry)),
  };
}

export const resolveEntry = endpoint(
  'POST /api/manage/entries/{callId}/resolve',
  async ({ caller, path, body }, { entries, reports, clock }: EntryServices) => {
    const costAfter = readUsd(body.costUsd, 'costUsd');
    const recorded = await reports.entry(caller.workspaceId, path.callId);
    if (!recorded)
      throw new TollbookError(
        'not_found',
        `There is no entry "${path.callId}". A call appears in the ledger soon after it ends.`,
      );
    if (!body.beyondBound) requireWithinBound(recorded, costAfter);
    const tokens = tokensOfResolved(recorded, costAfter);
    const adjustment: Adjustment = {
      adjustmentId: `${path.callId}:${recorded.adjustments.length + 1}`,
      callId: path.callId,
      workspaceId: caller.workspaceId,
      recordedAt: clock(),
      costBefore: effectiveEntry(recorded).cost,
      costAfter,
      provenance: { from: 'person' },
      reason: `resolved by ${caller.actor}`,
      resolved: {
        inputTokens: body.inputTokens ?? tokens.inputTokens,
        outputTokens: body.outputTokens ?? tokens.outputTokens,
      },
    };
    const { inserted } = await entries.adjust([adjustment], caller.actor);
    if (inserted === 0)
      throw new TollbookError('conflict', `The entry "${path.callId}" was just corrected. Read it again.`);
    return entryView({ entry: recorded.entry, adjustments: [...recorded.adjustments, adjustment] });
  },
);

/** Throws if a cost exceeds the cost bound: it can't be undone, and a misplaced decimal point would use up limits. */
function requireWithinBound(recorded: RecordedEntry, cost: number): void {
  const { uncertainReason, counted } = effectiveEntry(recorded);
  const bound = counted.usd;
  if (!isUncertain({ uncertainReason }) || bound === null || cost <= bound) return;
  throw new TollbookError(
    'unprocessable',
    `This call can have cost at most ${formatAmount('usd', usdFromNano(bound), 'up')} by the prices that Tollbook knows. If the provider charged more, send "beyondBound": true (--beyond-bound).`,
    'costUsd',
  );
}

function tokensOfResolved(recorded: RecordedEntry, cost: number): TokenAmounts {
  const { usage, counted } = effectiveEntry(recorded);
  if (usage) return { inputTokens: inputTokens(totalTokens(usage)), outputTokens: outputTokens(totalTokens(usage)) };
  // A cost says too little about tokens, as cached ones cost a tenth: limits in tokens keep the bound.
  return cost === 0 ? { inputTokens: 0, outputTokens: 0 } : counted;
}
