import type { Entry } from '../../src/domain/usage/call.ts';
import type { LedgerStore } from '../../src/storage/store.ts';
import type { Period } from '../../src/domain/time/period.ts';

/** Opens an empty store. */
export type OpenEmpty = () => LedgerStore | Promise<LedgerStore>;

export const WORKSPACE = 'ws_default';

export function isIn({ start, end }: Period, { startedAt }: Entry): boolean {
  return startedAt >= start && startedAt < end;
}

export async function append(store: LedgerStore, entries: readonly Entry[], mark = 1): Promise<number> {
  return (await store.entries.append({ journalId: 'journal', mark, entries })).inserted;
}

export async function filled(open: OpenEmpty, entries: readonly Entry[]): Promise<LedgerStore> {
  const store = await open();
  await append(store, entries);
  return store;
}
