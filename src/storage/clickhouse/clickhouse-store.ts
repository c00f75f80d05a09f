import type { PostgresPool } from '../postgres/postgres-pool.ts';
import { PostgresDriver } from '../postgres/postgres-driver.ts';
import { CAPS } from '../sql/rollup-caps.ts';
import { SqlLedger } from '../sql/sql-ledger.ts';
import { openSqlStore } from '../sql/sql-store.ts';
import type { LedgerStore } from '../store.ts';
import type { ClickhouseConnection } from './clickhouse-connection.ts';
import { clickhouseEntries } from './clickhouse-entries.ts';
import { StoredRows } from './stored-rows.ts';

/**
 * Opens the store with entries in ClickHouse and the rest in PostgreSQL, both migrated. The caller owns pool and
 * connection: closing the store ends its queries.
 */
export function openClickhouseStore(pool: PostgresPool, connection: ClickhouseConnection): LedgerStore {
  const stored = new StoredRows(connection);
  const ledger = new SqlLedger(new PostgresDriver(pool), CAPS, clickhouseEntries(stored));
  const store = openSqlStore(ledger);
  return {
    ...store,
    entries: {
      ...store.entries,
      async adjust(adjustments, by) {
        const result = await store.entries.adjust(adjustments, by);
        // They are stored. If ClickHouse can't be reached now, the next query inserts them.
        await ledger.write(() => stored.settle()).catch(() => undefined);
        return result;
      },
    },
  };
}
