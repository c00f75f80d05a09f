import { EMPTY_TOTALS, emptySum, addTotals, sumTotals, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import {
  type ChangeCause,
  partChange,
  type ChangedPart,
  changesBy,
  leadingCause,
  type PartSum,
  splitChange,
} from '../../domain/usage/changes.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { toIso, type Period } from '../../domain/time/period.ts';
import type { Records } from '../../storage/records/records.ts';
import { CHANGE_DIMENSIONS, type UsageChanges } from '../../contract/overview.ts';
import { sumsBy, type UsageParts } from './usage-rows.ts';
import { unproxiedSeries } from './unproxied-series.ts';
import { formatUsd } from '../../domain/text/money.ts';

interface DimensionSplit {
  readonly by: (typeof CHANGE_DIMENSIONS)[number];
  /** Key of the tag when `by` is `tag`, otherwise null. */
  readonly tagKey: string | null;
}

/** Sums a range by several dimensions in as few passes as possible. */
async function dimensionSums(
  parts: UsageParts,
  splits: readonly DimensionSplit[],
  range: Period,
): Promise<{ readonly whole: UsageTotals; readonly by: ReadonlyMap<DimensionSplit, readonly PartSum[]> }> {
  const by = new Map<DimensionSplit, readonly PartSum[]>();
  if (range.start >= range.end) return { whole: EMPTY_TOTALS, by };
  const used = await parts.reports.models(parts.workspaceId, range);
  const withUnproxied = async (of: 'model' | 'provider') =>
    (await unproxiedSeries({ ...parts, range, buckets: [range.start], by: of, filter: {} })).owed;
  const rows = [...used.map(({ model, totals }) => ({ value: model, totals })), ...(await withUnproxied('model'))];
  const whole = sumTotals(rows);
  for (const split of splits)
    switch (split.by) {
      case 'model':
        by.set(split, sumByValue(rows));
        break;
      case 'provider': {
        const proxied = used.map(({ provider, totals }) => ({ value: provider, totals }));
        by.set(split, sumByValue([...proxied, ...(await withUnproxied('provider'))]));
        break;
      }
      case 'key':
        by.set(split, await sumsBy(parts, split, range));
        break;
      case 'tag': {
        const found = await parts.reports.byTag(parts.workspaceId, split.tagKey ?? '', range);
        const tagged = found.map((row) => Object.assign(emptySum(), row));
        const untagged = { ...whole };
        for (const part of tagged) addTotals(untagged, part, -1);
        const { cost, calls, unpricedCalls, unpricedUses } = untagged;
        const isNone = cost === 0n && calls + unpricedCalls + unpricedUses === 0;
        by.set(split, isNone ? tagged : [...tagged, { value: null, ...untagged }]);
      }
    }
  return { whole, by };
}

function sumByValue(rows: readonly { readonly value: string | null; readonly totals: UsageTotals }[]): PartSum[] {
  return [...Map.groupBy(rows, ({ value }) => value)].map(([value, own]) => Object.assign(sumTotals(own), { value }));
}

/** Most tags that are examined; if there are more, the first in alphabetical order. */
const TAG_KEYS_MAX = 5;
const TAG_KEY_OTHER = '(other)';

type ChangeDimension = DimensionSplit['by'];

export interface ChangeParts extends UsageParts {
  readonly records: Pick<Records, 'keys'>;
}

export interface ChangeQuery {
  readonly period: Period;
  readonly comparedWith: Period;
  /** Parts of each dimension that are shown separately. */
  readonly partsMax: number;
  /** Name of the period before in the sentence: `than yesterday until this time`. */
  readonly than: string;
}

/** Explains the change of usage between two periods, by every dimension. */
export async function explainChange(parts: ChangeParts, asked: ChangeQuery): Promise<UsageChanges> {
  const splits = await changeSplits(parts);
  const before = await dimensionSums(parts, splits, asked.comparedWith);
  const after = await dimensionSums(parts, splits, asked.period);
  const whole = { before: before.whole, after: after.whole };
  const dimensions = splits.map((dimension) => {
    const sums = { before: before.by.get(dimension) ?? [], after: after.by.get(dimension) ?? [] };
    return { dimension, change: changesBy(sums, whole, asked.partsMax) };
  });
  const names = new Map((await parts.records.keys.list(parts.workspaceId)).map(({ id, name }) => [id, name]));
  const { volume, rate } = splitChange(whole.before, whole.after);
  const difference = whole.after.cost - whole.before.cost;
  const cause = leadingCause(dimensions, difference);
  const isDivided = dimensions.some(({ change }) => change.values > 1);
  return {
    period: changePeriodView(asked.period),
    comparedWith: changePeriodView(asked.comparedWith),
    ...movedView(partChange(null, whole.before, whole.after)),
    byVolume: usdFromNano(volume),
    byRate: usdFromNano(rate),
    cause: cause && causeView(cause, names),
    message: [
      changeSentence({ difference, than: asked.than, cause: cause && causeName(cause, names), isDivided }),
      ...unpricedSentences(whole),
    ].join(' '),
    dimensions: dimensions.map(({ dimension, change }) => ({
      by: dimension.by,
      tagKey: dimension.tagKey,
      parts: change.parts.map((part) => ({
        value: part.value,
        name: splitValueName(dimension, part.value, names),
        ...movedView(part),
      })),
      other: { ...movedView(change.others), values: change.others.values },
    })),
  };
}

async function changeSplits({ reports, workspaceId }: ChangeParts): Promise<DimensionSplit[]> {
  const keys = (await reports.tagKeys(workspaceId)).filter((key) => key !== TAG_KEY_OTHER).toSorted();
  return CHANGE_DIMENSIONS.flatMap((by): DimensionSplit[] =>
    by === 'tag' ? keys.slice(0, TAG_KEYS_MAX).map((tagKey) => ({ by, tagKey })) : [{ by, tagKey: null }],
  );
}

function movedView(part: Omit<ChangedPart, 'value'>) {
  const { before, after, callsBefore, callsAfter, unpricedBefore, unpricedAfter } = part;
  return {
    before: usdFromNano(before),
    after: usdFromNano(after),
    difference: usdFromNano(after - before),
    callsBefore,
    callsAfter,
    ...(unpricedBefore > 0 && { unpricedBefore }),
    ...(unpricedAfter > 0 && { unpricedAfter }),
    ...(part.unpricedUsesBefore > 0 && { unpricedUsageBefore: true }),
    ...(part.unpricedUsesAfter > 0 && { unpricedUsageAfter: true }),
  };
}

function changePeriodView({ start, end }: Period): UsageChanges['period'] {
  return { start: toIso(start), end: toIso(end) };
}

function causeView(cause: ChangeCause<DimensionSplit>, names: ReadonlyMap<string, string>): UsageChanges['cause'] {
  const { dimension, part, share } = cause;
  return {
    ...dimension,
    value: part.value ?? '',
    name: splitValueName(dimension, part.value, names),
    difference: usdFromNano(part.after - part.before),
    share: Math.round(share * 1_000) / 1_000,
  };
}

const WITHOUT: Readonly<Record<ChangeDimension, string>> = {
  tag: '(untagged)',
  key: '(no key)',
  model: '(no model)',
  provider: '(no provider)',
};

function splitValueName({ by }: DimensionSplit, value: string | null, names: ReadonlyMap<string, string>): string {
  if (value === null) return WITHOUT[by];
  return by === 'key' ? (names.get(value) ?? value) : value;
}

function causeName({ dimension, part }: ChangeCause<DimensionSplit>, names: ReadonlyMap<string, string>): string {
  const name = splitValueName(dimension, part.value, names);
  const what = dimension.by === 'tag' ? `${dimension.tagKey}=${name}` : `the ${dimension.by} ${name}`;
  const moved = part.after - part.before;
  return `${what} (${moved < 0n ? '-' : '+'}${formatUsd(absoluteNano(moved))})`;
}

interface DescribedChange {
  readonly difference: bigint;
  readonly than: string;
  /** The value that explains most of the change; null = none. */
  readonly cause: string | null;
  /** Some dimension has more than one value, so there may be a cause. */
  readonly isDivided: boolean;
}

function changeSentence({ difference, than, cause, isDivided }: DescribedChange): string {
  if (difference === 0n) return `Same spend as ${than}.`;
  const first = `${formatUsd(absoluteNano(difference))} ${difference > 0n ? 'more' : 'less'} than ${than}`;
  if (cause !== null) return `${first}, mostly ${cause}.`;
  return isDivided ? `${first}; no single key, model or tag explains it.` : `${first}.`;
}

/** Returns sentences about unpriced usage in either period. */
function unpricedSentences({ before, after }: { readonly before: UsageTotals; readonly after: UsageTotals }): string[] {
  const calls = before.unpricedCalls + after.unpricedCalls;
  const isUse = before.unpricedUses + after.unpricedUses > 0;
  return [
    ...(calls === 1 ? ['1 call without a price is not included.'] : []),
    ...(calls > 1 ? [`${calls} calls without a price are not included.`] : []),
    ...(isUse ? ['Some usage without a price is not included.'] : []),
  ];
}

function absoluteNano(value: bigint): bigint {
  return value < 0n ? -value : value;
}
