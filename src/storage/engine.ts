import type { ChangeFeed } from './change-feed.ts';
import type { RecordDb } from './records/tables.ts';
import type { LedgerStore } from './store.ts';

export interface EngineOptions {
  /** SVC_DATABASE_URL; null = not set. */
  readonly databaseUrl: string | null;
  /** Path of the ledger file, for engines that use one. Its folder exists. */
  readonly file: string;
  /** `full`: what was written survives a power loss; `normal`: process death. */
  readonly synchronous: 'normal' | 'full';
}

/** An open database with the current schema: the records that people edit, and the store of entries. */
export interface StorageEngine {
  readonly db: RecordDb;
  /** Several processes may use the database, each with its own data folder. */
  readonly shared: boolean;
  readonly store: LedgerStore;
  /** Changes by all processes on the database; null = only one process uses it. */
  readonly changes: ChangeFeed | null;
  /** Writes a consistent copy into a folder during operation. Returns the names of its files. */
  backup(folder: string): Promise<string[]>;
  /** Checks for damage during operation, which takes minutes in a large ledger; null = none. */
  findDamage(): Promise<string | null>;
  close(): Promise<void>;
}
