import { type Entry, isOpenBatch } from '../domain/usage/call.ts';
import { countedIn, uncertainIn } from '../domain/limits/counting.ts';
import {
  type CounterMove,
  type CounterState,
  type Limit,
  NO_VALUE,
  OTHER_VALUE,
  type CounterRef,
  type LimitUnit,
  BACKFILLED_VALUES_PER_LIMIT_MAX,
  needsPlace,
} from '../domain/limits/limit.ts';
import { compilePattern, mayMean, restrictedSpellings } from '../domain/policy/model-pattern.ts';
import { narrow } from '../domain/money/money.ts';
import type { Period } from '../domain/time/period.ts';
import type { PricedAs } from './counter-store.ts';

/** Calls that a backfill reads one by one for their requested model. Above this, it uses the answering models. */
export const SCANNED_ENTRIES_MAX = 200_000;
/** Model names that one backfill stores. */
export const REQUESTED_MODELS_MAX = 10_000;

/** Returns a test for models that a limit of models counts, with the same rule as the limits engine. */
export function modelMatcher(pattern: string, pricedAs: PricedAs): (provider: string, model: string) => boolean {
  const matches = compilePattern(pattern);
  return (provider, model) =>
    mayMean(model, pattern) || restrictedSpellings(model, pricedAs(provider, model)).some(matches);
}

/** Entries that a limit counts although they don't name its counter, because they are older than the limit. */
export interface Backfill extends Period, Pick<Limit, 'counter' | 'workspaceId' | 'scope' | 'unit'> {
  /** Number of the newest entry at that time. Nothing else is written meanwhile, so all lower ones are stored. */
  readonly entry: number;
  /** Providers and models that a limit of models counts; null for other limits. */
  readonly models: readonly (readonly [provider: string, model: string])[] | null;
  /** True = requested models, which the limits engine uses; false = answering models. */
  readonly byRequested: boolean;
}

/** Returns the counter under which a backfill counts an entry; null = none. */
export function backfillCounter(past: Backfill, entry: Entry, id: number): CounterRef | null {
  const { counter, unit, start, end, workspaceId } = past;
  const isIn =
    id <= past.entry && entry.startedAt >= start && entry.startedAt < end && entry.workspaceId === workspaceId;
  if (!isIn || entry.source !== 'proxy') return null;
  const value = backfillValue(past, entry);
  return value === null ? null : { counter, unit, windowStart: start, value };
}

function backfillValue({ scope, models, byRequested: asked }: Backfill, entry: Entry): string | null {
  const named = asked ? entry.requestedModel : entry.model;
  switch (scope.kind) {
    case 'workspace':
      return '';
    case 'key':
      return scope.keyId === entry.keyId ? '' : null;
    case 'provider':
      return scope.provider === entry.provider ? '' : null;
    case 'model':
      return models?.some(([provider, model]) => provider === entry.provider && model === named) ? '' : null;
    case 'tag':
      return readTag(entry, scope.key) === scope.value ? '' : null;
    case 'each_tag':
      return readTag(entry, scope.key) ?? NO_VALUE;
    case 'each':
      return null;
  }
}

function readTag({ tags }: Entry, key: string): string | null {
  return Object.hasOwn(tags, key) ? (tags[key] ?? null) : null;
}

/** Sums by tag value during a calculation. */
export type ValueSums = Map<string, { counted: bigint; uncertain: bigint }>;

export function addValue(values: ValueSums, value: string, counted: bigint, uncertain: bigint): void {
  const sum = values.get(value);
  if (!sum) values.set(value, { counted, uncertain });
  else {
    sum.counted += counted;
    sum.uncertain += uncertain;
  }
}

/**
 * Returns the non-zero counters of one window. Above the maximum number of values, the smallest share one counter.
 */
export function toCounterStates(
  counter: number,
  windowStart: number,
  values: ValueSums,
  valuesMax = BACKFILLED_VALUES_PER_LIMIT_MAX,
): CounterState[] {
  const states = [...values].toSorted(([a, x], [b, y]) =>
    x.counted === y.counted ? (a < b ? -1 : 1) : x.counted > y.counted ? -1 : 1,
  );
  const folded: ValueSums = new Map();
  let apart = 0;
  for (const [value, { counted, uncertain }] of states) {
    if (counted === 0n && uncertain === 0n) continue;
    if (needsPlace(value)) apart += 1;
    addValue(folded, needsPlace(value) && apart > valuesMax ? OTHER_VALUE : value, counted, uncertain);
  }
  return Array.from(folded, ([value, { counted, uncertain }]) => ({
    counter,
    windowStart,
    value,
    counted: narrow(counted),
    uncertain: narrow(uncertain),
  }));
}

/** Returns what an entry counts in a counter; after the release of its uncertain part, only the rest. An open batch is not released. */
export function countInUnit(
  unit: LimitUnit,
  entry: Entry,
  isReleased: boolean,
): { counted: number; uncertain: number } {
  const uncertain = uncertainIn(unit, entry);
  const counted = countedIn(unit, entry);
  return isReleased && !isOpenBatch(entry) ? { counted: counted - uncertain, uncertain: 0 } : { counted, uncertain };
}

/** Returns the difference between two counts as a move; null = none. */
export function moveBetween(
  { counter, windowStart, value }: CounterRef,
  before: { counted: number; uncertain: number },
  after: { counted: number; uncertain: number },
): CounterMove | null {
  const counted = after.counted - before.counted;
  const uncertain = after.uncertain - before.uncertain;
  return counted === 0 && uncertain === 0 ? null : { counter, windowStart, value, counted, uncertain };
}
