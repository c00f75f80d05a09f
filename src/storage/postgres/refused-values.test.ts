import { expect, test } from 'vitest';
import { entryOf } from '../../../test/support/arbitrary-entry.ts';
import { emptyPostgresStore } from '../../../test/support/empty-postgres-store.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { isRefusedValue } from '../refused-value.ts';
import { DatabaseError } from 'pg';

const RANDOM = Array.from({ length: 2_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)));

test.each<[string, Partial<Entry>]>([
  ['an amount beyond 64 bits', { cost: 2 ** 70 }],
  ['a fraction', { cost: 0.5 }],
  ['no number', { endedAt: Number.NaN }],
  ['no value', { status: undefined as unknown as number }],
  ['null', { status: null as unknown as number }],
  ['a name too long for its index', { keyId: RANDOM.join('') }],
])('PostgreSQL refuses %s as a value, and takes the rest of the batch without it', async (_, wrong) => {
  const store = await emptyPostgresStore();
  const good = entryOf('good');
  const append = store.entries.append({ journalId: 'journal', mark: 2, entries: [good, entryOf('bad', wrong)] });
  await expect(append).rejects.toSatisfy(isRefusedValue);
  expect(await store.entries.mark('journal')).toBe(0);
  expect(await store.entries.append({ journalId: 'journal', mark: 1, entries: [good] })).toMatchObject({ inserted: 1 });
});

test.each(['42P01', '53100', '57P01', 'XX001'])('an error %s of PostgreSQL is not about a value', (state) => {
  expect(isRefusedValue(Object.assign(new DatabaseError('failed', 1, 'error'), { code: state }))).toBe(false);
});
