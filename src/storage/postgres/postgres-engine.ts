import { TollbookError } from '../../domain/errors.ts';
import type { EngineOptions, StorageEngine } from '../engine.ts';
import { preparePartitions } from './entry-partitions.ts';
import { inspectServer } from './inspect-server.ts';
import { PostgresChanges } from './postgres-changes.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { openPostgresLeases } from './postgres-leases.ts';
import { openPostgresStore } from './postgres-store.ts';

const CONNECTIONS_MAX = 10;
/** Answer to `tollbook backup`. PostgreSQL's own program makes a copy that fits together. */
const BACKUP_ADVICE =
  'The ledger is in PostgreSQL. Copy it with: pg_dump --format=custom --file=tollbook.dump "$SVC_DATABASE_URL"';

/** Opens records and entries in a PostgreSQL database, over one pool of connections. */
export async function openPostgresEngine(
  url: string,
  { connectionsMax = CONNECTIONS_MAX }: Pick<EngineOptions, 'connectionsMax'>,
): Promise<StorageEngine> {
  const { db, pool, close } = await openPostgresDatabase(url, connectionsMax);
  const store = openPostgresStore(pool);
  const changes = new PostgresChanges(pool, url);
  return {
    db,
    shared: true,
    store,
    changes,
    leases: openPostgresLeases(pool),
    onReplaced: (listener) => pool.onReplaced(listener),
    async prepareMonths(now) {
      await preparePartitions(pool, now);
    },
    backupAdvice: BACKUP_ADVICE,
    async backup() {
      throw new TollbookError('unprocessable', BACKUP_ADVICE);
    },
    check: (clock) => inspectServer(pool, connectionsMax, clock),
    async close() {
      await changes.close();
      await store.close();
      await close();
    },
  };
}
