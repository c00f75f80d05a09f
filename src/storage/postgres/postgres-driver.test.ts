import { expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { ask, change, type SqlSteps } from '../sql/steps.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { PostgresDriver } from './postgres-driver.ts';
import { PostgresPool } from './postgres-pool.ts';

const LOCKED = 'SELECT pg_advisory_lock(1)';

async function open(connectionsMax: number): Promise<{ driver: PostgresDriver; admin: PostgresPool }> {
  const address = parsePostgresAddress(await temporaryDatabase());
  const [pool, admin] = [
    new PostgresPool(address, { connectionsMax }),
    new PostgresPool(address, { connectionsMax: 1 }),
  ];
  onTestFinished(async () => {
    await pool.close();
    await admin.close();
  });
  await admin.query({ text: 'CREATE TABLE words (word text PRIMARY KEY)' });
  return { driver: new PostgresDriver(pool), admin };
}

/** Waits for the lock of the test between two questions. */
function* waits(after: () => SqlSteps<number>): SqlSteps<number> {
  yield ask('SELECT pg_advisory_xact_lock(1)');
  return yield* after();
}

function* insertWord(word: string): SqlSteps<number> {
  return yield* change('INSERT INTO words VALUES (?)', [word]);
}

test('reads and writes share one connection', async () => {
  const { driver } = await open(1);
  const count = function* (): SqlSteps<number> {
    return (yield ask('SELECT * FROM words')).length;
  };
  const written = ['a', 'b', 'c'].map((word) => driver.write(() => insertWord(word), 'append'));
  const read = Array.from({ length: 5 }, () => driver.read(count));
  expect(await Promise.all(written)).toEqual([1, 1, 1]);
  expect((await Promise.all(read)).every((found) => found <= 3)).toBe(true);
});

test('closing ends reads, lets the running write finish, and refuses those that wait', async () => {
  const { driver, admin } = await open(3);
  const holder = await admin.connect();
  await holder.query({ text: LOCKED });
  const write = driver.write(() => waits(() => insertWord('written')), 'append');
  const waiting = driver.write(() => insertWord('refused'), 'append');
  const read = driver.read(() => waits(() => insertWord('never')));
  const refused = { type: 'unavailable', message: 'The ledger is closing. Try again when it is open.' };
  const failed = Promise.all([waiting, read].map((each) => expect(each).rejects.toMatchObject(refused)));
  while ((await holder.lists({ text: 'SELECT 1 FROM pg_locks WHERE NOT granted' })).length < 2);
  const closed = driver.close();
  await holder.query({ text: 'SELECT pg_advisory_unlock(1)' });
  holder.release();
  await Promise.all([closed, failed]);
  expect(await write).toBe(1);
  expect(await admin.lists({ text: 'SELECT word FROM words' })).toEqual([['written']]);
  await expect(driver.read(() => insertWord('late'))).rejects.toMatchObject(refused);
});
