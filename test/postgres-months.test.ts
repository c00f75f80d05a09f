import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { prepareMonthsJob } from '../src/jobs/prune.ts';
import { openLedger } from '../src/ledger/ledger.ts';
import { silentLog } from '../src/lib/log.ts';
import { parsePostgresAddress } from '../src/storage/postgres/postgres-address.ts';
import { openPostgresEngine } from '../src/storage/postgres/postgres-engine.ts';
import { PostgresPool } from '../src/storage/postgres/postgres-pool.ts';
import { temporaryDatabase } from './support/postgres.ts';
import { LEDGER_TEMPLATE, TEST_SECRET, temporaryFolder } from './support/temporary-records.ts';

const MONTHS = `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'entries'::regclass AND c.relname LIKE '%20%' ORDER BY 1`;

test('a ledger on PostgreSQL has tables for this month and the next two, from its start and each day', async () => {
  const url = await temporaryDatabase(LEDGER_TEMPLATE);
  const pool = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 1 });
  onTestFinished(() => pool.close());
  const config = readConfig({ SVC_DATA_DIR: temporaryFolder(), SVC_DATABASE_URL: url, SVC_SECRET: TEST_SECRET });
  const ledger = await openLedger({ config, clock: () => Date.UTC(2026, 10, 30), log: silentLog });
  await ledger.close();
  const months = ['entries_2026_11', 'entries_2026_12', 'entries_2027_01'];
  expect((await pool.lists({ text: MONTHS })).flat()).toEqual(months);

  const engine = await openPostgresEngine(url, {});
  onTestFinished(() => engine.close());
  if (!engine.prepareMonths) throw new Error('PostgreSQL has a table for each month.');
  await prepareMonthsJob(engine.prepareMonths, () => Date.UTC(2026, 11, 1)).run(AbortSignal.abort());
  expect((await pool.lists({ text: MONTHS })).flat()).toEqual([...months, 'entries_2027_02']);
});
