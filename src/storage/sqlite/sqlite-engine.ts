import { chmodSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import type { EngineOptions, StorageCheck, StorageEngine } from '../engine.ts';
import { DamageChecker } from './damage-check.ts';
import { refuseMovedLedger } from '../move/move-state.ts';
import { openDatabase } from './open-database.ts';
import { openSqliteStore } from './sqlite-store.ts';

const PRIVATE_FILE = 0o600;
/** Pages (4 MiB) copied per turn. */
const PAGES_AT_ONCE = 1_000;

/** Opens records and entries in one SQLite file, over one connection. */
export async function openSqliteEngine({ file, synchronous }: EngineOptions): Promise<StorageEngine> {
  const { db, sqlite, close } = await openDatabase(file);
  try {
    refuseMovedLedger(sqlite);
    chmodSync(file, PRIVATE_FILE);
    const store = openSqliteStore(sqlite, { synchronous });
    const damage = new DamageChecker(file);
    return {
      db,
      shared: false,
      changes: null,
      leases: null,
      nodeAmounts: null,
      onReplaced: null,
      prepareMonths: null,
      store,
      backupAdvice: null,
      backup: (folder) => copy(sqlite, file, folder),
      check: async () => [describeDamage(await damage.run())],
      async close() {
        await Promise.all([damage.close(), store.close()]);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function describeDamage(damage: string | null): StorageCheck {
  if (damage === null) return { name: 'ledger', state: 'ok', message: 'The ledger is intact.' };
  return { name: 'ledger', state: 'failed', message: `The ledger is damaged (${damage}). Restore a backup.` };
}

/** Copies the file. Writes on the open connection during the copy reach it, so the copy need not restart. */
async function copy(sqlite: DatabaseSync, file: string, folder: string): Promise<string[]> {
  const name = basename(file);
  // In steps, so that reports are answered and keys revoked meanwhile.
  await backup(sqlite, join(folder, name), { rate: PAGES_AT_ONCE });
  chmodSync(join(folder, name), PRIVATE_FILE);
  return [name];
}
