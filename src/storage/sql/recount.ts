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
import { countedIn, MEASURE_COLUMNS } from '../totals.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { listCounters, listTouched, readBackfills, releasedUntil, saveBackfill, setCounters } from './counters.ts';
import type { SumQuery } from './sum-query.ts';
import { EntryReader, type QuerySteps, readDetailBegins, runToEnd } from './entry-reader.ts';
import { nextUncertain } from './release-uncertain.ts';
import { type SumGroup, sumRange, toTotals } from './sum-range.ts';
import { number, type ResultRow, text, textOrNull } from './result-row.ts';
import { effectiveEntry } from '../effective-entry.ts';
import { toRecordedEntry } from './read-entry.ts';
import { ENTRY_COLUMNS } from './entry-rows.ts';
import type { Period } from '../../domain/time/period.ts';
import type { CounterRecount, PricedAs } from '../counter-store.ts';
import type { SeriesFilter } from '../usage-queries.ts';

const IN_WINDOW = 'workspace = :workspace AND started_at >= :start AND started_at < :end';
const COUNT = `SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${IN_WINDOW} LIMIT :most)`;
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
  FROM adjustments a JOIN entries e ON e.id = a.entry
  WHERE a.workspace = :workspace AND a.started_at >= :start AND a.started_at < :end AND e.source = :source AND e.sent = 1`;
const READ = `SELECT (SELECT text FROM names WHERE id = provider) AS provider,
    coalesce(requested_model_text, (SELECT text FROM names WHERE id = requested_model)) AS model, ${MEASURE_COLUMNS.join(', ')}
  FROM (SELECT provider, requested_model, requested_model_text, ${SUMS} FROM (${DETAILS}) GROUP BY 1, 2, 3)`;

interface RequestedModelSum {
  readonly provider: string;
  readonly model: string;
  readonly totals: UsageTotals;
}

/**
 * Returns the sums of proxied calls in a window by requested model; null = too many entries, or some were pruned.
 */
function sumRequestedModels(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  workspaceId: string,
  window: Period,
): RequestedModelSum[] | null {
  const [workspace, source] = [names.find(workspaceId), names.find('proxy')];
  if (workspace === undefined || source === undefined) return [];
  if (window.start < readDetailBegins(connection, workspace)) return null;
  const range = { workspace, start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  const { n } = connection.statement(COUNT).get({ ...range, most: SCANNED_ENTRIES_MAX + 1 }) ?? {};
  if (Number(n) > SCANNED_ENTRIES_MAX) return null;
  const rows = connection.sumStatement(READ).all({ ...range, source });
  return rows.flatMap((row) => {
    const model = textOrNull(row, 'model');
    return model === null ? [] : [{ provider: text(row, 'provider'), model, totals: toTotals(row) }];
  });
}

const NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM entries';

export async function backfillCounters(
  ledger: LedgerDatabase,
  limit: Limit,
  window: Period,
  pricedAs: PricedAs,
): Promise<CounterState[]> {
  return await ledger.write(() => {
    const reader = new EntryReader(ledger.connection, ledger.names, Number.MAX_SAFE_INTEGER);
    const { values, ...models } = runToEnd(sumWindow(reader, limit, window, pricedAs));
    const states = toCounterStates(limit.counter, window.start, values);
    setCounters(ledger.connection, limit.counter, window.start, states);
    saveBackfill(ledger, toBackfill(ledger, limit, window, models));
    return states;
  });
}

function toBackfill(
  { connection }: LedgerDatabase,
  limit: Limit,
  { start, end }: Period,
  models: BackfillModels,
): Backfill {
  const { counter, workspaceId, scope, unit } = limit;
  const entry = Number(connection.statement(NEWEST).get()?.['id']);
  return { counter, workspaceId, scope, unit, start, end, entry, ...models };
}

export function* recountWindow(
  reader: EntryReader,
  limit: Limit,
  window: Period,
  pricedAs: PricedAs,
): QuerySteps<CounterRecount> {
  const { counter, workspaceId } = limit;
  const { values } = yield* sumWindow(reader, limit, window, pricedAs);
  const released = { counter, windowStart: window.start, until: releasedUntil(reader, counter) };
  for (let from = window.start, isLast = false; !isLast;) {
    const part = nextUncertain(reader, workspaceId, { ...released, from });
    for (const { counterRef, whole } of part.entries)
      addValue(values, counterRef.value, -BigInt(whole.uncertain), -BigInt(whole.uncertain));
    ({ end: from, isLast } = part);
    if (!isLast) yield;
  }
  return {
    expected: toCounterStates(counter, window.start, values),
    counted: listCounters(reader.connection, window.start, [counter]).filter(
      ({ windowStart }) => windowStart === window.start,
    ),
  };
}

type BackfillModels = Pick<Backfill, 'models' | 'byRequested'>;

interface WindowSum extends BackfillModels {
  readonly values: ValueSums;
}

function* sumWindow(reader: EntryReader, limit: Limit, window: Period, pricedAs: PricedAs): QuerySteps<WindowSum> {
  const { scope, unit, workspaceId } = limit;
  const values: ValueSums = new Map();
  const add: AddSum = (value, { totals }) => {
    const { counted, uncertain } = countedIn(unit, totals);
    addValue(values, value, counted, uncertain);
  };
  const range = { start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  const ask: SumWindow = (query, filter, take) => {
    const whole = { by: [], tagKey: null, ...query, filter: { source: 'proxy', ...filter } } as const;
    return sumRange(reader, workspaceId, whole, range, take);
  };
  switch (scope.kind) {
    case 'workspace':
      yield* ask({}, {}, (group) => add('', group));
      break;
    case 'key':
      yield* ask({}, { keyId: scope.keyId }, (group) => add('', group));
      break;
    case 'provider':
      yield* ask({}, { provider: scope.provider }, (group) => add('', group));
      break;
    case 'tag':
      yield* ask({}, { tag: { key: scope.key, value: scope.value } }, (group) => add('', group));
      break;
    case 'each_tag':
      yield* addEachValue(scope.key, ask, add);
      break;
    // Concurrent calls are counted in memory; other such limits have on-demand counters.
    case 'each':
      break;
    case 'model': {
      const matches = modelMatcher(scope.pattern, pricedAs);
      return { values, ...(yield* sumModels(reader, workspaceId, window, matches, ask, add)) };
    }
  }
  return { values, models: null, byRequested: false };
}

type AddSum = (value: string, sum: Pick<SumGroup, 'totals'>) => void;
type SumWindow = (query: Partial<SumQuery>, filter: SeriesFilter, take: (group: SumGroup) => void) => QuerySteps<void>;

/**
 * Adds the sums of each tag value. Roll-ups have no row for untagged calls: these are all calls minus the tagged
 * ones.
 */
function* addEachValue(tagKey: string, ask: SumWindow, add: AddSum): QuerySteps<void> {
  const untagged = emptySum();
  yield* ask({}, {}, ({ totals }) => addTotals(untagged, totals));
  yield* ask({ by: ['tag_value'], tagKey }, {}, (group) => {
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
  ask: SumWindow,
  add: AddSum,
): QuerySteps<BackfillModels> {
  const asked = sumRequestedModels(reader, workspaceId, window)?.filter(({ provider, model }) =>
    matches(provider, model),
  );
  if (!asked || asked.length > REQUESTED_MODELS_MAX)
    return { models: yield* sumAnsweringModels(matches, ask, add), byRequested: false };
  for (const sum of asked) add('', sum);
  return { models: asked.map(({ provider, model }) => [provider, model]), byRequested: true };
}

function* sumAnsweringModels(matches: MatchesModel, ask: SumWindow, add: AddSum): QuerySteps<Backfill['models']> {
  const models = new Map<string, readonly [string, string]>();
  yield* ask({ by: ['provider', 'model'] }, {}, (group) => {
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
const COUNT_ENTRIES = `SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${ARE_IN} LIMIT ${SCANNED_ENTRIES_MAX + 1})`;
const NEXT_ENTRIES = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${ARE_IN} AND (started_at, id) > (:start, :after)
  ORDER BY started_at, id LIMIT ${AT_ONCE}`;

export function* recountNamedEntries(
  reader: EntryReader,
  limit: Limit,
  { start, end }: Period,
): QuerySteps<CounterRecount | null> {
  const { counter, workspaceId } = limit;
  const { connection, names } = reader;
  const workspace = names.find(workspaceId) ?? -1;
  const range = { workspace, start, end: Math.min(end, Number.MAX_SAFE_INTEGER) };
  const backfills = readBackfills(reader, workspaceId).filter((past) => past.counter === counter);
  const isKnown =
    start >= readDetailBegins(connection, workspace) && backfills.every(({ byRequested: asked }) => asked);
  if (!isKnown || Number(connection.statement(COUNT_ENTRIES).get(range)?.['n']) > SCANNED_ENTRIES_MAX) return null;
  const released = releasedUntil(reader, counter);
  const values: ValueSums = new Map();
  const add = (row: ResultRow): void => {
    const entry = effectiveEntry(toRecordedEntry(reader, row));
    const touches = listTouched(entry, number(row, 'id'), backfills);
    for (const counterRef of touches) {
      if (counterRef.counter !== counter || counterRef.windowStart !== start) continue;
      const { counted, uncertain } = countInUnit(counterRef.unit, entry, entry.endedAt < released);
      addValue(values, counterRef.value, BigInt(counted), BigInt(uncertain));
    }
  };
  for (let from = { start, after: -1 }, isLast = false; !isLast;) {
    const rows = connection.statement(NEXT_ENTRIES).all({ ...range, ...from });
    for (const row of rows) add(row);
    const last = rows.at(-1);
    isLast = rows.length < AT_ONCE;
    if (last) from = { start: number(last, 'started_at'), after: number(last, 'id') };
    if (!isLast) yield;
  }
  const counted = listCounters(connection, start, [counter]).filter(({ windowStart }) => windowStart === start);
  return { expected: toCounterStates(counter, start, values), counted };
}
