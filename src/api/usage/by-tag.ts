import { addUnder, EMPTY_TOTALS, type MutableTotals, withCostBasis } from '../../domain/usage/usage-totals.ts';
import { uncertaintyFields } from './uncertainty.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import type { UsageServices } from './usage-rows.ts';
import { readPeriod } from '../../domain/time/period.ts';
import type { TagUsageRow } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { foldTagKey } from '../../domain/usage/tags.ts';
import type { ObservedStore } from '../../storage/observed-store.ts';
import type { TagRow } from '../../storage/usage-queries.ts';

/** Returns `part` of `whole` in percent with one decimal, 0 to 100; a half rounds up. 0 if `whole` is 0. */
export function percentage(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 2_000n + whole) / (whole * 2n)) / 10;
}

interface TagServices extends UsageServices {
  readonly observed: Pick<ObservedStore, 'byTag'>;
}

export const byTag = endpoint(
  'GET /api/mcp/usage/by-tag',
  async ({ caller: { workspaceId }, query }, { clock, reports, observed }: TagServices) => {
    const period = readPeriod(query.startDate, query.endDate, clock());
    const key = foldTagKey(query.tagKey);
    const proxied = await reports.byTag(workspaceId, key, period);
    const merged = mergeValues([...proxied, ...(await observed.byTag(workspaceId, key, period))]);
    const rows = merged.map((row) => withCostBasis(row, query.cost));
    const total = rows.reduce((sum, row) => sum + row.cost, 0n);
    return rows
      .toSorted(costliestFirst)
      .slice(0, query.limit)
      .map((row) => rowView(query.tagKey, row, total));
  },
);

/** Adds up rows of the same value. */
function mergeValues(rows: readonly TagRow[]): TagRow[] {
  const sums = new Map<string, MutableTotals>();
  for (const { value, ...row } of rows) addUnder(sums, value, { ...EMPTY_TOTALS, ...row });
  return [...sums].map(([value, totals]) => Object.assign(totals, { value }));
}

function rowView(tag: string, { value, ...sums }: TagRow, total: bigint): TagUsageRow {
  const { cost, calls } = sums;
  const row = { tag, value, cost: usdFromNano(cost), calls, percentage: percentage(cost, total) };
  return { ...row, ...uncertaintyFields({ ...EMPTY_TOTALS, ...sums }) };
}

/** Sorts by cost, highest first. Equal costs have a fixed order. */
function costliestFirst(a: TagRow, b: TagRow): number {
  return Number(b.cost - a.cost) || b.calls - a.calls || (a.value < b.value ? -1 : 1);
}
