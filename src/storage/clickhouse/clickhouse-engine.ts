import type { StorageCheck } from '../engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PostgresPool } from '../postgres/postgres-pool.ts';
import type { LedgerStore } from '../store.ts';
import { ClickhouseConnection, isClickhouseAway } from './clickhouse-connection.ts';
import { ownClickhouse } from './clickhouse-owner.ts';
import { openClickhouseStore } from './clickhouse-store.ts';
import { inspectClickhouse } from './inspect-clickhouse.ts';

/** Answer to `tollbook backup`. A copy of PostgreSQL may be older than one of ClickHouse, never newer. */
const BACKUP_ADVICE =
  'The ledger is in PostgreSQL and its calls in ClickHouse. Copy PostgreSQL first: pg_dump --format=custom --file=tollbook.dump "$SVC_DATABASE_URL". ' +
  'Then copy the database of ClickHouse with its statement BACKUP DATABASE.';

/** Entries in ClickHouse, next to all else in PostgreSQL. */
export interface ClickhouseEngine {
  readonly store: LedgerStore;
  readonly backupAdvice: string;
  check(clock: Clock): Promise<StorageCheck[]>;
  close(): Promise<void>;
}

/**
 * Opens the entries of a ledger in ClickHouse. Opens without it, too: calls stay in the journal until it answers, and
 * queries of entries fail with `unavailable`. Throws if the address is wrong, or the database is not this ledger's.
 */
export async function openClickhouseEngine(pool: PostgresPool, address: string): Promise<ClickhouseEngine> {
  const connection = new ClickhouseConnection(address, (opened) => ownClickhouse(pool, opened));
  try {
    await connection.prepare();
  } catch (error) {
    if (isClickhouseAway(error)) return toEngine(pool, connection);
    await connection.close();
    throw error;
  }
  return toEngine(pool, connection);
}

function toEngine(pool: PostgresPool, connection: ClickhouseConnection): ClickhouseEngine {
  return {
    store: openClickhouseStore(pool, connection),
    backupAdvice: BACKUP_ADVICE,
    check: (clock) => inspectClickhouse(pool, connection, clock),
    close: () => connection.close(),
  };
}
