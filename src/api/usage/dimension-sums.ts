import type { PartSum } from '../../domain/usage/changes.ts';
import type { Period } from '../../domain/time/period.ts';
import type { Totals } from '../../storage/store.ts';
import type { CHANGE_DIMENSIONS } from '../../contract/overview.ts';
import { besideSeries } from './beside-series.ts';
import { sumsBy, type UsageParts } from './usage-rows.ts';

export interface Split {
  readonly by: (typeof CHANGE_DIMENSIONS)[number];
  /** Which tag, when `by` is `tag`; else null. */
  readonly tagKey: string | null;
}

export type Whole = Omit<PartSum, 'value'>;

/** What a range came to by several dimensions, read in as few passes as there can be. */
export async function dimensionSums(
  parts: UsageParts,
  splits: readonly Split[],
  range: Period,
): Promise<{ readonly whole: Whole; readonly by: ReadonlyMap<Split, readonly PartSum[]> }> {
  const by = new Map<Split, readonly PartSum[]>();
  if (range.start >= range.end) return { whole: added([]), by };
  const used = await parts.reports.models(parts.workspaceId, range);
  const beside = async (of: 'model' | 'provider') =>
    (await besideSeries({ ...parts, range, buckets: [range.start], by: of, filter: {} })).owed;
  const models = partsOf([...used.map(({ model, totals }) => ({ value: model, totals })), ...(await beside('model'))]);
  const whole = added(models);
  for (const split of splits)
    switch (split.by) {
      case 'model':
        by.set(split, models);
        break;
      case 'provider': {
        const rows = used.map(({ provider, totals }) => ({ value: provider, totals }));
        by.set(split, partsOf([...rows, ...(await beside('provider'))]));
        break;
      }
      case 'key':
        by.set(split, await sumsBy(parts, split, range));
        break;
      case 'tag': {
        const rows = await parts.reports.byTag(parts.workspaceId, split.tagKey ?? '', range);
        const tagged = rows.map((row) => Object.assign({ unpricedUses: 0 }, row));
        const untagged = less(whole, added(tagged));
        const { cost, calls, unpricedCalls, unpricedUses } = untagged;
        const isNone = cost === 0n && calls + unpricedCalls + unpricedUses === 0;
        by.set(split, isNone ? tagged : [...tagged, { value: null, ...untagged }]);
      }
    }
  return { whole, by };
}

function partsOf(rows: readonly { readonly value: string | null; readonly totals: Totals }[]): PartSum[] {
  return [...Map.groupBy(rows, ({ value }) => value)].map(([value, of]) => {
    const { cost, calls, unpricedCalls, unpricedUses } = added(of.map(({ totals }) => totals));
    return { value, cost, calls, unpricedCalls, unpricedUses };
  });
}

function added(sums: readonly Whole[]): Whole {
  return {
    cost: sums.reduce((sum, { cost }) => sum + cost, 0n),
    calls: sums.reduce((sum, { calls }) => sum + calls, 0),
    unpricedCalls: sums.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0),
    unpricedUses: sums.reduce((sum, { unpricedUses }) => sum + unpricedUses, 0),
  };
}

function less(whole: Whole, part: Whole): Whole {
  return {
    cost: whole.cost - part.cost,
    calls: whole.calls - part.calls,
    unpricedCalls: whole.unpricedCalls - part.unpricedCalls,
    unpricedUses: whole.unpricedUses - part.unpricedUses,
  };
}
