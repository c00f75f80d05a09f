import type { RecordDb } from './records/tables.ts';
import type { LedgerStore } from './store.ts';

export interface EngineOptions {
  /** SVC_DATABASE_URL; null = it is not set. */
  readonly databaseUrl: string | null;
  /** Where an engine that keeps its book in a file keeps it; its folder is there. */
  readonly file: string;
  /** `full`: what was written survives a power loss; `normal`: process death. */
  readonly synchronous: 'normal' | 'full';
}

/** A database whose schema is up to date: the records that people edit, and the store of entries, in one. */
export interface StorageEngine {
  readonly db: RecordDb;
  readonly store: LedgerStore;
  /** Writes a consistent copy into a folder while the book is used; returns the names of its files. */
  backup(folder: string): Promise<string[]>;
  /** Looks for damage while the book is used, for minutes where it is large; null = it is sound. */
  findDamage(): Promise<string | null>;
  close(): Promise<void>;
}
