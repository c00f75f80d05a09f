import { expect, test } from 'vitest';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { entryOf, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import type { LedgerStore } from '../store.ts';
import type { AppendResult } from '../entry-store.ts';
import { DIMENSIONS } from '../../domain/usage/call.ts';

let calls = 0;
async function append(store: LedgerStore, ...changes: Partial<Entry>[]): Promise<AppendResult> {
  const entries = changes.map((change) => entryOf(`call_${(calls += 1)}`, change));
  return await store.entries.append({ journalId: 'journal', mark: 1, entries });
}

test('calls that differ in one field are kept separate, within a batch and across batches', async () => {
  const store = emptySqliteStore();
  const other = { source: 'codex', provider: 'x', model: 'x', keyId: 'x', status: 500, tags: { team: 'x' } } as const;
  const contexts = Object.keys(NO_CONTEXT).filter((name) => name !== 'parentAgent');
  const different: Partial<Entry>[] = [
    ...Object.entries(other).map(([name, value]) => ({ [name]: value })),
    ...contexts.map((name) => ({ context: { ...NO_CONTEXT, [name]: 'x' } })),
  ];
  const elsewhere = { workspaceId: 'ws_other' };
  await append(store, {}, ...different, elsewhere);
  await append(store, {}, ...different, elsewhere);
  for (const by of DIMENSIONS) {
    const query = { range: WHOLE, buckets: [WHOLE.start], by, tagKey: 'team', filter: {} };
    const rows = await store.reports.series('ws_default', query);
    expect([by, ...rows.map(({ totals }) => totals.calls).toSorted((a, b) => a - b)]).toEqual([by, 2, 20]);
  }
});

test('cached rows of a failed batch are dropped with its names', async () => {
  const store = emptySqliteStore();
  await expect(append(store, { tags: { team: 'a' } }, { startedAt: 0.5 })).rejects.toThrow(/INTEGER/);
  // The numbers of these words go to others now.
  await append(store, { tags: { env: 'b' } }, { tags: { team: 'a' } });
  expect(await store.reports.byTag('ws_default', 'team', WHOLE)).toMatchObject([{ value: 'a', calls: 1 }]);
  expect(await store.reports.byTag('ws_default', 'env', WHOLE)).toMatchObject([{ value: 'b', calls: 1 }]);
});

test('a value under (other) is reported for each batch that has it', async () => {
  const store = emptySqliteStore({ caps: { valuesPerDayMax: 1, tagKeysMax: 1 } });
  for (let batch = 1; batch <= 3; batch += 1) {
    const { overflowed } = await append(store, { tags: { team: 'a' } }, { tags: { team: 'b' } });
    expect(overflowed).toMatchObject([{ of: 'tag_value', tagKey: 'team' }]);
  }
});
