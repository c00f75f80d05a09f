import type { Entry } from '../../domain/usage/call.ts';
import { amountIn, countedIn, uncertainIn } from '../../domain/limits/counting.ts';
import { TollbookError } from '../../domain/errors.ts';
import { scopeText, shownAmount } from '../../domain/limits/limit-fields.ts';
import type { CounterRef } from '../../domain/limits/limit.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { iso } from '../../domain/time/period.ts';
import { believed } from '../../storage/booked.ts';
import { entryDetail, type EntryDetail } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { entryView } from './entry-view.ts';
import { explainCost } from '../explain-cost.ts';

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
    const { explanation, lines, sources } = await explainCost(booked, services);
    const entry = believed(booked);
    const names = new Map((await services.records.keys.list(caller.workspaceId)).map(({ id, name }) => [id, name]));
    const keyName = (id: string): string => names.get(id) ?? id;
    return {
      ...entryView(booked),
      keyName: names.get(entry.keyId) ?? null,
      explanation,
      lines,
      priceSources: sources,
      adjustments: booked.adjustments.map(({ recordedAt, costBefore, costAfter, reason }) => ({
        recordedAt: iso(recordedAt),
        costBefore: costBefore === null ? null : usdFromNano(costBefore),
        costAfter: costAfter === null ? null : usdFromNano(costAfter),
        reason,
      })),
      limits: await Promise.all(entry.touched.map((touch) => touchView(touch, entry, services, keyName))),
    };
  },
});

async function touchView(
  { counter, unit, windowStart, value }: CounterRef,
  entry: Entry,
  { records }: Services,
  keyName: (id: string) => string,
): Promise<EntryDetail['limits'][number]> {
  const limit = await records.limits.byCounter(counter);
  return {
    id: limit?.id ?? null,
    label: limit?.label ?? null,
    scope: limit && scopeText(limit.scope, keyName),
    action: limit?.action ?? null,
    window: limit?.window ?? null,
    unit,
    windowStart: windowStart === 0 ? null : iso(windowStart),
    value: value === '' ? null : value,
    held: shownAmount(unit, amountIn(unit, entry.hold)),
    counted: shownAmount(unit, countedIn(unit, entry)),
    uncertain: shownAmount(unit, uncertainIn(unit, entry)),
  };
}
