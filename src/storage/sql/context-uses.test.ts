import { expect, test } from 'vitest';
import { entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';

const store = emptySqliteStore();
const sessions = ['a', 'a', 'b', 'c'];
await store.entries.append({
  journalId: 'journal',
  mark: 1,
  entries: sessions.map((session, index) => entryOf(`call_${index}`, { context: { ...NO_CONTEXT, session } })),
});

test('a query with too many calls or too many distinct values is refused', async () => {
  const asked = { range: WHOLE, by: ['session'], filter: {} } as const;
  const refused = { type: 'unprocessable' };
  await expect(store.reports.contextUses('ws_default', { ...asked, entriesMax: 3 })).rejects.toMatchObject(refused);
  await expect(store.reports.contextUses('ws_default', { ...asked, valuesMax: 2 })).rejects.toMatchObject(refused);
  expect(await store.reports.contextUses('ws_default', { ...asked, entriesMax: 4, valuesMax: 3 })).toHaveLength(3);
  const series = { range: WHOLE, buckets: [WHOLE.start], by: 'session', filter: {} } as const;
  await expect(store.reports.series('ws_default', { ...series, valuesMax: 2 })).rejects.toMatchObject(refused);
});

test('above the maximum of calls or values, the newest are summed and the response says since when', async () => {
  const slices = emptySqliteStore({ sliceEntries: 4 });
  const entries = Array.from({ length: 40 }, (_, index) =>
    entryOf(`call_${index}`, {
      startedAt: FIRST_DAY + Math.floor(index / 2),
      context: { ...NO_CONTEXT, session: `s${Math.floor(index / 4)}` },
    }),
  );
  await slices.entries.append({ journalId: 'journal', mark: 1, entries });
  const ask = async (entriesMax: number, valuesMax: number) => {
    const query = { range: WHOLE, by: ['session'], filter: {}, entriesMax, valuesMax } as const;
    const { uses, from } = await slices.reports.newestUses('ws_default', query);
    return [new Map(uses.map(({ session, totals }) => [session, totals.calls])), from];
  };
  const whole = Array.from({ length: 10 }, (_, index) => [`s${index}`, 4] as const);
  expect(await ask(1_000, 1_000)).toEqual([new Map(whole), WHOLE.start]);
  expect(await ask(8, 1_000)).toEqual([new Map(whole.slice(8)), FIRST_DAY + 16]);
  expect(await ask(1_000, 3)).toEqual([new Map(whole.slice(7)), FIRST_DAY + 14]);
});

test('a query for one session counts only its calls', async () => {
  const asked = { range: WHOLE, by: [], filter: { session: 'a' } } as const;
  expect(await store.reports.contextUses('ws_default', { ...asked, entriesMax: 2 })).toMatchObject([
    { totals: { calls: 2 } },
  ]);
});
