import type { ObservedCallShape, OutcomeCounts, OutcomeShape } from '../contract/observed.ts';
import type { CallContext } from '../domain/usage/call-context.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { observedTotals } from '../domain/observed/observed-call.ts';
import type { OutcomeDay } from '../domain/observed/outcome.ts';
import { readPeriod, toIso, utcDate } from '../domain/time/period.ts';
import type { Clock } from '../lib/clock.ts';
import type { ObservedStore, RecordedObservation } from '../storage/observed-store.ts';
import type { Records } from '../storage/records/records.ts';
import { endpoint } from './http/endpoint.ts';

export interface ObservedServices {
  readonly clock: Clock;
  readonly observed: ObservedStore;
}

interface OutcomeServices {
  readonly clock: Clock;
  readonly records: Pick<Records, 'outcomes'>;
}

export const listObservedCalls = endpoint(
  'GET /api/mcp/observed-calls',
  async ({ caller: { workspaceId }, query }, { clock, observed }: ObservedServices) => {
    const { rows, next } = await observed.page(workspaceId, {
      range: readPeriod(query.startDate, query.endDate, clock()),
      possibleDuplicates: query.possibleDuplicates === 'true',
      cursor: query.cursor ?? null,
      limit: query.limit,
    });
    const others = await observed.ofCalls(
      workspaceId,
      rows.map(({ call }) => call.observationId),
    );
    const repeats = Map.groupBy(others, ({ figuresOf }) => figuresOf ?? '');
    const calls = rows.map((row) => observedCallView(row, repeats.get(row.call.observationId)));
    return { calls, nextCursor: next };
  },
);

export const listObservedOutcomes = endpoint(
  'GET /api/mcp/observed-outcomes',
  async ({ caller: { workspaceId }, query }, { clock, records }: OutcomeServices) => {
    const range = readPeriod(query.startDate, query.endDate, clock());
    const days = await records.outcomes.list(workspaceId, range, query.by);
    return { outcomes: days.map(outcomeView) };
  },
);

function outcomeView({ day, tokenId, assistant, session, amounts }: OutcomeDay): OutcomeShape {
  return {
    day: utcDate(day),
    tokenId,
    assistant,
    session,
    ...outcomeCountsView(amounts),
    metricInputTokens: amounts.input_tokens,
    metricOutputTokens: amounts.output_tokens,
  };
}

/** Returns the counts that are shown next to cost. */
export function outcomeCountsView(amounts: OutcomeDay['amounts']): OutcomeCounts {
  return {
    commits: amounts.commits,
    pullRequests: amounts.pull_requests,
    linesAdded: amounts.lines_added,
    linesRemoved: amounts.lines_removed,
  };
}

/** @param repeats further observations of the call, which may say where it belongs */
export function observedCallView(
  row: RecordedObservation,
  repeats: readonly RecordedObservation[] = [],
): ObservedCallShape {
  const { call, cost, uncertainUpTo } = row;
  const totals = observedTotals(call, row);
  const { session, agent, run, requestClass } = mergeContexts([row, ...repeats]);
  return {
    id: call.observationId,
    source: call.source,
    signal: call.signal,
    assistant: call.assistant,
    tokenId: call.tokenId,
    provider: call.provider,
    model: call.model,
    startedAt: toIso(call.startedAt),
    endedAt: toIso(call.endedAt),
    recordedAt: toIso(row.recordedAt),
    session,
    agent,
    run,
    requestClass,
    tags: call.tags,
    inputTokens: totals.inputTokens,
    outputTokens: totals.outputTokens,
    cacheReadTokens: totals.cacheReadTokens,
    cacheCreationTokens: totals.cacheWriteTokens,
    cost: knownUsd(cost),
    ...(uncertainUpTo > 0 && { uncertainUpTo: usdFromNano(uncertainUpTo) }),
    state: row.state,
    figuresOf: row.figuresOf,
    joinedBy: row.joinedBy,
    possibleDuplicates: [...row.possibleDuplicates],
    adjustments: row.adjustments.map(({ recordedAt, costBefore, costAfter, reason }) => ({
      recordedAt: toIso(recordedAt),
      costBefore: knownUsd(costBefore),
      costAfter: knownUsd(costAfter),
      reason,
    })),
  };
}

/** Returns the first known value of each part. */
function mergeContexts(rows: readonly RecordedObservation[]): CallContext {
  const first = (part: 'session' | 'agent' | 'parentAgent' | 'run' | 'requestClass'): string | null =>
    rows.map(({ call }) => call.context[part]).find((value) => value !== null) ?? null;
  return {
    session: first('session'),
    agent: first('agent'),
    parentAgent: first('parentAgent'),
    run: first('run'),
    requestClass: first('requestClass'),
  };
}

function knownUsd(nano: number | null): number | null {
  return nano === null ? null : usdFromNano(nano);
}
