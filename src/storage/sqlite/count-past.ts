import type { CounterState, Limit } from '../../domain/limits/limit.ts';
import { NO_VALUE } from '../../domain/limits/limit.ts';
import { addValue, ASKED_MODELS_MAX, modelMatcher, type Past, statesOf, type Values } from '../past.ts';
import type { PricedAs, Range, Recount, SeriesFilter } from '../store.ts';
import { addTotals, countedIn, emptySum, isEmptySum } from '../totals.ts';
import { sumAskedModels } from './asked-models.ts';
import type { Book } from './book.ts';
import { listCounters, setCounters } from './counters.ts';
import { keepPast, releasedUntil } from './pasts.ts';
import type { Question } from './question.ts';
import { atOneGo, EntryReading, type Steps } from './reading.ts';
import { nextUncertain } from './release.ts';
import type { Group } from './sum.ts';
import { sumRange } from './sum-range.ts';

const NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM entries';

export async function countPast(book: Book, limit: Limit, window: Range, pricedAs: PricedAs): Promise<CounterState[]> {
  return await book.write(() => {
    const reading = new EntryReading(book.connection, book.names, Number.MAX_SAFE_INTEGER);
    const { values, ...models } = atOneGo(sumWindow(reading, limit, window, pricedAs));
    const states = statesOf(limit.counter, window.start, values);
    setCounters(book.connection, limit.counter, window.start, states);
    keepPast(book, pastOf(book, limit, window, models));
    return states;
  });
}

function pastOf({ connection }: Book, limit: Limit, { start, end }: Range, models: PastModels): Past {
  const { counter, workspaceId, scope, unit } = limit;
  const entry = Number(connection.statement(NEWEST).get()?.['id']);
  return { counter, workspaceId, scope, unit, start, end, entry, ...models };
}

export function* recount(reading: EntryReading, limit: Limit, window: Range, pricedAs: PricedAs): Steps<Recount> {
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
    expected: statesOf(counter, window.start, values),
    counted: listCounters(reading.connection, window.start, counter).filter(
      ({ windowStart }) => windowStart === window.start,
    ),
  };
}

type PastModels = Pick<Past, 'models' | 'asked'>;

interface WindowSum extends PastModels {
  readonly values: Values;
}

function* sumWindow(reading: EntryReading, limit: Limit, window: Range, pricedAs: PricedAs): Steps<WindowSum> {
  const { scope, unit, workspaceId } = limit;
  const values: Values = new Map();
  const add: Add = (value, { totals }) => {
    const { counted, uncertain } = countedIn(unit, totals);
    addValue(values, value, counted, uncertain);
  };
  const range = { start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  const ask: Ask = (question, filter, take) => {
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

type Add = (value: string, sum: Pick<Group, 'totals'>) => void;
type Ask = (question: Partial<Question>, filter: SeriesFilter, take: (group: Group) => void) => Steps<void>;

/** Roll-ups have no row for calls without the tag: they are all calls less those that carry it. */
function* addEachValue(tagKey: string, ask: Ask, add: Add): Steps<void> {
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

type Matches = ReturnType<typeof modelMatcher>;

/** By what calls asked for, as the ledger goes; where these can't be looked at, by what answered, which is near. */
function* sumModels(
  reading: EntryReading,
  workspaceId: string,
  window: Range,
  matches: Matches,
  ask: Ask,
  add: Add,
): Steps<PastModels> {
  const asked = sumAskedModels(reading, workspaceId, window)?.filter(({ provider, model }) => matches(provider, model));
  if (!asked || asked.length > ASKED_MODELS_MAX) return { models: yield* sumAnswers(matches, ask, add), asked: false };
  for (const sum of asked) add('', sum);
  return { models: asked.map(({ provider, model }) => [provider, model]), asked: true };
}

function* sumAnswers(matches: Matches, ask: Ask, add: Add): Steps<Past['models']> {
  const models = new Map<string, readonly [string, string]>();
  yield* ask({ by: ['provider', 'model'] }, {}, (group) => {
    const [provider, model] = group.values;
    if (typeof provider !== 'string' || typeof model !== 'string' || !matches(provider, model)) return;
    models.set(`${provider} ${model}`, [provider, model]);
    add('', group);
  });
  return [...models.values()];
}
