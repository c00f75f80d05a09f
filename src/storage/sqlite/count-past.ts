import type { CounterState, Limit } from '../../domain/limits/limit.ts';
import { NO_VALUE } from '../../domain/limits/limit.ts';
import {
  addValue,
  REQUESTED_MODELS_MAX,
  modelMatcher,
  type Backfill,
  toCounterStates,
  type ValueSums,
} from '../past.ts';
import type { PricedAs, TimeRange, CounterRecount, SeriesFilter } from '../store.ts';
import { addTotals, countedIn, emptySum, isEmptySum } from '../totals.ts';
import { sumRequestedModels } from './asked-models.ts';
import type { LedgerDatabase } from './book.ts';
import { listCounters, setCounters } from './counters.ts';
import { saveBackfill, releasedUntil } from './pasts.ts';
import type { SumQuery } from './question.ts';
import { runToEnd, EntryReader, type QuerySteps } from './reading.ts';
import { nextUncertain } from './release.ts';
import type { SumGroup } from './sum.ts';
import { sumRange } from './sum-range.ts';

const NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM entries';

export async function backfillCounters(
  book: LedgerDatabase,
  limit: Limit,
  window: TimeRange,
  pricedAs: PricedAs,
): Promise<CounterState[]> {
  return await book.write(() => {
    const reading = new EntryReader(book.connection, book.names, Number.MAX_SAFE_INTEGER);
    const { values, ...models } = runToEnd(sumWindow(reading, limit, window, pricedAs));
    const states = toCounterStates(limit.counter, window.start, values);
    setCounters(book.connection, limit.counter, window.start, states);
    saveBackfill(book, toBackfill(book, limit, window, models));
    return states;
  });
}

function toBackfill(
  { connection }: LedgerDatabase,
  limit: Limit,
  { start, end }: TimeRange,
  models: BackfillModels,
): Backfill {
  const { counter, workspaceId, scope, unit } = limit;
  const entry = Number(connection.statement(NEWEST).get()?.['id']);
  return { counter, workspaceId, scope, unit, start, end, entry, ...models };
}

export function* recountWindow(
  reading: EntryReader,
  limit: Limit,
  window: TimeRange,
  pricedAs: PricedAs,
): QuerySteps<CounterRecount> {
  const { counter, workspaceId } = limit;
  const { values } = yield* sumWindow(reading, limit, window, pricedAs);
  const released = { counter, windowStart: window.start, until: releasedUntil(reading, counter) };
  for (let from = window.start, isLast = false; !isLast;) {
    const part = nextUncertain(reading, workspaceId, { ...released, from });
    for (const { touch, whole } of part.entries)
      addValue(values, touch.value, -BigInt(whole.uncertain), -BigInt(whole.uncertain));
    ({ end: from, isLast } = part);
    if (!isLast) yield;
  }
  return {
    expected: toCounterStates(counter, window.start, values),
    counted: listCounters(reading.connection, window.start, counter).filter(
      ({ windowStart }) => windowStart === window.start,
    ),
  };
}

type BackfillModels = Pick<Backfill, 'models' | 'asked'>;

interface WindowSum extends BackfillModels {
  readonly values: ValueSums;
}

function* sumWindow(reading: EntryReader, limit: Limit, window: TimeRange, pricedAs: PricedAs): QuerySteps<WindowSum> {
  const { scope, unit, workspaceId } = limit;
  const values: ValueSums = new Map();
  const add: AddSum = (value, { totals }) => {
    const { counted, uncertain } = countedIn(unit, totals);
    addValue(values, value, counted, uncertain);
  };
  const range = { start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  const ask: SumWindow = (question, filter, take) => {
    const whole = { by: [], tagKey: null, ...question, filter: { source: 'proxy', ...filter } } as const;
    return sumRange(reading, workspaceId, whole, range, take);
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
    case 'model': {
      const matches = modelMatcher(scope.pattern, pricedAs);
      return { values, ...(yield* sumModels(reading, workspaceId, window, matches, ask, add)) };
    }
  }
  return { values, models: null, asked: false };
}

type AddSum = (value: string, sum: Pick<SumGroup, 'totals'>) => void;
type SumWindow = (
  question: Partial<SumQuery>,
  filter: SeriesFilter,
  take: (group: SumGroup) => void,
) => QuerySteps<void>;

/** Roll-ups have no row for calls without the tag: they are all calls less those that carry it. */
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

/** By what calls asked for, as the ledger goes; where these can't be looked at, by what answered, which is near. */
function* sumModels(
  reading: EntryReader,
  workspaceId: string,
  window: TimeRange,
  matches: MatchesModel,
  ask: SumWindow,
  add: AddSum,
): QuerySteps<BackfillModels> {
  const asked = sumRequestedModels(reading, workspaceId, window)?.filter(({ provider, model }) =>
    matches(provider, model),
  );
  if (!asked || asked.length > REQUESTED_MODELS_MAX)
    return { models: yield* sumAnsweringModels(matches, ask, add), asked: false };
  for (const sum of asked) add('', sum);
  return { models: asked.map(({ provider, model }) => [provider, model]), asked: true };
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
