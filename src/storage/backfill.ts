import type { Entry } from '../domain/usage/call.ts';
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
import { compilePattern, restrictedSpellings } from '../domain/policy/model-pattern.ts';
import { narrow } from '../domain/money/money.ts';
import type { Period } from '../domain/time/period.ts';
import type { PricedAs } from './counter-store.ts';

/** Calls of a window that are looked at one by one for the model they asked for; of more, the answers are told apart. */
export const SCANNED_ENTRIES_MAX = 200_000;
/** Names of models that one past keeps. */
export const REQUESTED_MODELS_MAX = 10_000;

/** Says whether a limit of models counts a model, as the ledger says it. */
export function modelMatcher(pattern: string, pricedAs: PricedAs): (provider: string, model: string) => boolean {
  const matches = compilePattern(pattern);
  return (provider, model) => restrictedSpellings(model, pricedAs(provider, model)).some(matches);
}

/** What is known of entries that a limit counts though they don't name its counter: they were there before it. */
export interface Backfill extends Period, Pick<Limit, 'counter' | 'workspaceId' | 'scope' | 'unit'> {
  /** Number of the newest entry that was there. */
  readonly entry: number;
  /** Providers and models that a limit of models counts; null of others. */
  readonly models: readonly (readonly [provider: string, model: string])[] | null;
  /** The models are those that were asked for, by which the ledger goes; false = those that answered. */
  readonly byRequested: boolean;
}

/** The counter under which a past counts an entry; null = it doesn't. */
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
  }
}

function readTag({ tags }: Entry, key: string): string | null {
  return Object.hasOwn(tags, key) ? (tags[key] ?? null) : null;
}

/** Sums by value, while they are made. */
export type ValueSums = Map<string, { counted: bigint; uncertain: bigint }>;

export function addValue(values: ValueSums, value: string, counted: bigint, uncertain: bigint): void {
  const sum = values.get(value);
  if (!sum) values.set(value, { counted, uncertain });
  else {
    sum.counted += counted;
    sum.uncertain += uncertain;
  }
}

/** The counters of one window, those that hold something. Of too many values the smallest are one. */
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

/** What an entry counts in a counter; once its uncertain part is released, only the rest. */
export function countInUnit(
  unit: LimitUnit,
  entry: Entry,
  isReleased: boolean,
): { counted: number; uncertain: number } {
  const uncertain = uncertainIn(unit, entry);
  const counted = countedIn(unit, entry);
  return isReleased ? { counted: counted - uncertain, uncertain: 0 } : { counted, uncertain };
}

/** null = it moves nothing. */
export function moveBetween(
  { counter, windowStart, value }: CounterRef,
  before: { counted: number; uncertain: number },
  after: { counted: number; uncertain: number },
): CounterMove | null {
  const counted = after.counted - before.counted;
  const uncertain = after.uncertain - before.uncertain;
  return counted === 0 && uncertain === 0 ? null : { counter, windowStart, value, counted, uncertain };
}
