import type { RefusalCountsShape, RefusalShape } from '../contract/refusals.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import { bucketStarts, type Period, readPeriod, toIso } from '../domain/time/period.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { RefusalCount, RefusalFilter, RefusalStore } from '../storage/refusal-store.ts';
import { endpoint } from './http/endpoint.ts';

export interface RefusalServices {
  readonly clock: Clock;
  readonly records: Pick<Records, 'workspaces' | 'limits' | 'keys'>;
  readonly refusals: RefusalStore;
}

export function refusalView({ unit, context, needed, left, at, isSum, ...call }: RefusedCall): RefusalShape {
  return {
    at: toIso(at),
    callId: call.callId,
    calls: call.calls,
    summed: isSum,
    keyId: call.keyId,
    provider: call.provider,
    model: call.model,
    limitId: call.limitId,
    value: call.value,
    unit,
    reason: call.reason,
    needed: needed === null ? null : shownAmount(unit, needed),
    remaining: left === null ? null : shownAmount(unit, left),
    tags: { ...call.tags },
    session: context.session,
    agent: context.agent,
    run: context.run,
  };
}

const EVER = { start: 0, end: Number.MAX_SAFE_INTEGER };

export const listRefusals = endpoint(
  'GET /api/mcp/refusals',
  async ({ caller, query }, { clock, records, refusals }: RefusalServices) => {
    const { startDate, endDate, cursor = null, limit, session, agent, run } = query;
    const isWholeSession = session !== undefined && startDate === undefined && endDate === undefined;
    const { rows, next } = await refusals.page(caller.workspaceId, {
      range: isWholeSession ? EVER : readPeriod(startDate, endDate, clock()),
      filter: {
        ...readRefusalFilter(query),
        ...(session !== undefined && { session }),
        ...(agent !== undefined && { agent }),
        ...(run !== undefined && { run }),
      },
      cursor,
      limit,
    });
    if (rows.length === 0) await requireKnown(records, caller.workspaceId, query);
    return { refusals: rows.map(refusalView), nextCursor: next };
  },
);

export const countRefusals = endpoint(
  'GET /api/mcp/refusals/counts',
  async ({ caller: { workspaceId }, query }, { clock, records, refusals }: RefusalServices) => {
    const range = readPeriod(query.startDate, query.endDate, clock());
    const filter = readRefusalFilter(query);
    const counts = await refusals.counts(workspaceId, range, filter);
    const calls = sumCalls(counts);
    if (calls === 0) await requireKnown(records, workspaceId, query);
    if (query.by !== 'day') return { calls, groups: groupCounts(counts, query.by) };
    const { timeZone } = await records.workspaces.get(workspaceId);
    const groups: RefusalCountsShape['groups'] = [];
    for (const day of splitDays(range, timeZone)) {
      const ofDay = sumCalls(await refusals.counts(workspaceId, day, filter));
      if (ofDay > 0) groups.push({ value: toIso(day.start), calls: ofDay });
    }
    return { calls, groups };
  },
);

/** Throws `not_found` for a limit or key that doesn't exist. Refusals of a deleted limit stay, so those are read first. */
async function requireKnown(
  { limits, keys }: RefusalServices['records'],
  workspaceId: string,
  { limitId, keyId }: { readonly limitId?: string | undefined; readonly keyId?: string | undefined },
): Promise<void> {
  if (limitId !== undefined) await limits.get(workspaceId, limitId);
  if (keyId !== undefined) await keys.get(workspaceId, keyId);
}

function readRefusalFilter({
  limitId,
  keyId,
  reason,
}: { [Name in keyof RefusalFilter]: RefusalFilter[Name] | undefined }) {
  return {
    ...(limitId !== undefined && { limitId }),
    ...(keyId !== undefined && { keyId }),
    ...(reason !== undefined && { reason }),
  };
}

const GROUP_VALUES = {
  limit: ({ limitId }: RefusalCount) => limitId,
  key: ({ keyId }: RefusalCount) => keyId,
  reason: ({ reason }: RefusalCount) => reason,
};

function groupCounts(counts: readonly RefusalCount[], by: keyof typeof GROUP_VALUES): RefusalCountsShape['groups'] {
  return [...Map.groupBy(counts, GROUP_VALUES[by])]
    .map(([value, grouped]) => ({ value, calls: sumCalls(grouped) }))
    .toSorted((a, b) => b.calls - a.calls || (a.value < b.value ? -1 : 1));
}

function sumCalls(counts: readonly RefusalCount[]): number {
  return counts.reduce((sum, { calls }) => sum + calls, 0);
}

function splitDays(range: Period, timeZone: string): Period[] {
  const starts = bucketStarts(range, 'day', timeZone);
  return starts.map((start, index) => ({
    start: Math.max(start, range.start),
    end: Math.min(starts[index + 1] ?? range.end, range.end),
  }));
}
