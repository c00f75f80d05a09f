import { endRetention } from '../sql/prune-entries.ts';
import { CAPS } from '../sql/rollup-caps.ts';
import { SqlLedger } from '../sql/sql-ledger.ts';
import { openSqlStore } from '../sql/sql-store.ts';
import type { LedgerStore } from '../store.ts';
import { dropOldPartitions } from './entry-partitions.ts';
import { PostgresDriver } from './postgres-driver.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** Opens the store in a migrated database. The caller owns the pool: closing the store ends its queries. */
export function openPostgresStore(pool: PostgresPool): LedgerStore {
  const ledger = new SqlLedger(new PostgresDriver(pool), CAPS);
  const store = openSqlStore(ledger);
  return {
    ...store,
    entries: {
      ...store.entries,
      async prune(workspaceId, before, limit) {
        const hour = await ledger.write(() => endRetention(ledger, workspaceId, before));
        await dropOldPartitions(pool, hour);
        return await store.entries.prune(workspaceId, before, limit);
      },
    },
  };
}
