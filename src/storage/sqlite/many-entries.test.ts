import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StorageEngine } from '../engine.ts';
import type { LedgerStore } from '../store.ts';
import { entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { EntriesQuery, SeriesQuery } from '../usage-queries.ts';

const MOMENT = FIRST_DAY + HOUR_MS;
const AT_ONCE = 20_100;
const range = { start: FIRST_DAY, end: FIRST_DAY + DAY_MS };
/** What no roll-up holds. */
const crossed: SeriesQuery = {
  range,
  buckets: [FIRST_DAY],
  by: 'model',
  filter: { tag: { key: 'team', value: 'red' } },
};

let engine: StorageEngine;
let store: LedgerStore;
const folder = mkdtempSync(join(tmpdir(), 'many-entries-'));
beforeAll(async () => {
  engine = await openSqliteEngine({ databaseUrl: null, file: join(folder, 'ledger.db'), synchronous: 'normal' });
  store = engine.store;
  const red = { tags: { team: 'red' } };
  const entries = [
    entryOf('first', { startedAt: FIRST_DAY, keyId: 'rare', ...red }),
    ...Array.from({ length: AT_ONCE }, (_, index) => entryOf(`call_${index}`, { startedAt: MOMENT, ...red })),
    entryOf('last', { startedAt: MOMENT + 3, ...red }),
  ];
  await store.entries.append({ journalId: 'journal', mark: 1, entries });
});

afterAll(() => rmSync(folder, { recursive: true }));

test('entries that are summed in slices count once each, however many began in one millisecond', async () => {
  const [row, ...more] = await store.reports.series('ws_default', crossed);
  expect([row?.totals.calls, more]).toEqual([AT_ONCE + 2, []]);
});

/** The parts of an hour at the ends of a range are read from entries where others lie beyond. */
const odd = { start: FIRST_DAY + 1, end: MOMENT + 3 };
const questions: [string, () => Promise<unknown>][] = [
  ['a summary', () => store.reports.summary('ws_default', odd)],
  ['a tag', () => store.reports.byTag('ws_default', 'team', odd)],
  ['a series', () => store.reports.series('ws_default', { ...crossed, range: odd, buckets: [odd.start], filter: {} })],
  ['a series of entries', () => store.reports.series('ws_default', crossed)],
];

test.each(questions)('other work continues while entries are summed: %s', async (_, ask) => {
  let others = false;
  setImmediate(() => (others = true));
  await ask();
  expect(others).toBe(true);
});

test('a range after which there are no entries is read from roll-ups, as if it ended with the hour', async () => {
  let others = false;
  setImmediate(() => (others = true));
  const { total } = await store.reports.summary('ws_default', { start: FIRST_DAY, end: MOMENT + 4 });
  expect([total.calls, others]).toEqual([AT_ONCE + 2, false]);
});

test('more entries than the maximum are refused with what to do, before any is read', async () => {
  const ask = (entriesMax: number) => store.reports.series('ws_default', { ...crossed, entriesMax });
  await expect(ask(AT_ONCE + 1)).rejects.toMatchObject({
    type: 'unprocessable',
    message: expect.stringMatching(/tag team with model .* at most 20101 .* Take a shorter/),
  });
  expect(await ask(AT_ONCE + 2)).toHaveLength(1);
});

test('a query that roll-ups can answer is not refused', async () => {
  const asked = { ...crossed, filter: {}, entriesMax: 1 };
  expect(await store.reports.series('ws_default', asked)).toHaveLength(1);
});

test('a page ends after a number of entries that its filter rejects, and the next pages find the rest', async () => {
  const query: EntriesQuery = { range, filter: { keyId: 'rare' }, cursor: null, limit: 5, scanMax: 8_000 };
  const found: string[][] = [];
  let cursor: string | null = null;
  do {
    const page = await store.reports.entriesPage('ws_default', { ...query, cursor });
    found.push(page.rows.map(({ entry }) => entry.callId));
    cursor = page.next;
  } while (cursor !== null);
  expect(found).toEqual([[], [], ['first']]);
});

test('each sum that is read in slices has all calls recorded before it', async () => {
  const calls = async () => (await store.reports.series('ws_default', crossed))[0]?.totals.calls ?? 0;
  const before = await calls();
  const entries = [entryOf('later', { startedAt: MOMENT, tags: { team: 'red' } })];
  await store.entries.append({ journalId: 'another', mark: 1, entries });
  expect(await calls()).toBe(before + 1);
});

test('a query over many entries sees one instant, while entries are recorded', async () => {
  const query = { by: 'tag', tagKey: 'pair', filter: {}, range: odd, buckets: [odd.start] } as const;
  let pairs = 0;
  const state = { done: false };
  const asked = store.reports.series('ws_default', query).finally(() => (state.done = true));
  while (!state.done) {
    pairs += 1;
    // The first is where the report has been already, the second where it comes last.
    const early = entryOf(`early_${pairs}`, { startedAt: FIRST_DAY + 2, tags: { pair: 'early' } });
    const late = entryOf(`late_${pairs}`, { startedAt: MOMENT + 2, tags: { pair: 'late' } });
    await store.entries.append({ journalId: 'journal', mark: 1 + pairs, entries: [early, late] });
    await nextTurn();
  }
  const calls = new Map((await asked).map(({ value, totals }) => [value, totals.calls]));
  expect(calls.get('early')).toBe(calls.get('late'));
  expect(calls.get('early') ?? 0).toBeLessThan(pairs);
});

test('closing does not wait for a long query, and leaves one file', async () => {
  const asked = store.reports.summary('ws_default', odd);
  await Promise.all([expect(asked).rejects.toMatchObject({ type: 'unavailable' }), engine.close()]);
  expect(readdirSync(folder)).toEqual(['ledger.db']);
});
