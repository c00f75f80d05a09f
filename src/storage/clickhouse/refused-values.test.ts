import { expect, test, vi } from 'vitest';
import { entryOf } from '../../../test/support/arbitrary-entry.ts';
import { emptyClickhouseStore } from '../../../test/support/empty-clickhouse-store.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { isRefusedValue } from '../refused-value.ts';

vi.setConfig({ testTimeout: 180_000 });

test.each<[string, Partial<Entry>]>([
  ['an amount beyond 64 bits', { cost: 2 ** 70 }],
  ['a fraction', { cost: 0.5 }],
  ['no number', { endedAt: Number.NaN }],
  ['no value', { status: undefined as unknown as number }],
  ['null', { status: null as unknown as number }],
  ['a hold beyond 64 bits', { hold: { usd: 1e300, inputTokens: 0, outputTokens: 0 } }],
])('the ledger refuses %s as a value, and takes the rest of the batch without it', async (_, wrong) => {
  const store = await emptyClickhouseStore();
  const good = entryOf('good');
  const append = store.entries.append({ journalId: 'journal', mark: 2, entries: [good, entryOf('bad', wrong)] });
  await expect(append).rejects.toSatisfy(isRefusedValue);
  expect(await store.entries.mark('journal')).toBe(0);
  expect(await store.entries.append({ journalId: 'journal', mark: 1, entries: [good] })).toMatchObject({ inserted: 1 });
});
