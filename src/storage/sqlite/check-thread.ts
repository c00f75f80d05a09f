import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const BUSY_MS_MAX = 5_000;

/** Returns the first damage that SQLite finds in a file; null = none. */
function findDamage(file: string): string | null {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS_MAX });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    // Table by table, so that no read is so long that the write-ahead log grows meanwhile.
    for (const name of ['sqlite_schema', ...tables.map((row) => String(row['name']))]) {
      const verdict = db.prepare(`PRAGMA quick_check("${name.replaceAll('"', '""')}")`).get()?.['quick_check'];
      if (verdict !== 'ok') return String(verdict);
    }
    return null;
  } finally {
    db.close();
  }
}

parentPort?.postMessage(findDamage(String(workerData)));
