import { expect, test } from 'vitest';
import { entryOf, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';

const store = emptySqliteStore();
const sessions = ['a', 'a', 'b', 'c'];
await store.entries.append({
  journalId: 'journal',
  mark: 1,
  entries: sessions.map((session, index) => entryOf(`call_${index}`, { context: { ...NO_CONTEXT, session } })),
});

test('a question with too many calls or too many different values is refused', async () => {
  const asked = { range: WHOLE, by: ['session'], filter: {} } as const;
  const refused = { type: 'unprocessable' };
  await expect(store.reports.contextUses('ws_default', { ...asked, entriesMax: 3 })).rejects.toMatchObject(refused);
  await expect(store.reports.contextUses('ws_default', { ...asked, valuesMax: 2 })).rejects.toMatchObject(refused);
  expect(await store.reports.contextUses('ws_default', { ...asked, entriesMax: 4, valuesMax: 3 })).toHaveLength(3);
  const series = { range: WHOLE, buckets: [WHOLE.start], by: 'session', filter: {} } as const;
  await expect(store.reports.series('ws_default', { ...series, valuesMax: 2 })).rejects.toMatchObject(refused);
});

test('a question about one session counts the calls of that session alone', async () => {
  const asked = { range: WHOLE, by: [], filter: { session: 'a' } } as const;
  expect(await store.reports.contextUses('ws_default', { ...asked, entriesMax: 2 })).toMatchObject([
    { totals: { calls: 2 } },
  ]);
});
