import { chmodSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import type { StorageEngine, EngineOptions } from '../engine.ts';
import { DamageChecker } from './damage-check.ts';
import { openDatabase } from './open-database.ts';
import { openSqliteStore } from './sqlite-store.ts';

const PRIVATE_FILE = 0o600;
/** Four MiB of a book are copied between two looks at what else there is to do. */
const PAGES_AT_ONCE = 1_000;

/** Records and entries in one SQLite file, over one connection. */
export async function openSqliteEngine({ file, synchronous }: EngineOptions): Promise<StorageEngine> {
  const { db, sqlite, close } = await openDatabase(file);
  try {
    chmodSync(file, PRIVATE_FILE);
    const store = openSqliteStore(sqlite, { synchronous });
    const damage = new DamageChecker(file);
    return {
      db,
      store,
      backup: (folder) => copy(sqlite, file, folder),
      findDamage: () => damage.run(),
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

/** What is written through the open connection meanwhile reaches the copy, and the copying need not begin anew. */
async function copy(sqlite: DatabaseSync, file: string, folder: string): Promise<string[]> {
  const name = basename(file);
  // In steps, so that reports are answered and keys revoked meanwhile.
  await backup(sqlite, join(folder, name), { rate: PAGES_AT_ONCE });
  chmodSync(join(folder, name), PRIVATE_FILE);
  return [name];
}
