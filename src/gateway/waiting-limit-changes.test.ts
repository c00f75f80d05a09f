import { expect, test } from 'vitest';
import type { LimitMessageToGateway } from '../ipc/messages.ts';
import type { Limit } from '../domain/limits/limit.ts';
import { sampleLimit, NOON, SampleEngine } from '../limits/contract/sample-limits.ts';
import { QUESTIONS_MAX, UNMERGED_CHANGES_MAX, LimitChanges } from './waiting-limit-changes.ts';

const MANY = 5 * UNMERGED_CHANGES_MAX;

const put = (limit: Limit): LimitMessageToGateway => ({ type: 'limit-changed', limit });
const moved = (counter: number, counted: number, value = ''): LimitMessageToGateway => ({
  type: 'counters-moved',
  moves: [{ counter, windowStart: 0, value, counted, uncertain: counted }],
});

function waiting(changes: Iterable<LimitMessageToGateway>): LimitChanges {
  const waits = new LimitChanges();
  for (const change of changes) waits.add(change);
  return waits;
}

test('a few changes wait unmerged in their order', () => {
  const few = [moved(1, 1), moved(1, 2), put(sampleLimit('lim_1')), put(sampleLimit('lim_1', { amount: 7 }))];
  const waits = waiting(few);
  expect([waits.take(), waits.size, waits.take()]).toEqual([few, 0, []]);
});

test('waiting corrections are merged, so there are no more than counters', () => {
  const waits = waiting(Array.from({ length: MANY }, (_, at) => moved(at % 3, at % 2 ? -2 : 5)));
  expect(waits.size).toBeLessThanOrEqual(UNMERGED_CHANGES_MAX);
  const sums = [0, 0, 0];
  for (const change of waits.take())
    if (change.type === 'counters-moved')
      for (const { counter, counted } of change.moves) sums[counter] = (sums[counter] ?? 0) + counted;
  const expected = [0, 0, 0];
  for (let at = 0; at < MANY; at += 1) expected[at % 3] = (expected[at % 3] ?? 0) + (at % 2 ? -2 : 5);
  expect(sums).toEqual(expected);
});

test('only the last change of a limit waits, and corrections stay on their side of a backfill', () => {
  const total = { window: 'total', unit: 'usd' } as const;
  const changes: LimitMessageToGateway[] = [];
  for (let amount = 0; amount < MANY; amount += 1)
    changes.push(put(sampleLimit('lim_1', { ...total, amount })), moved(1, 1), moved(2, 1));
  // What moved before a past was told is in it.
  const past = [{ counter: 2, windowStart: 0, value: '', counted: 50, uncertain: 0 }];
  changes.push({ type: 'limit-backfilled', counter: 2, counters: past }, moved(2, 3), {
    type: 'limit-removed',
    id: 'lim_3',
  });
  for (let again = 0; again < MANY; again += 1) changes.push(moved(2, 1));
  const waits = waiting(changes);
  expect(waits.size).toBeLessThanOrEqual(UNMERGED_CHANGES_MAX);

  const sample = new SampleEngine(sampleLimit('lim_1', total), sampleLimit('lim_2', { ...total, countsPast: false }));
  for (const change of waits.take())
    if (change.type === 'limit-changed') sample.engine.put(change.limit, NOON);
    else if (change.type === 'limit-backfilled') sample.engine.addPast(change.counter, change.counters, NOON);
    else if (change.type === 'counters-moved') sample.engine.move(change.moves, NOON);
  expect(sample.figures()).toEqual({ lim_1: [MANY, 0], lim_2: [50 + 3 + MANY, 0] });
  expect(sample.engine.standings(['lim_1'], NOON, 1)[0]?.amount).toBe(MANY - 1);
});

test('the newest questions wait, and each is answered after all changes sent before it', () => {
  const changes: LimitMessageToGateway[] = [];
  for (let question = 0; question < MANY; question += 1)
    changes.push(moved(1, 1), { type: 'ask-applied', question }, { type: 'ask-limits', question, limits: [] });
  const taken = waiting(changes).take();
  expect(taken.length).toBeLessThanOrEqual(2 * (QUESTIONS_MAX + 1));
  const newest = taken.findLastIndex(({ type }) => type === 'ask-applied');
  expect(taken[newest]).toMatchObject({ question: MANY - 1 });
  const before = taken.slice(0, newest).flatMap((change) => (change.type === 'counters-moved' ? change.moves : []));
  expect(before.reduce((sum, { counted }) => sum + counted, 0)).toBe(MANY);
});

test('corrections whose sum is not an exact number stay separate', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const changes = [moved(1, most), moved(1, most), ...Array.from({ length: UNMERGED_CHANGES_MAX }, () => moved(1, -1))];
  const [only] = waiting(changes).take();
  if (only?.type !== 'counters-moved') throw new Error('nothing moved');
  expect(only.moves.map(({ counted }) => BigInt(counted)).reduce((a, b) => a + b)).toBe(
    2n * BigInt(most) - BigInt(UNMERGED_CHANGES_MAX - 1),
  );
});
