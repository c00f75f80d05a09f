import type { Clock } from '../lib/clock.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { LeaseStore } from './lease-store.ts';
import type { NodeAmounts } from './node-amounts.ts';
import type { RecordDb } from './records/tables.ts';
import type { LedgerStore } from './store.ts';

export interface EngineOptions {
  /** SVC_DATABASE_URL; null = not set. */
  readonly databaseUrl: string | null;
  /** SVC_CLICKHOUSE_URL; absent or null = entries are in the same database as all else. */
  readonly clickhouseUrl?: string | null;
  /** Path of the ledger file, for engines that use one. Its folder exists. */
  readonly file: string;
  /** `full`: what was written survives a power loss; `normal`: process death. A server has a setting of its own. */
  readonly synchronous: 'normal' | 'full';
  /** Maximum number of connections to a server. Default: 10. */
  readonly connectionsMax?: number;
}

/** Finding about a database, for people. */
export interface StorageCheck {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** A sentence: the finding and the remedy. */
  readonly message: string;
}

/** An open database with the current schema: the records that people edit, and the store of entries. */
export interface StorageEngine {
  readonly db: RecordDb;
  /** Several processes may use the database, each with its own data folder. */
  readonly shared: boolean;
  readonly store: LedgerStore;
  /** Changes by all processes on the database; null = only one process uses it. */
  readonly changes: ChangeFeed | null;
  /** Shares the amounts of limits out among the processes; null = only one process uses the database. */
  readonly leases: LeaseStore | null;
  /** Amounts of limits that each process holds; null = only one process uses the database. */
  readonly nodeAmounts: NodeAmounts | null;
  /** Calls a listener when the database may lack the last commits, as after a failover; null = it never does. */
  readonly onReplaced: ((listener: () => void) => void) | null;
  /** Prepares tables for entries of the next months; null = one table has them all. Call it once a day. */
  readonly prepareMonths: ((now: number) => Promise<void>) | null;
  /** Sentence with the command that copies the database; null = `backup` copies it. */
  readonly backupAdvice: string | null;
  /** Writes a consistent copy into a folder during operation. Returns the names of its files. */
  backup(folder: string): Promise<string[]>;
  /** Checks the database during operation. Looking for damage takes minutes in a large ledger. */
  check(clock: Clock): Promise<StorageCheck[]>;
  close(): Promise<void>;
}
