import { TollbookError } from '../../domain/errors.ts';
import type { EngineOptions, StorageEngine } from '../engine.ts';
import { preparePartitions } from './entry-partitions.ts';
import { refuseUnfinishedMove } from '../move/move-state.ts';
import { inspectServer } from './inspect-server.ts';
import { PostgresChanges } from './postgres-changes.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { openPostgresLeases } from './postgres-leases.ts';
import { openPostgresNodeAmounts } from './postgres-node-amounts.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { refuseMissingClickhouse } from '../clickhouse/clickhouse-owner.ts';
import { openPostgresStore } from './postgres-store.ts';

const CONNECTIONS_MAX = 10;
/** Answer to `tollbook backup`. PostgreSQL's own program makes a copy that fits together. */
const BACKUP_ADVICE =
  'The ledger is in PostgreSQL. Copy it with: pg_dump --format=custom --file=tollbook.dump "$SVC_DATABASE_URL"';

/** Entries of the ledger in another database. */
interface OtherEntries extends Pick<StorageEngine, 'store' | 'backupAdvice' | 'check' | 'close'> {}

/** Opens records and entries in a PostgreSQL database, over one pool of connections. */
export async function openPostgresEngine(
  url: string,
  { connectionsMax = CONNECTIONS_MAX }: Pick<EngineOptions, 'connectionsMax'>,
  openOthers: ((pool: PostgresPool) => Promise<OtherEntries>) | null = null,
): Promise<StorageEngine> {
  const { db, pool, close } = await openPostgresDatabase(url, connectionsMax);
  let others: OtherEntries | null;
  try {
    await refuseUnfinishedMove(pool);
    others = (await openOthers?.(pool)) ?? null;
    if (others === null) await refuseMissingClickhouse(pool);
  } catch (error) {
    await close();
    throw error;
  }
  const store = others?.store ?? openPostgresStore(pool);
  const backupAdvice = others?.backupAdvice ?? BACKUP_ADVICE;
  const changes = new PostgresChanges(pool, url);
  return {
    db,
    shared: true,
    store,
    changes,
    leases: openPostgresLeases(pool),
    nodeAmounts: openPostgresNodeAmounts(pool),
    onReplaced: (listener) => pool.onReplaced(listener),
    prepareMonths: others ? null : async (now) => void (await preparePartitions(pool, now)),
    backupAdvice,
    async backup() {
      throw new TollbookError('unprocessable', backupAdvice);
    },
    async check(clock) {
      const checks = await inspectServer(pool, connectionsMax, clock);
      return others ? [...checks, ...(await others.check(clock))] : checks;
    },
    async close() {
      await changes.close();
      await store.close();
      await others?.close();
      await close();
    },
  };
}
