import type { PartSum } from '../../domain/usage/changes.ts';
import type { Period } from '../../domain/time/period.ts';
import type { Totals } from '../../storage/store.ts';
import type { CHANGE_DIMENSIONS } from '../../contract/overview.ts';
import { unproxiedSeries } from './unproxied-series.ts';
import { sumsBy, type UsageParts } from './usage-rows.ts';

export interface DimensionSplit {
  readonly by: (typeof CHANGE_DIMENSIONS)[number];
  /** Which tag, when `by` is `tag`; else null. */
  readonly tagKey: string | null;
}

export type WholeSum = Omit<PartSum, 'value'>;

/** What a range came to by several dimensions, read in as few passes as there can be. */
export async function dimensionSums(
  parts: UsageParts,
  splits: readonly DimensionSplit[],
  range: Period,
): Promise<{ readonly whole: WholeSum; readonly by: ReadonlyMap<DimensionSplit, readonly PartSum[]> }> {
  const by = new Map<DimensionSplit, readonly PartSum[]>();
  if (range.start >= range.end) return { whole: addSums([]), by };
  const used = await parts.reports.models(parts.workspaceId, range);
  const beside = async (of: 'model' | 'provider') =>
    (await unproxiedSeries({ ...parts, range, buckets: [range.start], by: of, filter: {} })).owed;
  const models = sumByValue([
    ...used.map(({ model, totals }) => ({ value: model, totals })),
    ...(await beside('model')),
  ]);
  const whole = addSums(models);
  for (const split of splits)
    switch (split.by) {
      case 'model':
        by.set(split, models);
        break;
      case 'provider': {
        const rows = used.map(({ provider, totals }) => ({ value: provider, totals }));
        by.set(split, sumByValue([...rows, ...(await beside('provider'))]));
        break;
      }
      case 'key':
        by.set(split, await sumsBy(parts, split, range));
        break;
      case 'tag': {
        const rows = await parts.reports.byTag(parts.workspaceId, split.tagKey ?? '', range);
        const tagged = rows.map((row) => Object.assign({ unpricedUses: 0 }, row));
        const untagged = subtractSum(whole, addSums(tagged));
        const { cost, calls, unpricedCalls, unpricedUses } = untagged;
        const isNone = cost === 0n && calls + unpricedCalls + unpricedUses === 0;
        by.set(split, isNone ? tagged : [...tagged, { value: null, ...untagged }]);
      }
    }
  return { whole, by };
}

function sumByValue(rows: readonly { readonly value: string | null; readonly totals: Totals }[]): PartSum[] {
  return [...Map.groupBy(rows, ({ value }) => value)].map(([value, of]) => {
    const { cost, calls, unpricedCalls, unpricedUses } = addSums(of.map(({ totals }) => totals));
    return { value, cost, calls, unpricedCalls, unpricedUses };
  });
}

function addSums(sums: readonly WholeSum[]): WholeSum {
  return {
    cost: sums.reduce((sum, { cost }) => sum + cost, 0n),
    calls: sums.reduce((sum, { calls }) => sum + calls, 0),
    unpricedCalls: sums.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0),
    unpricedUses: sums.reduce((sum, { unpricedUses }) => sum + unpricedUses, 0),
  };
}

function subtractSum(whole: WholeSum, part: WholeSum): WholeSum {
  return {
    cost: whole.cost - part.cost,
    calls: whole.calls - part.calls,
    unpricedCalls: whole.unpricedCalls - part.unpricedCalls,
    unpricedUses: whole.unpricedUses - part.unpricedUses,
  };
}
