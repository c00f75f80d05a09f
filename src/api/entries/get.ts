import { TollbookError } from '../../core/errors.ts';
import type { Touch } from '../../core/limit.ts';
import { usdFromNano } from '../../core/money.ts';
import { iso } from '../../core/period.ts';
import { entryDetail, type EntryDetail } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { entryView } from './entry-view.ts';
import { explainCost } from './explain-cost.ts';

export const getEntry = endpoint({
  method: 'GET',
  path: '/api/mcp/entries/{callId}',
  summary: 'One entry with the lines of its price and its adjustments',
  scope: 'usage:read',
  right: 'read',
  answer: entryDetail,
  async handle({ caller, path }, services) {
    const booked = await services.reports.entry(caller.workspaceId, path.callId);
    if (!booked)
      throw new TollbookError(
        'not_found',
        `There is no entry "${path.callId}". A call is in the book soon after it ended.`,
      );
    const { lines, sources } = await explainCost(booked, services);
    return {
      ...entryView(booked),
      lines,
      priceSources: sources,
      adjustments: booked.adjustments.map(({ recordedAt, costBefore, costAfter, reason }) => ({
        recordedAt: iso(recordedAt),
        costBefore: costBefore === null ? null : usdFromNano(costBefore),
        costAfter: costAfter === null ? null : usdFromNano(costAfter),
        reason,
      })),
      limits: await Promise.all(booked.entry.touched.map((touch) => touchView(touch, services))),
    };
  },
});

async function touchView(
  { counter, unit, windowStart, value }: Touch,
  { records }: Services,
): Promise<EntryDetail['limits'][number]> {
  const limit = await records.limits.byCounter(counter);
  return {
    id: limit?.id ?? null,
    unit,
    windowStart: windowStart === 0 ? null : iso(windowStart),
    value: value === '' ? null : value,
  };
}
