import type { UsageTotals } from './usage-totals.ts';

/** Sums of a period. The cost leaves out unpriced calls and uses. */
type PeriodSum = Pick<UsageTotals, 'cost' | 'calls' | 'unpricedCalls' | 'unpricedUses'>;

/** Sums of one value of a dimension; null = usage without a value. */
export interface PartSum extends PeriodSum {
  readonly value: string | null;
}

export interface ChangedPart {
  readonly value: string | null;
  readonly before: bigint;
  readonly after: bigint;
  readonly callsBefore: number;
  readonly callsAfter: number;
  readonly unpricedBefore: number;
  readonly unpricedAfter: number;
  readonly unpricedUsesBefore: number;
  readonly unpricedUsesAfter: number;
}

export interface DimensionChange {
  /** The largest first, up or down. */
  readonly parts: readonly ChangedPart[];
  /** All other values: with them, the parts add up to the whole. */
  readonly others: Omit<ChangedPart, 'value'> & { readonly values: number };
  /** Different values, before and after together. */
  readonly values: number;
}

const NOTHING: PeriodSum = { cost: 0n, calls: 0, unpricedCalls: 0, unpricedUses: 0 };

/** Compares the values of a dimension; `partsMax` are returned separately. */
export function changesBy(
  { before, after }: { readonly before: readonly PartSum[]; readonly after: readonly PartSum[] },
  whole: { readonly before: PeriodSum; readonly after: PeriodSum },
  partsMax: number,
): DimensionChange {
  const sumsBefore = new Map(before.map((sum) => [sum.value, sum]));
  const sumsAfter = new Map(after.map((sum) => [sum.value, sum]));
  const values = new Set([...sumsBefore.keys(), ...sumsAfter.keys()]);
  const moved = [...values]
    .map((value) => partChange(value, sumsBefore.get(value), sumsAfter.get(value)))
    .filter(hasChanged);
  const parts = moved.toSorted((a, b) => Number(changeSize(b) - changeSize(a))).slice(0, partsMax);
  const { value: _whole, ...left } = partChange(null, whole.before, whole.after);
  for (const part of parts) {
    left.before -= part.before;
    left.after -= part.after;
    left.callsBefore -= part.callsBefore;
    left.callsAfter -= part.callsAfter;
    left.unpricedBefore -= part.unpricedBefore;
    left.unpricedAfter -= part.unpricedAfter;
    left.unpricedUsesBefore -= part.unpricedUsesBefore;
    left.unpricedUsesAfter -= part.unpricedUsesAfter;
  }
  return { parts, others: { ...left, values: values.size - parts.length }, values: values.size };
}

/** Compares one value; the caller may change the result. */
export function partChange(
  value: string | null,
  before: PeriodSum = NOTHING,
  after: PeriodSum = NOTHING,
): { -readonly [Name in keyof ChangedPart]: ChangedPart[Name] } {
  return {
    value,
    before: before.cost,
    after: after.cost,
    callsBefore: before.calls,
    callsAfter: after.calls,
    unpricedBefore: before.unpricedCalls,
    unpricedAfter: after.unpricedCalls,
    unpricedUsesBefore: before.unpricedUses,
    unpricedUsesAfter: after.unpricedUses,
  };
}

function hasChanged(part: ChangedPart): boolean {
  return (
    part.before !== part.after ||
    part.unpricedBefore !== part.unpricedAfter ||
    part.unpricedUsesBefore !== part.unpricedUsesAfter
  );
}

function changeSize({ before, after }: ChangedPart): bigint {
  return after > before ? after - before : before - after;
}

/** Splits a change into an effect of the number of calls and an effect of their price; nano-USD. */
export function splitChange(
  before: Pick<PeriodSum, 'cost' | 'calls'>,
  after: Pick<PeriodSum, 'cost' | 'calls'>,
): { readonly volume: bigint; readonly rate: bigint } {
  const difference = after.cost - before.cost;
  if (before.calls === 0 || after.calls === 0) return { volume: difference, rate: 0n };
  const volume = (BigInt(after.calls - before.calls) * before.cost) / BigInt(before.calls);
  return { volume, rate: difference - volume };
}

export interface ChangeCause<Dimension> {
  readonly dimension: Dimension;
  readonly part: ChangedPart;
  /** Share of the whole change; above 1 when other values moved the other way. */
  readonly share: number;
}

/** A cause explains at least so much of a change. */
const SHARE_LEAST = 0.3;
/** A cause with nearly the largest share is preferred if it is earlier in the list. */
const NEARLY = 0.9;

/**
 * Finds the value that explains most of a change. Dimensions with one value are skipped; of nearly equal causes, the
 * first in the list wins.
 */
export function leadingCause<Dimension>(
  dimensions: readonly { readonly dimension: Dimension; readonly change: DimensionChange }[],
  difference: bigint,
): ChangeCause<Dimension> | null {
  if (difference === 0n) return null;
  const causes = dimensions
    .filter(({ change }) => change.values > 1)
    .flatMap(({ dimension, change }) => {
      const [part] = change.parts.filter(({ value }) => value !== null).toSorted((a, b) => along(b) - along(a));
      return part ? [{ dimension, part, share: along(part) }] : [];
    });
  const most = Math.max(...causes.map(({ share }) => share));
  return causes.find(({ share }) => share >= SHARE_LEAST && share >= NEARLY * most) ?? null;

  function along({ before, after }: ChangedPart): number {
    return Number(after - before) / Number(difference);
  }
}
