import { z } from 'zod';
import { LIMITS } from '../../config.ts';
import { TollbookError } from '../../core/errors.ts';
import { usdFromNano } from '../../core/money.ts';
import { bucketStarts, iso, readPeriod, STEPS } from '../../core/period.ts';
import { DIMENSIONS } from '../../storage/store.ts';
import type { SeriesRow } from '../../storage/store.ts';
import { periodQuery, usageSeries } from '../contract.ts';
import type { UsageSeries } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { wholeNumber } from '../whole-number.ts';
import { coveredUsage } from './covered.ts';
import { filterQuery, foldTagKey, readFilter } from './dimensions.ts';
import { foldSmall } from './fold-small.ts';
import { openDoubts } from './open-doubts.ts';
import { percentage } from './percentage.ts';
import { type BesideSeries, besideSeries, withBeside } from './beside-series.ts';
import { plansOf, reportedTimes } from './session-usage.ts';

export const series = endpoint({
  method: 'GET',
  path: '/api/mcp/usage/series',
  summary: 'Usage and cost over time, split by one dimension',
  description: `Days, weeks and months are those of the workspace's time zone. What no roll-up holds together (two tags, a tag with a model, a status with a key …) is added up from at most ${LIMITS.reportEntriesMax} entries. What an organization's reports hold beyond the calls of the gate (source provider_report) is of whole UTC days and stands where they begin.`,
  scope: 'usage:read',
  right: 'read',
  query: periodQuery.extend({
    step: z.enum(STEPS).default('day'),
    by: z.enum(DIMENSIONS).optional(),
    tagKey: z.string().min(1).optional().meta({ description: 'Which tag, with by=tag' }),
    limit: wholeNumber(1, 100)
      .default(20)
      .meta({ description: 'Values shown, by default 20; the others are added up as (other)' }),
    ...filterQuery.shape,
  }),
  answer: usageSeries,
  async handle({ caller, query }, { clock, records, reports, sessions, reportRest, organizations }) {
    if ((query.by === 'tag') !== (query.tagKey !== undefined))
      throw new TollbookError('invalid', 'by=tag and tagKey belong together.', 'tagKey');
    const range = readPeriod(query.startDate, query.endDate, clock());
    const plans = await plansOf(records, caller.workspaceId);
    const { timeZone } = plans;
    const buckets = bucketStarts(range, query.step, timeZone);
    const by = query.by ?? null;
    const filter = readFilter(query);
    const proxied = await reports.series(caller.workspaceId, {
      range,
      buckets,
      by,
      ...(query.tagKey !== undefined && { tagKey: foldTagKey(query.tagKey) }),
      filter,
      entriesMax: LIMITS.reportEntriesMax,
    });
    const { workspaceId } = caller;
    const times = await reportedTimes(records, organizations, workspaceId);
    const beside = await besideSeries({ sessions, reportRest, plans, times, workspaceId, range, buckets, by, filter });
    const rows = withBeside(proxied, beside.owed);
    return {
      period: { start: iso(range.start), end: iso(range.end) },
      step: query.step,
      timeZone,
      by: query.tagKey ?? query.by ?? null,
      starts: buckets.map(iso),
      points: foldSmall(rows, query.limit).map(point),
      ...(query.by === 'tag' && { untagged: untaggedShare(rows) }),
      ...(beside.covered.length > 0 && { covered: beside.covered.map(coveredPoint) }),
      ...(beside.reported.length > 0 && { inReports: beside.reported.map(coveredPoint) }),
    };
  },
});

function point({ bucket, value, totals }: SeriesRow): UsageSeries['points'][number] {
  return {
    start: iso(bucket),
    value,
    calls: totals.calls,
    failedCalls: totals.failedCalls,
    cost: usdFromNano(totals.cost),
    inputTokens: totals.inputTokens,
    cacheReadTokens: totals.cacheReadTokens,
    cacheWriteTokens: totals.cacheWriteTokens,
    outputTokens: totals.outputTokens,
    ...openDoubts(totals),
  };
}

function coveredPoint({ bucket, totals }: BesideSeries['covered'][number]) {
  return { start: iso(bucket), ...coveredUsage(totals) };
}

function untaggedShare(rows: readonly SeriesRow[]): NonNullable<UsageSeries['untagged']> {
  const untagged = rows.filter((row) => row.value === null);
  const cost = sumCost(untagged);
  return {
    cost: usdFromNano(cost),
    calls: untagged.reduce((sum, row) => sum + row.totals.calls, 0),
    percentage: percentage(cost, sumCost(rows)),
  };
}

function sumCost(rows: readonly SeriesRow[]): bigint {
  return rows.reduce((sum, row) => sum + row.totals.cost, 0n);
}
