import { expect, onTestFinished, test } from 'vitest';
import { entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import { DAY, limitOf, unpriced } from '../contract/counters-contract.ts';
import type { LedgerStore } from '../store.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { openPostgresStore } from './postgres-store.ts';

const CALLS = 600;
const LIMITS = 40;

function openStore(url: string): LedgerStore {
  const pool = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 2 });
  onTestFinished(() => pool.close());
  return openPostgresStore(pool);
}

test('a backfill counts the calls that were stored before it, while other processes append', async () => {
  const url = await temporaryDatabase(LEDGER_TEMPLATE);
  /** Their rows differ, so that no process waits for another, and later batches are often stored first. */
  const append = async (store: LedgerStore, journalId: string, perBatch: number): Promise<void> => {
    const own = { keyId: journalId, provider: journalId, model: journalId, tags: { [journalId]: 'a' } };
    for (let mark = 1; mark <= CALLS / perBatch; mark += 1) {
      const entries = Array.from({ length: perBatch }, (_, index) =>
        entryOf(`${journalId}_${mark}_${index}`, { ...own, startedAt: FIRST_DAY + mark }),
      );
      await store.entries.append({ journalId, mark, entries });
    }
  };
  const store = openStore(url);
  const scope = { kind: 'model', pattern: 'claude-*' } as const;
  const limits = Array.from({ length: LIMITS }, (_, index) => limitOf({ counter: index + 1, unit: 'calls', scope }));
  const backfilled = async (): Promise<number[]> => {
    const counts: number[] = [];
    for (const limit of limits)
      counts.push(Number((await store.counters.backfill(limit, DAY, unpriced))[0]?.counted ?? 0));
    return counts;
  };
  const appended = [append(openStore(url), 'slow', 100), append(openStore(url), 'quick', 5)];
  const [counts] = await Promise.all([backfilled(), ...appended]);
  expect(counts.some((count) => count > 0 && count < 2 * CALLS)).toBe(true);
  // The calls of a backfill are told by their numbers later, for instance when one is corrected.
  for (const limit of limits) {
    const recounted = await store.counters.recountNamed(limit, DAY);
    expect(recounted).not.toBeNull();
    expect(recounted?.expected).toEqual(recounted?.counted);
  }
});
