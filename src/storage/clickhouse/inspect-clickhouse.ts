import type { Clock } from '../../lib/clock.ts';
import type { StorageCheck } from '../engine.ts';
import type { PostgresQueries } from '../postgres/postgres-pool.ts';
import { number, text } from '../sql/result-row.ts';
import type { ClickhouseConnection } from './clickhouse-connection.ts';

const FACTS = `SELECT version() AS version, sum(rows) AS entries, sum(bytes_on_disk) AS bytes, count() AS parts
  FROM system.parts WHERE database = currentDatabase() AND table = 'entries' AND active`;
const DISK = 'SELECT min(free_space) AS free, min(free_space / total_space) AS share FROM system.disks';
const PENDING = 'SELECT count(*) AS pending FROM pending_corrections';
/** Share of a disk that should be free: merges need room for a copy of what they merge. */
const FREE_SHARE_MIN = 0.1;
const GIB = 1024 ** 3;

/** Checks ClickHouse during operation. */
export async function inspectClickhouse(
  queries: PostgresQueries,
  connection: ClickhouseConnection,
  clock: Clock,
): Promise<StorageCheck[]> {
  const began = clock();
  try {
    const [facts = {}] = await connection.query(FACTS);
    const ms = clock() - began;
    const size = `${number(facts, 'entries')} rows in ${formatGib(number(facts, 'bytes'))}`;
    const answer = `ClickHouse ${text(facts, 'version')} answers in ${ms} ms and has ${size}.`;
    return [
      { name: 'clickhouse', state: 'ok', message: answer },
      await checkDisk(connection),
      await checkPending(queries),
    ];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ name: 'clickhouse', state: 'failed', message }];
  }
}

async function checkDisk(connection: ClickhouseConnection): Promise<StorageCheck> {
  const [row = {}] = await connection.query(DISK);
  const free = `ClickHouse has ${formatGib(number(row, 'free'))} of free disk space`;
  return number(row, 'share') < FREE_SHARE_MIN
    ? { name: 'clickhouse disk', state: 'warning', message: `${free}, less than a tenth. Give it a larger disk.` }
    : { name: 'clickhouse disk', state: 'ok', message: `${free}.` };
}

async function checkPending(queries: PostgresQueries): Promise<StorageCheck> {
  const [row] = (await queries.query({ text: PENDING })).rows;
  const pending = Number(row?.['pending']);
  const name = 'clickhouse lag';
  if (pending === 0) return { name, state: 'ok', message: 'All corrections are in ClickHouse.' };
  const message = `${pending} corrections wait for ClickHouse; the next query of calls inserts them.`;
  return { name, state: 'warning', message };
}

function formatGib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
