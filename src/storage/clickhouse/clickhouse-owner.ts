import { randomUUID } from 'node:crypto';
import type { PostgresQueries } from '../postgres/postgres-pool.ts';
import { type ClickhouseConnection, clickhouseUnusable } from './clickhouse-connection.ts';
import { migrateClickhouse } from './clickhouse-schema.ts';

/** Id of the ledger, in PostgreSQL; null = its entries are there. */
const READ_ID = `SELECT value AS id FROM settings WHERE name = 'entries.clickhouse'`;
const SET_ID = `INSERT INTO settings (name, value) VALUES ('entries.clickhouse', $1) ON CONFLICT (name) DO NOTHING`;
const FIRST_ENTRY = 'SELECT 1 FROM entries LIMIT 1';
const HAS_NUMBERS = 'SELECT is_called::integer AS found FROM entries_id_seq';

/** Throws `unavailable` if the entries of the ledger are in ClickHouse, which no setting names. */
export async function refuseMissingClickhouse(queries: PostgresQueries): Promise<void> {
  if ((await readLedgerId(queries)) !== null)
    throw clickhouseUnusable(
      'The calls of this ledger are in ClickHouse. Set SVC_CLICKHOUSE_URL to the address of that database.',
    );
}

/**
 * Prepares a database of ClickHouse and makes it the one of this ledger. Several processes may do so concurrently. Throws
 * `unavailable` with what to do if another ledger uses it, or if calls of this ledger are elsewhere.
 */
export async function ownClickhouse(queries: PostgresQueries, connection: ClickhouseConnection): Promise<void> {
  const before = await readLedgerId(queries);
  if (before === null && (await queries.query({ text: FIRST_ENTRY })).rows.length > 0)
    throw clickhouseUnusable(
      'The calls of this ledger are in PostgreSQL. Unset SVC_CLICKHOUSE_URL, or name a new PostgreSQL database.',
    );
  await connection.requireVersion();
  await migrateClickhouse(connection);
  await queries.query({ text: SET_ID, values: [randomUUID()] });
  const own = await readLedgerId(queries);
  const owners = await connection.query('SELECT DISTINCT id FROM ledger');
  if (owners.some(({ id }) => id !== own))
    throw clickhouseUnusable(
      'The database in SVC_CLICKHOUSE_URL has the calls of another ledger. Name another database.',
    );
  if (owners.length > 0) return;
  const [numbers] = (await queries.query({ text: HAS_NUMBERS })).rows;
  if (before !== null && numbers?.['found'] === 1)
    throw clickhouseUnusable(
      'The database in SVC_CLICKHOUSE_URL is empty, but this ledger has calls in ClickHouse. Name that database.',
    );
  await connection.insert('ledger', [{ id: own }]);
}

async function readLedgerId(queries: PostgresQueries): Promise<string | null> {
  const [row] = (await queries.query({ text: READ_ID })).rows;
  return row ? String(row['id']) : null;
}
