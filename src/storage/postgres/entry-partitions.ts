import { LEDGER_LOCK } from './postgres-driver.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';
import { runTransaction } from './postgres-transaction.ts';

/** Months after the current one whose partitions are ready. */
const MONTHS_AHEAD = 2;
/** Queries wait behind a change of partitions, so it gives up soon if a long one is in its way. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'";
const LIST = `SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'entries'::regclass ORDER BY 1`;
/** The default partition has no bounds. */
const BOUNDS = /FROM \('(\d+)'\) TO \('(\d+)'\)/;
const IN_DEFAULT = 'SELECT 1 FROM entries_other WHERE started_at >= $1 AND started_at < $2 LIMIT 1';
const DELETE_WITH = ['unpriced', 'adjustments'].map(
  (table) => `DELETE FROM ${table} WHERE started_at >= $1 AND started_at < $2`,
);

interface EntryPartition {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Creates the partitions of entries for this UTC month and the next ones. Returns the names of new ones. Entries of months
 * without a partition, as imports have them, stay in the default partition.
 */
export async function preparePartitions(pool: PostgresPool, now: number): Promise<string[]> {
  return await createMissing(
    pool,
    Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => monthPartition(now, ahead)),
  );
}

/** Creates the partitions of the UTC months of these instants, before entries of them are imported. */
export async function createPartitions(pool: PostgresPool, instants: readonly number[]): Promise<void> {
  await createMissing(
    pool,
    instants.map((instant) => monthPartition(instant, 0)),
  );
}

async function createMissing(pool: PostgresPool, months: readonly EntryPartition[]): Promise<string[]> {
  const isMissing = async (queries: PostgresQueries, { name, start, end }: EntryPartition): Promise<boolean> =>
    (await listPartitions(queries)).every((known) => known.name !== name) &&
    (await queries.lists({ text: IN_DEFAULT, values: [start, end] })).length === 0;
  const created: string[] = [];
  for (const month of months) {
    if (!(await isMissing(pool, month))) continue;
    const { name, start, end } = month;
    await changePartitions(pool, async (queries) => {
      // Another process may have created it meanwhile.
      if (!(await isMissing(queries, month))) return;
      const text = `CREATE TABLE ${name} PARTITION OF entries FOR VALUES FROM (${start}) TO (${end})`;
      await queries.query({ text });
      await queries.query({ text: `CREATE UNIQUE INDEX ${name}_call ON ${name} (call_id)` });
      created.push(name);
    });
  }
  return created;
}

/**
 * Deletes partitions that ended before an instant and have no entry that its workspace still retains. Returns their
 * names. This takes no longer for a million entries than for one.
 */
export async function dropOldPartitions(pool: PostgresPool, before: number): Promise<string[]> {
  const dropped: string[] = [];
  const isOld = async (queries: PostgresQueries, { name, end }: EntryPartition): Promise<boolean> =>
    end <= before && (await queries.lists({ text: retainingWorkspace(name), values: [end] })).length === 0;
  for (const partition of await listPartitions(pool)) {
    if (!(await isOld(pool, partition))) continue;
    const { name, start, end } = partition;
    await changePartitions(pool, async (queries) => {
      const isKnown = (await listPartitions(queries)).some((known) => known.name === name);
      if (!isKnown || !(await isOld(queries, partition))) return;
      for (const text of DELETE_WITH) await queries.query({ text, values: [start, end] });
      await queries.query({ text: `DROP TABLE ${name}` });
      dropped.push(name);
    });
  }
  return dropped;
}

/** Steps from workspace to workspace through the index, because a plain DISTINCT would read all entries. */
function retainingWorkspace(name: string): string {
  return `WITH RECURSIVE step(workspace) AS (
      SELECT min(workspace) FROM ${name}
      UNION ALL
      SELECT (SELECT min(e.workspace) FROM ${name} e WHERE e.workspace > step.workspace) FROM step
      WHERE workspace IS NOT NULL
    ) SELECT 1 FROM step LEFT JOIN retained_entries r ON r.workspace = step.workspace
    WHERE step.workspace IS NOT NULL AND coalesce(r.from_hour, 0) < $1 LIMIT 1`;
}

/** Runs `work` while no other process writes entries or changes partitions. */
async function changePartitions(pool: PostgresPool, work: (queries: PostgresQueries) => Promise<void>): Promise<void> {
  await runTransaction(
    pool,
    async (queries) => {
      await queries.query({ text: LOCK_TIMEOUT });
      await work(queries);
    },
    { lock: LEDGER_LOCK },
  );
}

async function listPartitions(queries: PostgresQueries): Promise<EntryPartition[]> {
  return (await queries.lists({ text: LIST })).flatMap(([name, bounds]) => {
    const found = BOUNDS.exec(String(bounds));
    return found ? [{ name: String(name), start: Number(found[1]), end: Number(found[2]) }] : [];
  });
}

/** Returns the partition of the month that lies `ahead` months after that of an instant. */
function monthPartition(now: number, ahead: number): EntryPartition {
  const date = new Date(now);
  const monthStart = (more: number): number => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead + more);
  const [start, end] = [monthStart(0), monthStart(1)];
  return { name: `entries_${new Date(start).toISOString().slice(0, 7).replace('-', '_')}`, start, end };
}
