import type { CounterState, Limit } from '../../core/limit.ts';
import { NO_VALUE } from '../../core/limit.ts';
import { addValue, ASKED_MODELS_MAX, modelMatcher, type Past, statesOf, type Values } from '../past.ts';
import type { PricedAs, Range, SeriesFilter } from '../store.ts';
import { addTotals, countedIn, emptySum, isEmptySum } from '../totals.ts';
import { sumAskedModels } from './asked-models.ts';
import type { Book } from './book.ts';
import { setCounters } from './counters.ts';
import { keepPast, releasedUntil } from './pasts.ts';
import type { Question } from './question.ts';
import { Reading } from './reading.ts';
import { uncertainEntries } from './release.ts';
import type { Group } from './sum.ts';
import { sumRange } from './sum-range.ts';

const NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM entries';

export async function countPast(book: Book, limit: Limit, window: Range, pricedAs: PricedAs): Promise<CounterState[]> {
  return await book.write(() => {
    const { values, ...models } = sumWindow(book, limit, window, pricedAs);
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

export function recount(book: Book, limit: Limit, window: Range, pricedAs: PricedAs): CounterState[] {
  const { values } = sumWindow(book, limit, window, pricedAs);
  const { counter, workspaceId } = limit;
  const released = { counter, windowStart: window.start, from: window.start, until: releasedUntil(book, counter) };
  for (const { touch, whole } of uncertainEntries(book, workspaceId, released))
    addValue(values, touch.value, -BigInt(whole.uncertain), -BigInt(whole.uncertain));
  return statesOf(counter, window.start, values);
}

type PastModels = Pick<Past, 'models' | 'asked'>;

interface WindowSum extends PastModels {
  readonly values: Values;
}

function sumWindow(book: Book, { scope, unit, workspaceId }: Limit, window: Range, pricedAs: PricedAs): WindowSum {
  const values: Values = new Map();
  const add: Add = (value, { totals }) => {
    const { counted, uncertain } = countedIn(unit, totals);
    addValue(values, value, counted, uncertain);
  };
  const ask = (question: Partial<Question>, filter: SeriesFilter, take: (group: Group) => void): void =>
    sumNow(
      book,
      workspaceId,
      { by: [], tagKey: null, ...question, filter: { source: 'proxy', ...filter } },
      window,
      take,
    );
  switch (scope.kind) {
    case 'workspace':
      ask({}, {}, (group) => add('', group));
      break;
    case 'key':
      ask({}, { keyId: scope.keyId }, (group) => add('', group));
      break;
    case 'provider':
      ask({}, { provider: scope.provider }, (group) => add('', group));
      break;
    case 'tag':
      ask({}, { tag: { key: scope.key, value: scope.value } }, (group) => add('', group));
      break;
    case 'each_tag':
      addEachValue(scope.key, ask, add);
      break;
    case 'model':
      return { values, ...sumModels(book, workspaceId, window, modelMatcher(scope.pattern, pricedAs), ask, add) };
  }
  return { values, models: null, asked: false };
}

type Add = (value: string, sum: Pick<Group, 'totals'>) => void;
type Ask = (question: Partial<Question>, filter: SeriesFilter, take: (group: Group) => void) => void;

/** Roll-ups have no row for calls without the tag: they are all calls less those that carry it. */
function addEachValue(tagKey: string, ask: Ask, add: Add): void {
  const untagged = emptySum();
  ask({}, {}, ({ totals }) => addTotals(untagged, totals));
  ask({ by: ['tag_value'], tagKey }, {}, (group) => {
    const [value] = group.values;
    if (typeof value !== 'string') return;
    add(value, group);
    addTotals(untagged, group.totals, -1);
  });
  if (!isEmptySum(untagged)) add(NO_VALUE, { totals: untagged });
}

type Matches = ReturnType<typeof modelMatcher>;

/** By what calls asked for, as the ledger goes; where these can't be looked at, by what answered, which is near. */
function sumModels(book: Book, workspaceId: string, window: Range, matches: Matches, ask: Ask, add: Add): PastModels {
  const asked = sumAskedModels(book, workspaceId, window)?.filter(({ provider, model }) => matches(provider, model));
  if (!asked || asked.length > ASKED_MODELS_MAX) return { models: sumAnswers(matches, ask, add), asked: false };
  for (const sum of asked) add('', sum);
  return { models: asked.map(({ provider, model }) => [provider, model]), asked: true };
}

function sumAnswers(matches: Matches, ask: Ask, add: Add): Past['models'] {
  const models = new Map<string, readonly [string, string]>();
  ask({ by: ['provider', 'model'] }, {}, (group) => {
    const [provider, model] = group.values;
    if (typeof provider !== 'string' || typeof model !== 'string' || !matches(provider, model)) return;
    models.set(`${provider} ${model}`, [provider, model]);
    add('', group);
  });
  return [...models.values()];
}

/** In the caller's transaction, without a turn of others. */
function sumNow(
  { connection, names }: Book,
  workspaceId: string,
  question: Question,
  window: Range,
  take: (group: Group) => void,
): void {
  const end = Math.min(window.end, Number.MAX_SAFE_INTEGER);
  const reading = new Reading(connection, names, Number.MAX_SAFE_INTEGER);
  const steps = sumRange(reading, workspaceId, question, { start: window.start, end }, take);
  while (!steps.next().done);
}
