import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { compareTables, copyTables, type MoveSides } from '../../src/storage/move/copy-tables.ts';
import { PostgresTarget } from '../../src/storage/move/postgres-target.ts';
import { SqliteSource } from '../../src/storage/move/sqlite-source.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { execute, LEDGER_TEMPLATE, temporaryFolder } from '../support/temporary-records.ts';
import { fillEveryTable } from './fill-every-table.ts';

const ROWS = 20;
/** The batches of a table end in different places, and the last is not full. */
const BATCH_ROWS = 7;

let tables: string[];
let source: SqliteSource;
let url: string;

beforeEach(async () => {
  const file = join(temporaryFolder(), 'ledger.db');
  const { sqlite, close } = await openDatabase(file);
  tables = fillEveryTable(sqlite, ROWS);
  await close();
  source = new SqliteSource(file);
  onTestFinished(() => source.close());
  url = await temporaryDatabase(LEDGER_TEMPLATE);
});

async function openSides(): Promise<MoveSides> {
  const target = await PostgresTarget.open(url);
  onTestFinished(() => target.close());
  return { source, target, onProgress: () => {}, batchRowsMax: BATCH_ROWS };
}

/** Copies what is missing, as one run of the command does. */
async function copyOnce(sides: MoveSides): Promise<void> {
  const { id } = source.begin();
  const found = await sides.target.requireOwn(id, source.tables);
  await copyTables(sides, found ?? (await sides.target.begin(id, source.tables)));
}

test('every table of the ledger is moved with every value of its columns', async () => {
  const sides = await openSides();
  await copyOnce(sides);
  const compared = await compareTables(sides);
  expect(compared.tables.map(({ name, rows }) => ({ name, rows }))).toEqual(
    tables.map((name) => ({ name, rows: ROWS })),
  );
  expect(compared.months).toHaveLength(1);
  expect((await sides.target.state())?.state).toBe('copied');
});

test('new rows are numbered after the moved ones', async () => {
  const sides = await openSides();
  await copyOnce(sides);
  await sides.target.continueNumbers(source.tables);
  const insert =
    "INSERT INTO names (text) VALUES ('new') RETURNING id::text AS id, (SELECT max(id) FROM names)::text AS last";
  const [row] = await execute(sides.target.db, insert);
  expect(BigInt(String(row?.['id']))).toBe(BigInt(String(row?.['last'])) + 1n);
});

/** Cases of a target that is not equal, each with the table that the error names. */
const DIFFERENCES: readonly (readonly [statement: string, table: string])[] = [
  ['UPDATE entries SET cost = cost - 1 WHERE id = (SELECT max(id) FROM entries)', 'entries'],
  [
    'UPDATE counters SET counted = counted + 1 WHERE window_start = (SELECT min(window_start) FROM counters)',
    'counters',
  ],
  ["UPDATE audit SET after = '' WHERE after IS NULL", 'audit'],
  ["UPDATE names SET text = replace(text, E'\\x01', '')", 'names'],
  ['DELETE FROM members WHERE since = (SELECT max(since) FROM members)', 'members'],
  ["INSERT INTO settings (name, value) VALUES ('another', '')", 'settings'],
];

test.each(DIFFERENCES)('the comparison finds a difference: %s', async (statement, table) => {
  const sides = await openSides();
  await copyOnce(sides);
  await execute(sides.target.db, statement);
  await expect(compareTables(sides)).rejects.toThrow(`The table ${table} differs`);
});

test('two values that changed places are found, too', async () => {
  const sides = await openSides();
  await copyOnce(sides);
  const swap = 'UPDATE status_hour SET input_tokens = cache_read_tokens, cache_read_tokens = input_tokens + 1';
  await execute(sides.target.db, swap);
  await expect(compareTables(sides)).rejects.toThrow('The table status_hour differs');
});

class DiesHere extends Error {}

/** Lets each run die before or after the commit of its batch of this number. */
function dieInEachRun({ target }: MoveSides, batch: number, dies: 'before' | 'after'): { nextRun(): void } {
  const insert = target.insert.bind(target);
  let left = batch;
  target.insert = async (...given) => {
    left -= 1;
    if (left === 0 && dies === 'before') throw new DiesHere();
    await insert(...given);
    if (left === 0) throw new DiesHere();
  };
  return { nextRun: () => void (left = batch) };
}

test.each(['before', 'after'] as const)(
  'a move that dies %s each of its batches continues without a lost or a doubled row',
  async (dies) => {
    const sides = await openSides();
    // A run that dies before its first commit would make no progress.
    const { nextRun } = dieInEachRun(sides, dies === 'after' ? 1 : 2, dies);
    let deaths = 0;
    for (;;) {
      nextRun();
      const error = await copyOnce(sides).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) break;
      expect(error).toBeInstanceOf(DiesHere);
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(tables.length);
    expect((await compareTables(sides)).tables.every(({ rows }) => rows === ROWS)).toBe(true);
  },
);

test('a move that continues counts the rows that are there already', async () => {
  const sides = await openSides();
  const { nextRun } = dieInEachRun(sides, 5, 'before');
  nextRun();
  await expect(copyOnce(sides)).rejects.toThrow(DiesHere);
  const shown: number[] = [];
  await copyOnce({ ...sides, onProgress: ({ rows }) => shown.push(rows) });
  // A table has three batches. Four were written: the last ended after seven rows of the second table.
  expect(shown[0]).toBe(ROWS + 2 * BATCH_ROWS);
  expect(shown.at(-1)).toBe(tables.length * ROWS);
});

test('a database that is not empty, or that another move fills, is refused', async () => {
  const { target } = await openSides();
  const own = { id: 'the move of this ledger' };
  await execute(target.db, "INSERT INTO price_cards (version, card) VALUES ('1', '{}')");
  await expect(target.requireOwn(own.id, source.tables)).rejects.toThrow('its table price_cards is not empty');
  await execute(target.db, 'DELETE FROM price_cards');
  expect(await target.requireOwn(own.id, source.tables)).toBeNull();
  await target.begin('another move', source.tables);
  await expect(target.requireOwn(own.id, source.tables)).rejects.toThrow('Another ledger is being moved');
});
