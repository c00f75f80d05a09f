import { beforeAll, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../segments.ts';
import type { EntriesQuery, SeriesQuery, Store } from '../store.ts';
import { entryOf, FIRST_DAY } from '../contract/arbitrary-entry.ts';
import { emptySqliteStore } from '../contract/empty-database.ts';

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

let store: Store;
beforeAll(async () => {
  store = emptySqliteStore();
  const red = { tags: { team: 'red' } };
  const entries = [
    entryOf('first', { beganAt: FIRST_DAY, keyId: 'rare', ...red }),
    ...Array.from({ length: AT_ONCE }, (_, index) => entryOf(`call_${index}`, { beganAt: MOMENT, ...red })),
    entryOf('last', { beganAt: MOMENT + 1, ...red }),
  ];
  await store.entries.append({ journalId: 'journal', mark: 1, entries });
});

test('entries that are added up in slices count once each, however many began in one millisecond', async () => {
  const [row, ...more] = await store.reports.series('ws_default', crossed);
  expect([row?.totals.calls, more]).toEqual([AT_ONCE + 2, []]);
});

test('while entries are added up other work goes on', async () => {
  let others = false;
  setImmediate(() => (others = true));
  await store.reports.series('ws_default', crossed);
  expect(others).toBe(true);
});

test('more entries than allowed are refused with what to do, before any is read', async () => {
  const ask = (entriesMax: number) => store.reports.series('ws_default', { ...crossed, entriesMax });
  await expect(ask(AT_ONCE + 1)).rejects.toMatchObject({
    type: 'impossible',
    message: expect.stringMatching(/tag team with model .* at most 20101 .* Take a shorter/),
  });
  expect(await ask(AT_ONCE + 2)).toHaveLength(1);
});

test('what a roll-up holds is not refused', async () => {
  const asked = { ...crossed, filter: {}, entriesMax: 1 };
  expect(await store.reports.series('ws_default', asked)).toHaveLength(1);
});

test('a page ends after so many entries that its filter does not let pass, and the next ones find the rest', async () => {
  const question: EntriesQuery = { range, filter: { keyId: 'rare' }, cursor: null, limit: 5, scanMax: 8_000 };
  const found: string[][] = [];
  let cursor: string | null = null;
  do {
    const page = await store.reports.entriesPage('ws_default', { ...question, cursor });
    found.push(page.rows.map(({ entry }) => entry.callId));
    cursor = page.next;
  } while (cursor !== null);
  expect(found).toEqual([[], [], ['first']]);
});
