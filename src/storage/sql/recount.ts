import { emptySum, addTotals, isEmptySum } from '../../domain/usage/usage-totals.ts';
import { type CounterState, type Limit, NO_VALUE } from '../../domain/limits/limit.ts';
import {
  addValue,
  type Backfill,
  countInUnit,
  modelMatcher,
  REQUESTED_MODELS_MAX,
  SCANNED_ENTRIES_MAX,
  toCounterStates,
  type ValueSums,
} from '../backfill.ts';
import { countedIn } from '../totals.ts';
import { listCounters, listTouched, readBackfills, releasedUntil, saveBackfill, setCounters } from './counters.ts';
import type { SumQuery } from './sum-query.ts';
import { EntryReader, readDetailBegins } from './entry-reader.ts';
import type { RequestedModelSum, SumGroup, SqlContext } from './entry-table.ts';
import type { SqlSteps } from './steps.ts';
import { nextUncertain } from './release-uncertain.ts';
import { sumRange } from './sum-range.ts';
import { effectiveEntry } from '../effective-entry.ts';
import type { Period } from '../../domain/time/period.ts';
import type { CounterRecount, PricedAs } from '../counter-store.ts';
import type { SeriesFilter } from '../usage-queries.ts';

/**
 * Returns the sums of proxied calls in a window by requested model; null = too many entries, or some were pruned.
 */
function* readRequestedModels(
  context: SqlContext,
  workspaceId: string,
  window: Period,
): SqlSteps<RequestedModelSum[] | null> {
  const { names, entries } = context;
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return [];
  if (window.start < (yield* readDetailBegins(workspace))) return null;
  const range = { start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  if (yield* entries.hasMoreThan(context, workspaceId, range, SCANNED_ENTRIES_MAX)) return null;
  return yield* entries.sumRequestedModels(context, workspaceId, range);
}

export function* backfillCounters(
  context: SqlContext,
  limit: Limit,
  window: Period,
  pricedAs: PricedAs,
): SqlSteps<CounterState[]> {
  const reader = new EntryReader(context, Number.MAX_SAFE_INTEGER);
  const { values, ...models } = yield* sumWindow(reader, limit, window, pricedAs);
  const states = toCounterStates(limit.counter, window.start, values);
  yield* setCounters(limit.counter, window.start, states);
  const entry = yield* context.entries.newest(context);
  yield* saveBackfill(context.names, toBackfill(limit, window, entry, models));
  return states;
}

function toBackfill(limit: Limit, { start, end }: Period, entry: number, models: BackfillModels): Backfill {
  const { counter, workspaceId, scope, unit } = limit;
  return { counter, workspaceId, scope, unit, start, end, entry, ...models };
}

export function* recountWindow(
  reader: EntryReader,
  limit: Limit,
  window: Period,
  pricedAs: PricedAs,
): SqlSteps<CounterRecount> {
  const { counter, workspaceId } = limit;
  const { values } = yield* sumWindow(reader, limit, window, pricedAs);
  const released = { counter, windowStart: window.start, until: yield* releasedUntil(counter) };
  for (let from = window.start, isLast = false; !isLast;) {
    const part = yield* nextUncertain(reader, workspaceId, { ...released, from });
    for (const { counterRef, whole, sure } of part.entries) {
      const moved = BigInt(sure.uncertain - whole.uncertain);
      addValue(values, counterRef.value, moved, moved);
    }
    ({ end: from, isLast } = part);
    if (!isLast) yield;
  }
  const counted = yield* listCounters(window.start, [counter]);
  return {
    expected: toCounterStates(counter, window.start, values),
    counted: counted.filter(({ windowStart }) => windowStart === window.start),
  };
}

type BackfillModels = Pick<Backfill, 'models' | 'byRequested'>;

interface WindowSum extends BackfillModels {
  readonly values: ValueSums;
}

function* sumWindow(reader: EntryReader, limit: Limit, window: Period, pricedAs: PricedAs): SqlSteps<WindowSum> {
  const { scope, unit, workspaceId } = limit;
  const values: ValueSums = new Map();
  const add: AddSum = (value, { totals }) => {
    const { counted, uncertain } = countedIn(unit, totals);
    addValue(values, value, counted, uncertain);
  };
  const range = { start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  const sum: SumWindow = (query, filter, take) => {
    const whole = { by: [], tagKey: null, ...query, filter: { source: 'proxy', ...filter } } as const;
    return sumRange(reader, workspaceId, whole, range, take);
  };
  switch (scope.kind) {
    case 'workspace':
      yield* sum({}, {}, (group) => add('', group));
      break;
    case 'key':
      yield* sum({}, { keyId: scope.keyId }, (group) => add('', group));
      break;
    case 'provider':
      yield* sum({}, { provider: scope.provider }, (group) => add('', group));
      break;
    case 'tag':
      yield* sum({}, { tag: { key: scope.key, value: scope.value } }, (group) => add('', group));
      break;
    case 'each_tag':
      yield* addEachValue(scope.key, sum, add);
      break;
    // Concurrent calls are counted in memory; other such limits have on-demand counters.
    case 'each':
      break;
    case 'model': {
      const matches = modelMatcher(scope.pattern, pricedAs);
      return { values, ...(yield* sumModels(reader, workspaceId, window, matches, sum, add)) };
    }
  }
  return { values, models: null, byRequested: false };
}

type AddSum = (value: string, sum: Pick<SumGroup, 'totals'>) => void;
type SumWindow = (query: Partial<SumQuery>, filter: SeriesFilter, take: (group: SumGroup) => void) => SqlSteps<void>;

/**
 * Adds the sums of each tag value. Roll-ups have no row for untagged calls: these are all calls minus the tagged
 * ones.
 */
function* addEachValue(tagKey: string, sum: SumWindow, add: AddSum): SqlSteps<void> {
  const untagged = emptySum();
  yield* sum({}, {}, ({ totals }) => addTotals(untagged, totals));
  yield* sum({ by: ['tag_value'], tagKey }, {}, (group) => {
    const [value] = group.values;
    if (typeof value !== 'string') return;
    add(value, group);
    addTotals(untagged, group.totals, -1);
  });
  if (!isEmptySum(untagged)) add(NO_VALUE, { totals: untagged });
}

type MatchesModel = ReturnType<typeof modelMatcher>;

/**
 * Sums a limit of models by requested models, like the limits engine. If those can't be read, by answering models,
 * which is approximate.
 */
function* sumModels(
  reader: EntryReader,
  workspaceId: string,
  window: Period,
  matches: MatchesModel,
  sum: SumWindow,
  add: AddSum,
): SqlSteps<BackfillModels> {
  const asked = (yield* readRequestedModels(reader, workspaceId, window))?.filter(({ provider, model }) =>
    matches(provider, model),
  );
  if (!asked || asked.length > REQUESTED_MODELS_MAX)
    return { models: yield* sumAnsweringModels(matches, sum, add), byRequested: false };
  for (const group of asked) add('', group);
  return { models: asked.map(({ provider, model }) => [provider, model]), byRequested: true };
}

function* sumAnsweringModels(matches: MatchesModel, sum: SumWindow, add: AddSum): SqlSteps<Backfill['models']> {
  const models = new Map<string, readonly [string, string]>();
  yield* sum({ by: ['provider', 'model'] }, {}, (group) => {
    const [provider, model] = group.values;
    if (typeof provider !== 'string' || typeof model !== 'string' || !matches(provider, model)) return;
    models.set(`${provider} ${model}`, [provider, model]);
    add('', group);
  });
  return [...models.values()];
}

/** Entries per turn. */
const AT_ONCE = 500;

export function* recountNamedEntries(
  reader: EntryReader,
  limit: Limit,
  { start, end }: Period,
): SqlSteps<CounterRecount | null> {
  const { counter, workspaceId } = limit;
  const { names, entries } = reader;
  const workspace = (yield* names.find(workspaceId)) ?? -1;
  const range = { start, end: Math.min(end, Number.MAX_SAFE_INTEGER) };
  const pasts = yield* readBackfills(names, workspaceId);
  const backfills = pasts.filter((past) => past.counter === counter);
  if (start < (yield* readDetailBegins(workspace)) || !backfills.every(({ byRequested }) => byRequested)) return null;
  if (yield* entries.hasMoreThan(reader, workspaceId, range, SCANNED_ENTRIES_MAX)) return null;
  const released = yield* releasedUntil(counter);
  const values: ValueSums = new Map();
  for (let after = { startedAt: start, id: -1 }, isLast = false; !isLast;) {
    const found = yield* entries.following(reader, workspaceId, range, after, AT_ONCE);
    for (const { id, recorded } of found) {
      const entry = effectiveEntry(recorded);
      for (const counterRef of listTouched(entry, id, backfills)) {
        if (counterRef.counter !== counter || counterRef.windowStart !== start) continue;
        const { counted, uncertain } = countInUnit(counterRef.unit, entry, entry.endedAt < released);
        addValue(values, counterRef.value, BigInt(counted), BigInt(uncertain));
      }
    }
    const last = found.at(-1);
    isLast = found.length < AT_ONCE;
    if (last) after = { startedAt: last.recorded.entry.startedAt, id: last.id };
    if (!isLast) yield;
  }
  const counted = yield* listCounters(start, [counter]);
  return {
    expected: toCounterStates(counter, start, values),
    counted: counted.filter(({ windowStart }) => windowStart === start),
  };
}
