import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTemporaryRecords, TEST_NOW } from '../../../test/support/temporary-records.ts';
import type { OutcomeKind, ReportedOutcome } from '../../domain/observed/outcome.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

const DAY = TEST_NOW - (TEST_NOW % DAY_MS);
const ALL = { start: 0, end: TEST_NOW + 99 * DAY_MS };

function point(series: string, at: number, amount: number, kind: OutcomeKind = 'commits'): ReportedOutcome {
  return { series, kind, assistant: 'claude_code', tokenId: 'tok_1', session: null, at, amount };
}

test('a counter since its start counts its growth on each day, in any order and however often it is sent', async () => {
  const points = [
    point('a', DAY + 1, 2),
    point('a', DAY + 5, 3),
    point('a', DAY + DAY_MS, 3),
    point('a', DAY + 2 * DAY_MS, 10),
    point('b', DAY + 2 * DAY_MS, 1),
    point('new after a restart', DAY + 2 * DAY_MS, 4),
  ];
  const order = fc.shuffledSubarray([...points, ...points], { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(order, async (shuffled) => {
      const { records } = await openTemporaryRecords();
      for (const one of shuffled) await records.outcomes.record(DEFAULT_WORKSPACE, [one]);
      const days = await records.outcomes.list(DEFAULT_WORKSPACE, ALL, 'assistant');
      expect(days.map(({ day, amounts }) => [(day - DAY) / DAY_MS, amounts.commits])).toEqual([
        [0, 3],
        [1, 0],
        [2, 12],
      ]);
    }),
    { numRuns: 5 },
  );
});

test('kinds that are not reported are unknown, and a period has only its days', async () => {
  const { records } = await openTemporaryRecords();
  await records.outcomes.record(DEFAULT_WORKSPACE, [
    point('a', DAY, 2),
    point('a', DAY + DAY_MS, 5),
    point('l', DAY + DAY_MS, 7, 'lines_added'),
  ]);
  expect(
    await records.outcomes.list(DEFAULT_WORKSPACE, { start: DAY + DAY_MS, end: DAY + 2 * DAY_MS }, 'assistant'),
  ).toEqual([
    {
      day: DAY + DAY_MS,
      tokenId: 'tok_1',
      assistant: 'claude_code',
      session: null,
      amounts: {
        commits: 3,
        pull_requests: null,
        lines_added: 7,
        lines_removed: null,
        input_tokens: null,
        output_tokens: null,
      },
    },
  ]);
  expect(await records.outcomes.list('ws_other', ALL, 'session')).toEqual([]);
});

test('outcomes are told apart by session until old counters are folded', async () => {
  const { records } = await openTemporaryRecords();
  const { outcomes } = records;
  await outcomes.record(DEFAULT_WORKSPACE, [
    { ...point('a', DAY, 2), session: 'one' },
    { ...point('b', DAY, 1), session: 'two' },
    point('c', DAY, 4),
  ]);
  const read = async () =>
    (await outcomes.list(DEFAULT_WORKSPACE, ALL, 'session')).map(({ session, amounts }) => [session, amounts.commits]);
  expect(await read()).toEqual([
    [null, 4],
    ['one', 2],
    ['two', 1],
  ]);
  await outcomes.prune(DEFAULT_WORKSPACE, DAY + DAY_MS, 10);
  expect(await read()).toEqual([[null, 7]]);
});

test('old counters are folded into days, which stay the same', async () => {
  const { records, db } = await openTemporaryRecords();
  const { outcomes } = records;
  const many = Array.from({ length: 30 }, (_, index) => point(`delta ${index}`, DAY + (index % 3) * DAY_MS, 1 + index));
  await outcomes.record(DEFAULT_WORKSPACE, [...many, point('c', DAY, 4), point('c', DAY + 9 * DAY_MS, 6)]);
  const before = await outcomes.list(DEFAULT_WORKSPACE, ALL, 'assistant');
  let folded = 0;
  for (let step = 0; step < 4; step += 1) folded += await outcomes.prune(DEFAULT_WORKSPACE, DAY + 5 * DAY_MS, 10);
  expect(folded).toBe(30);
  expect(await outcomes.list(DEFAULT_WORKSPACE, ALL, 'assistant')).toEqual(before);
  const rows = await db.selectFrom('observed_outcomes').select('series').execute();
  expect(rows.map(({ series }) => series).toSorted()).toEqual(['', '', '', 'c', 'c']);
  await outcomes.prune(DEFAULT_WORKSPACE, DAY + 20 * DAY_MS, 10);
  expect(await outcomes.list(DEFAULT_WORKSPACE, ALL, 'assistant')).toEqual(before);
});
