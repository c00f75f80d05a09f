import { emptySum, addTotals, isEmptySum, type UsageTotals } from '../../domain/usage/usage-totals.ts';
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
import { countedIn, MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import { listCounters, listTouched, readBackfills, releasedUntil, saveBackfill, setCounters } from './counters.ts';
import type { SumQuery } from './sum-query.ts';
import { EntryReader, readDetailBegins, type SqlContext } from './entry-reader.ts';
import { ask, askSums, type SqlSteps } from './steps.ts';
import { nextUncertain } from './release-uncertain.ts';
import { type SumGroup, sumRange } from './sum-range.ts';
import { readTotals } from './totals-row.ts';
import { number, text, textOrNull } from './result-row.ts';
import { effectiveEntry } from '../effective-entry.ts';
import { toRecordedEntries } from './read-entry.ts';
import { ENTRY_COLUMNS } from './entry-rows.ts';
import type { Period } from '../../domain/time/period.ts';
import type { CounterRecount, PricedAs } from '../counter-store.ts';
import type { SeriesFilter } from '../usage-queries.ts';

const IN_WINDOW = 'workspace = :workspace AND started_at >= :start AND started_at < :end';
const COUNT = `SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${IN_WINDOW} LIMIT :most) AS counted`;
const SUMS = MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ');
/** Like the view `entry_measures`, with requested models. */
const DETAILS = `SELECT provider, requested_model, requested_model_text, 1 AS calls, failed_calls, coalesce(cost, 0) AS cost,
    input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, unpriced_calls, uncertain_calls,
    uncertain_up_to, unpriced_up_to, uncertain_input_tokens, uncertain_output_tokens
  FROM entries WHERE ${IN_WINDOW} AND source = :source AND sent = 1
  UNION ALL
  SELECT e.provider, e.requested_model, e.requested_model_text, 0, 0, a.cost_moved, a.input_moved, a.cache_read_moved,
    a.cache_write_moved, a.output_moved, a.unpriced_moved, a.uncertain_calls_moved, a.uncertain_moved,
    a.unpriced_up_to_moved, a.uncertain_input_moved, a.uncertain_output_moved
  FROM adjustments a JOIN entries e ON e.id = a.entry AND e.started_at = a.started_at
  WHERE a.workspace = :workspace AND a.started_at >= :start AND a.started_at < :end AND e.source = :source AND e.sent = 1`;
const READ = `SELECT (SELECT text FROM names WHERE id = provider) AS provider,
    coalesce(requested_model_text, (SELECT text FROM names WHERE id = requested_model)) AS model, ${MEASURE_COLUMNS.join(', ')}
  FROM (SELECT provider, requested_model, requested_model_text, ${SUMS} FROM (${DETAILS}) AS details GROUP BY 1, 2, 3) AS sums`;

interface RequestedModelSum {
  readonly provider: string;
  readonly model: string;
  readonly totals: UsageTotals;
}

/**
 * Returns the sums of proxied calls in a window by requested model; null = too many entries, or some were pruned.
 */
function* sumRequestedModels(
  { names }: SqlContext,
  workspaceId: string,
  window: Period,
): SqlSteps<RequestedModelSum[] | null> {
  const [workspace, source] = [yield* names.find(workspaceId), yield* names.find('proxy')];
  if (workspace === undefined || source === undefined) return [];
  if (window.start < (yield* readDetailBegins(workspace))) return null;
  const range = { workspace, start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  const [count] = yield ask(COUNT, { ...range, most: SCANNED_ENTRIES_MAX + 1 });
  if (Number(count?.['n']) > SCANNED_ENTRIES_MAX) return null;
  const rows = yield askSums(READ, { ...range, source });
  return rows.flatMap((row) => {
    const model = textOrNull(row, 'model');
    return model === null ? [] : [{ provider: text(row, 'provider'), model, totals: readTotals(row, MEASURES) }];
  });
}

const NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM entries';

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
  yield* saveBackfill(context.names, yield* toBackfill(limit, window, models));
  return states;
}

function* toBackfill(limit: Limit, { start, end }: Period, models: BackfillModels): SqlSteps<Backfill> {
  const { counter, workspaceId, scope, unit } = limit;
  const [newest] = yield ask(NEWEST);
  return { counter, workspaceId, scope, unit, start, end, entry: number(newest ?? {}, 'id'), ...models };
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
    for (const { counterRef, whole } of part.entries)
      addValue(values, counterRef.value, -BigInt(whole.uncertain), -BigInt(whole.uncertain));
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
  const asked = (yield* sumRequestedModels(reader, workspaceId, window))?.filter(({ provider, model }) =>
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
const ARE_IN = 'workspace = :workspace AND started_at >= :start AND started_at < :end';
const COUNT_ENTRIES = `SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${ARE_IN} LIMIT ${SCANNED_ENTRIES_MAX + 1}) AS counted`;
const NEXT_ENTRIES = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${ARE_IN} AND (started_at, id) > (:start, :after)
  ORDER BY started_at, id LIMIT ${AT_ONCE}`;

export function* recountNamedEntries(
  reader: EntryReader,
  limit: Limit,
  { start, end }: Period,
): SqlSteps<CounterRecount | null> {
  const { counter, workspaceId } = limit;
  const { names } = reader;
  const workspace = (yield* names.find(workspaceId)) ?? -1;
  const range = { workspace, start, end: Math.min(end, Number.MAX_SAFE_INTEGER) };
  const pasts = yield* readBackfills(names, workspaceId);
  const backfills = pasts.filter((past) => past.counter === counter);
  if (start < (yield* readDetailBegins(workspace)) || !backfills.every(({ byRequested }) => byRequested)) return null;
  const [count] = yield ask(COUNT_ENTRIES, range);
  if (Number(count?.['n']) > SCANNED_ENTRIES_MAX) return null;
  const released = yield* releasedUntil(counter);
  const values: ValueSums = new Map();
  for (let from = { start, after: -1 }, isLast = false; !isLast;) {
    const rows = yield ask(NEXT_ENTRIES, { ...range, ...from });
    for (const [index, recorded] of (yield* toRecordedEntries(rows)).entries()) {
      const entry = effectiveEntry(recorded);
      for (const counterRef of listTouched(entry, number(rows[index] ?? {}, 'id'), backfills)) {
        if (counterRef.counter !== counter || counterRef.windowStart !== start) continue;
        const { counted, uncertain } = countInUnit(counterRef.unit, entry, entry.endedAt < released);
        addValue(values, counterRef.value, BigInt(counted), BigInt(uncertain));
      }
    }
    const last = rows.at(-1);
    isLast = rows.length < AT_ONCE;
    if (last) from = { start: number(last, 'started_at'), after: number(last, 'id') };
    if (!isLast) yield;
  }
  const counted = yield* listCounters(start, [counter]);
  return {
    expected: toCounterStates(counter, start, values),
    counted: counted.filter(({ windowStart }) => windowStart === start),
  };
}
