import { expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { type PoolLimits, PostgresPool } from './postgres-pool.ts';
import { runTransaction } from './postgres-transaction.ts';

async function openPool(connectionsMax = 2, limits: Partial<PoolLimits> = {}): Promise<PostgresPool> {
  const pool = new PostgresPool(parsePostgresAddress(await temporaryDatabase()), { connectionsMax, ...limits });
  onTestFinished(() => pool.close());
  return pool;
}

async function value(pool: PostgresPool, text: string, values: readonly unknown[] = []): Promise<unknown> {
  return (await pool.lists({ text, values }))[0]?.[0];
}

test('integers are numbers, and one that a number cannot hold is an error', async () => {
  const pool = await openPool();
  expect(await value(pool, 'SELECT count(*) FROM generate_series(1, 3)')).toBe(3);
  expect(await value(pool, 'SELECT sum(n) FROM generate_series(1, 3) n')).toBe(6);
  expect(await value(pool, 'SELECT $1::bigint', [Number.MAX_SAFE_INTEGER])).toBe(Number.MAX_SAFE_INTEGER);
  await expect(value(pool, 'SELECT 9007199254740993')).rejects.toThrow('no safe integer');
  await expect(value(pool, 'SELECT 0.5::numeric')).rejects.toThrow('no safe integer');
  // The connection is as good as before.
  expect(await value(pool, 'SELECT 1')).toBe(1);
});

test('sums are exact if requested', async () => {
  const pool = await openPool();
  const { rows } = await pool.query({
    text: 'SELECT sum(n) AS sum, max(n) AS max FROM unnest($1::bigint[]) n',
    values: [[9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n]],
    integers: 'bigints',
  });
  expect(rows).toEqual([{ sum: 18_446_744_073_709_551_614n, max: 9_223_372_036_854_775_807n }]);
});

test('text with U+0000 comes back as it was, in its order among others, alone and in lists', async () => {
  const pool = await openPool();
  const texts = [
    '',
    '\0',
    '\0\0',
    '\0\x01',
    '\x01',
    '\x01\0',
    '\x01\x01',
    '\x01\x02',
    '\x02',
    'a',
    'a\0b',
    'a\x01',
    'ab',
  ];
  for (const text of texts) expect(await value(pool, 'SELECT $1::text', [text])).toBe(text);
  const rows = await pool.lists({
    text: 'SELECT t FROM unnest($1::text[]) t ORDER BY t',
    values: [texts.toReversed()],
  });
  expect(rows.flat()).toEqual(texts);
});

test.each([[undefined], [{}], [new Date(0)], [[undefined]]])('a value like %j is refused', async (wrong) => {
  const pool = await openPool();
  await expect(value(pool, 'SELECT $1', [wrong])).rejects.toThrow("can't be stored");
});

test('a connection that breaks is replaced, whether it is in use or not', async () => {
  const pool = await openPool();
  await expect(value(pool, 'SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({
    type: 'unavailable',
    retryAfter: 1,
  });
  const connection = await pool.connect();
  const { rows } = await connection.query({ text: 'SELECT pg_backend_pid() AS pid' });
  await value(pool, 'SELECT pg_terminate_backend($1)', [rows[0]?.['pid']]);
  await expect(connection.query({ text: 'SELECT 1' })).rejects.toMatchObject({ type: 'unavailable' });
  connection.release();
  expect(await value(pool, 'SELECT 1')).toBe(1);
});

test('a wait for a connection ends with an error', async () => {
  const pool = await openPool(1, { connectMsMax: 50 });
  const connection = await pool.connect();
  onTestFinished(() => connection.release());
  await expect(value(pool, 'SELECT 1')).rejects.toMatchObject({
    type: 'unavailable',
    message: expect.stringContaining("can't be reached") as string,
  });
});

test('a second record of the same key is a conflict', async () => {
  const pool = await openPool();
  await pool.query({ text: 'CREATE TABLE words (word TEXT PRIMARY KEY)' });
  await pool.query({ text: "INSERT INTO words VALUES ('a')" });
  await expect(pool.query({ text: "INSERT INTO words VALUES ('a')" })).rejects.toMatchObject({ type: 'conflict' });
});

test('a wrong statement is not mistaken for an unreachable server', async () => {
  const pool = await openPool();
  await expect(value(pool, 'SELECT nothing')).rejects.toThrow('column "nothing" does not exist');
});

test('transactions that fail because of each other run again, until both are done', async () => {
  const pool = await openPool();
  await pool.query({ text: 'CREATE TABLE counts (n INTEGER)' });
  await pool.query({ text: 'INSERT INTO counts VALUES (0)' });
  let runs = 0;
  const add = () =>
    runTransaction(
      pool,
      async (queries) => {
        runs += 1;
        const [[n] = []] = await queries.lists({ text: 'SELECT n FROM counts' });
        await queries.query({ text: 'UPDATE counts SET n = $1', values: [Number(n) + 1] });
      },
      { sees: 'snapshot' },
    );
  await Promise.all([add(), add()]);
  expect(await value(pool, 'SELECT n FROM counts')).toBe(2);
  expect(runs).toBeGreaterThanOrEqual(2);
});

test('two transactions in a deadlock both end', async () => {
  const pool = await openPool();
  await pool.query({ text: "SET deadlock_timeout = '10ms'" });
  const meet = Promise.withResolvers<void>();
  let arrived = 0;
  const lockBoth = (first: number, second: number) =>
    runTransaction(pool, async (queries) => {
      await queries.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [first] });
      arrived += 1;
      if (arrived === 2) meet.resolve();
      await meet.promise;
      await queries.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [second] });
      return first;
    });
  expect(await Promise.all([lockBoth(1, 2), lockBoth(2, 1)])).toEqual([1, 2]);
  expect(arrived).toBe(3);
});

test('a transaction that fails leaves nothing, and its connection is free again', async () => {
  const pool = await openPool(1);
  await pool.query({ text: 'CREATE TABLE words (word TEXT)' });
  const failing = runTransaction(pool, async (queries) => {
    await queries.query({ text: "INSERT INTO words VALUES ('a')" });
    throw new Error('of the caller');
  });
  await expect(failing).rejects.toThrow('of the caller');
  const swallowing = runTransaction(pool, async (queries) => {
    await queries.query({ text: "INSERT INTO words VALUES ('a')" });
    await queries.query({ text: 'SELECT nothing' }).catch(() => null);
  });
  await expect(swallowing).rejects.toThrow('The transaction was undone');
  expect(await value(pool, 'SELECT count(*) FROM words')).toBe(0);
});

test('a connection that breaks at the commit is reported as an unknown result', async () => {
  const pool = await openPool();
  const broken = runTransaction(pool, async (queries) => {
    const [[pid] = []] = await queries.lists({ text: 'SELECT pg_backend_pid()' });
    await pool.query({ text: 'SELECT pg_terminate_backend($1)', values: [pid] });
  });
  await expect(broken).rejects.toMatchObject({
    type: 'unavailable',
    message: expect.stringContaining('Look whether it is stored') as string,
  });
});

test.each([
  ['postgres://me:hidden@host', 'names no database'],
  ['postgres://me:hid#den@host/name', 'write "#" as %23'],
  ['postgres://me:hidden@host:port/name', 'is not an address'],
  ['postgres://me:hidden@host/name?sslmode=prefer', 'has a sslmode'],
  ['postgres://me:hidden@host/name?sslmode=verify-ca', 'without sslrootcert'],
  ['postgres://me:hidden@host/name?sslmode=verify-full&sslrootcert=/absent.pem', "in sslrootcert that can't be read"],
  ['postgres://me:hidden@host,other/name', 'names several hosts'],
])('the address %s is refused without its password', (address, sentence) => {
  expect(() => parsePostgresAddress(address)).toThrow(sentence);
  expect(() => parsePostgresAddress(address)).not.toThrow(/hidden/);
});
