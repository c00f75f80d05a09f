import {
  type Cause,
  type ChangedPart,
  changesBy,
  type DimensionChange,
  leadingCause,
  type PartSum,
  splitChange,
} from '../../core/changes.ts';
import { formatUsd, usdFromNano } from '../../core/money.ts';
import { iso, type Period } from '../../core/period.ts';
import type { Records } from '../../storage/records/records.ts';
import { CHANGE_DIMENSIONS, type UsageChanges } from '../contract-overview.ts';
import { sumsBy, type UsageParts, type UsageQuestion } from './usage-rows.ts';

/** Tags that are looked at; with more of them, those first in the alphabet. */
const TAG_KEYS_MAX = 5;
const TAG_KEY_OTHER = '(other)';

type By = (typeof CHANGE_DIMENSIONS)[number];
type NamedSplit = Pick<UsageQuestion, 'tagKey'> & { readonly by: By };

export interface ChangeParts extends UsageParts {
  readonly records: Pick<Records, 'keys'>;
}

export interface ChangeAsked {
  readonly period: Period;
  readonly comparedWith: Period;
  /** Parts of each dimension that are shown apart. */
  readonly partsMax: number;
  /** What the period before is called in the sentence: `than yesterday until this time`. */
  readonly than: string;
}

/** What of the usage moved between two periods, by every dimension that could explain it. */
export async function explainChange(parts: ChangeParts, asked: ChangeAsked): Promise<UsageChanges> {
  const two = async (split: UsageQuestion) => ({
    before: await sumsBy(parts, split, asked.comparedWith),
    after: await sumsBy(parts, split, asked.period),
  });
  const all = await two({ by: null, tagKey: null });
  const whole = { before: added(all.before), after: added(all.after) };
  const dimensions: { dimension: NamedSplit; change: DimensionChange }[] = [];
  for (const dimension of await splitsOf(parts))
    dimensions.push({ dimension, change: changesBy(await two(dimension), whole, asked.partsMax) });
  const names = new Map((await parts.records.keys.list(parts.workspaceId)).map(({ id, name }) => [id, name]));
  const { volume, rate } = splitChange(whole.before, whole.after);
  const difference = whole.after.cost - whole.before.cost;
  const cause = leadingCause(dimensions, difference);
  const moved = { before: whole.before.cost, after: whole.after.cost };
  return {
    period: periodView(asked.period),
    comparedWith: periodView(asked.comparedWith),
    ...movedView({ ...moved, callsBefore: whole.before.calls, callsAfter: whole.after.calls }),
    byVolume: usdFromNano(volume),
    byRate: usdFromNano(rate),
    cause: cause && causeView(cause, names),
    message: sentence(difference, asked.than, cause && causeName(cause, names)),
    dimensions: dimensions.map(({ dimension, change }) => ({
      by: dimension.by,
      tagKey: dimension.tagKey,
      parts: change.parts.map((part) => ({
        value: part.value,
        name: nameOf(dimension, part.value, names),
        ...movedView(part),
      })),
      rest: { ...movedView(change.rest), values: change.rest.values },
    })),
  };
}

async function splitsOf({ reports, workspaceId }: ChangeParts): Promise<NamedSplit[]> {
  const keys = (await reports.tagKeys(workspaceId)).filter((key) => key !== TAG_KEY_OTHER).toSorted();
  return CHANGE_DIMENSIONS.flatMap((by): NamedSplit[] =>
    by === 'tag' ? keys.slice(0, TAG_KEYS_MAX).map((tagKey) => ({ by, tagKey })) : [{ by, tagKey: null }],
  );
}

function added(sums: readonly PartSum[]): Omit<PartSum, 'value'> {
  return {
    cost: sums.reduce((sum, { cost }) => sum + cost, 0n),
    calls: sums.reduce((sum, { calls }) => sum + calls, 0),
  };
}

function movedView({ before, after, callsBefore, callsAfter }: Omit<ChangedPart, 'value'>) {
  return {
    before: usdFromNano(before),
    after: usdFromNano(after),
    difference: usdFromNano(after - before),
    callsBefore,
    callsAfter,
  };
}

function periodView({ start, end }: Period): UsageChanges['period'] {
  return { start: iso(start), end: iso(end) };
}

function causeView(cause: Cause<NamedSplit>, names: ReadonlyMap<string, string>): UsageChanges['cause'] {
  const { dimension, part, share } = cause;
  return {
    ...dimension,
    value: part.value ?? '',
    name: nameOf(dimension, part.value, names),
    difference: usdFromNano(part.after - part.before),
    share: Math.round(share * 1_000) / 1_000,
  };
}

const WITHOUT: Readonly<Record<By, string>> = {
  tag: '(untagged)',
  key: '(no key)',
  model: '(no model)',
  provider: '(no provider)',
};

function nameOf({ by }: NamedSplit, value: string | null, names: ReadonlyMap<string, string>): string {
  if (value === null) return WITHOUT[by];
  return by === 'key' ? (names.get(value) ?? value) : value;
}

function causeName({ dimension, part }: Cause<NamedSplit>, names: ReadonlyMap<string, string>): string {
  const name = nameOf(dimension, part.value, names);
  const what = dimension.by === 'tag' ? `${dimension.tagKey}=${name}` : `the ${dimension.by} ${name}`;
  const moved = part.after - part.before;
  return `${what} (${moved < 0n ? '-' : '+'}${formatUsd(absolute(moved))})`;
}

function sentence(difference: bigint, than: string, cause: string | null): string {
  if (difference === 0n) return `As much was spent as ${than}.`;
  const first = `${formatUsd(absolute(difference))} ${difference > 0n ? 'more' : 'less'} than ${than}`;
  return cause === null ? `${first}; no single key, model or tag explains it.` : `${first}, mostly ${cause}.`;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
