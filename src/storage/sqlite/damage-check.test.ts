import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { temporaryFolder } from '../../../test/support/temporary-records.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

const options = () =>
  ({ databaseUrl: null, file: join(temporaryFolder(), 'ledger.db'), synchronous: 'normal' }) as const;

/** Writes over the first page of a table. */
function damage(file: string, table: string): void {
  const db = new DatabaseSync(file);
  const page = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.['rootpage']);
  const size = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
  db.close();
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(size, 0x5a), 0, size, (page - 1) * size);
  closeSync(opened);
}

test('other work continues during a damage check', async () => {
  const engine = await openSqliteEngine(options());
  let others = false;
  setImmediate(() => (others = true));
  expect(await engine.check(systemClock)).toMatchObject([{ state: 'ok' }]);
  expect(others).toBe(true);
  await engine.close();
});

test.each(['entries', 'tag_day', 'alerts'])('damage in any table is found: %s', async (table) => {
  const given = options();
  await (await openSqliteEngine(given)).close();
  damage(given.file, table);
  const engine = await openSqliteEngine(given);
  expect(await engine.check(systemClock)).toMatchObject([
    { state: 'failed', message: expect.stringMatching(/btree|page/i) },
  ]);
  await engine.close();
});

test('closing does not wait for a damage check, whose caller gets an error', async () => {
  const engine = await openSqliteEngine(options());
  const looks = [engine.check(systemClock), engine.check(systemClock)];
  await Promise.all([
    engine.close(),
    ...looks.map((look) => expect(look).rejects.toMatchObject({ type: 'unavailable' })),
  ]);
});
