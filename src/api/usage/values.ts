import { z } from 'zod';
import type { PartSum } from '../../domain/usage/changes.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { toIso, readPeriod } from '../../domain/time/period.ts';
import { usageValues } from '../../contract/values.ts';
import { periodQuery } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { wholeNumber } from '../fields.ts';
import { foldTagKey } from './filter.ts';
import { sumsBy, usageParts, type UsageQuestion } from './usage-rows.ts';

export const getUsageValues = endpoint({
  method: 'GET',
  path: '/api/mcp/usage/values',
  summary: 'What usage of a period can be split by and narrowed to, dearest first',
  scope: 'usage:read',
  right: 'read',
  query: periodQuery.extend({
    tagKey: z.string().min(1).optional().meta({ description: 'Whose values are wanted too' }),
    limit: wholeNumber(1, 1_000).default(200).meta({ description: 'Values of each dimension; default: 200' }),
  }),
  answer: usageValues,
  async handle({ caller: { workspaceId }, query }, services) {
    const period = readPeriod(query.startDate, query.endDate, services.clock());
    const parts = await usageParts(services, workspaceId);
    const valuesOf = async (by: UsageQuestion['by'], tagKey: string | null = null) =>
      dearest(await sumsBy(parts, { by, tagKey }, period), query.limit);
    const names = new Map((await services.records.keys.list(workspaceId)).map(({ id, name }) => [id, name]));
    const keys = await valuesOf('key');
    return {
      period: { start: toIso(period.start), end: toIso(period.end) },
      sources: await valuesOf('source'),
      providers: await valuesOf('provider'),
      models: await valuesOf('model'),
      keys: keys.map(({ value, cost, calls }) => ({ value, cost, calls, name: names.get(value) ?? value })),
      statuses: await valuesOf('status'),
      tagKeys: (await services.reports.tagKeys(workspaceId)).toSorted(),
      ...(query.tagKey !== undefined && { tags: await valuesOf('tag', foldTagKey(query.tagKey)) }),
    };
  },
});

function dearest(sums: readonly PartSum[], limit: number) {
  return sums
    .toSorted((a, b) => Number(b.cost - a.cost) || b.calls - a.calls)
    .flatMap(({ value, cost, calls }) => (value === null ? [] : [{ value, cost: usdFromNano(cost), calls }]))
    .slice(0, limit);
}
