import type { PartSum } from '../../domain/usage/changes.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { toIso, readPeriod } from '../../domain/time/period.ts';
import { endpoint } from '../http/endpoint.ts';
import { foldTagKey } from '../../domain/usage/tags.ts';
import { sumsBy, usageParts, type UsageQuestion, type UsageServices } from './usage-rows.ts';

export const getUsageValues = endpoint(
  'GET /api/mcp/usage/values',
  async ({ caller: { workspaceId }, query }, services: UsageServices) => {
    const period = readPeriod(query.startDate, query.endDate, services.clock());
    const parts = await usageParts(services, workspaceId);
    const valuesOf = async (by: UsageQuestion['by'], tagKey: string | null = null) =>
      costliest(await sumsBy(parts, { by, tagKey }, period), query.limit);
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
);

function costliest(sums: readonly PartSum[], limit: number) {
  return sums
    .toSorted((a, b) => Number(b.cost - a.cost) || b.calls - a.calls)
    .flatMap(({ value, cost, calls }) => (value === null ? [] : [{ value, cost: usdFromNano(cost), calls }]))
    .slice(0, limit);
}
