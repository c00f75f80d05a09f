import type { Database } from '../storage/records/open-database.ts';
import type { EntryStore } from '../storage/store.ts';

/** Writes of entries share a connection with the records; each waits until no record transaction is open on it. */
export function guarded(store: EntryStore, { exclusive }: Pick<Database, 'exclusive'>): EntryStore {
  return {
    append: async (batch) => exclusive(() => store.append(batch)),
    adjust: async (adjustments) => exclusive(() => store.adjust(adjustments)),
    prune: async (workspaceId, before, limit) => exclusive(() => store.prune(workspaceId, before, limit)),
    mark: (journalId) => store.mark(journalId),
    unpriced: (workspaceId, after, limit) => store.unpriced(workspaceId, after, limit),
    pricedWith: (workspaceId, version, range, after, limit) =>
      store.pricedWith(workspaceId, version, range, after, limit),
  };
}
