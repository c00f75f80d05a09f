import { Client } from 'pg';
import { DAY_MS, HOUR_MS } from '../src/domain/time/units.ts';
import { openEngine } from '../src/storage/open.ts';
import { COLUMNS } from '../src/storage/sql/entry-rows.ts';
import { GRAINS, type GrainName, ROLLUPS, type RollupShape } from '../src/storage/sql/rollups.ts';
import { MEASURE_COLUMNS } from '../src/storage/totals.ts';
import { bigBook, DAYS } from './large-ledger.ts';

/** Calls that the ledger records itself; all others are like them, at other times. */
const RECORDED_CALLS = 20_000;
const LENGTH: Readonly<Record<GrainName, number>> = { hour: HOUR_MS, day: DAY_MS };

export interface LargeServer {
  /** Address of an empty database. */
  readonly url: string;
  /** Calls in 90 days. */
  readonly calls: number;
  /** Days at the end whose calls are kept; of earlier ones there are only sums, as after retention. */
  readonly keptDays: number;
  readonly first: number;
  readonly onDay: (day: number) => void;
}

/**
 * Fills a database of PostgreSQL with calls at random instants of 90 days. The ledger records some of them, whose sums must
 * be equal to those that SQL computes from them; SQL makes the others and all sums.
 */
export async function fillServer(target: LargeServer): Promise<void> {
  await recordSome(target);
  const client = new Client(target.url);
  await client.connect();
  try {
    for (const setting of ['jit = off', 'synchronous_commit = off', "work_mem = '128MB'"])
      await client.query(`SET ${setting}`);
    for (const shape of ROLLUPS) for (const grain of GRAINS) await compareSums(client, shape, grain);
    await makeCalls(client, target);
    await client.query('VACUUM (ANALYZE)');
  } finally {
    await client.end();
  }
}

async function recordSome({ url, first }: LargeServer): Promise<void> {
  const engine = await openEngine({ databaseUrl: url, file: '', synchronous: 'normal' });
  await engine.prepareMonths?.(first);
  for (const batch of bigBook(RECORDED_CALLS, first)) await engine.store.entries.append(batch);
  await engine.close();
}

/** Throws if the sums of the ledger are not those of SQL. */
async function compareSums(client: Client, shape: RollupShape, grain: GrainName): Promise<void> {
  const table = `${shape.name}_${grain}`;
  const columns = [...shape.primaryKey, ...MEASURE_COLUMNS].join(', ');
  const [stored, computed] = [`SELECT ${columns} FROM ${table}`, sumsSql(shape, grain, 'true')];
  const { rows } = await client.query<{ rows: string }>(
    `SELECT count(*) AS rows FROM ((${stored} EXCEPT ${computed}) UNION ALL (${computed} EXCEPT ${stored})) AS other`,
  );
  if (Number(rows[0]?.rows) > 0) throw new Error(`The sums of ${table} differ from those of SQL.`);
}

/** Returns the SQL that computes a roll-up from calls, in the order of its primary key and measures. */
function sumsSql({ name, primaryKey }: RollupShape, grain: GrainName, where: string): string {
  const ofTag: Readonly<Record<string, string>> = { tag_key: 'k.id', tag_value: 'v.id' };
  const start = `m.start - m.start % ${LENGTH[grain]}`;
  const key = primaryKey.map((column) => (column === 'start' ? start : (ofTag[column] ?? `m.${column}`)));
  const sums = MEASURE_COLUMNS.map((column) => `sum(m.${column})::bigint`);
  const tags =
    name === 'tag'
      ? 'CROSS JOIN LATERAL json_each_text(m.tags::json) t JOIN names k ON k.text = t.key JOIN names v ON v.text = t.value'
      : '';
  return `SELECT ${[...key, ...sums].join(', ')} FROM entry_measures m ${tags} WHERE ${where}
    GROUP BY ${key.map((_, index) => index + 1).join(', ')}`;
}

async function makeCalls(client: Client, { calls, keptDays, first, onDay }: LargeServer): Promise<void> {
  await client.query(`CREATE TEMPORARY TABLE recorded AS
    SELECT *, row_number() OVER (ORDER BY id) AS place FROM entries`);
  await client.query('CREATE UNIQUE INDEX ON recorded (place); ANALYZE recorded');
  const rollups = ROLLUPS.flatMap(({ name }) => GRAINS.map((grain) => `${name}_${grain}`));
  await client.query(`TRUNCATE entries, ${rollups.join(', ')}`);
  const hourly = calls / (DAYS * 24);
  for (let day = DAYS - keptDays; day < DAYS; day += 1) {
    const start = first + day * DAY_MS;
    for (let hour = 0; hour < 24; hour += 1) await client.query(callsSql(start + hour * HOUR_MS, Math.round(hourly)));
    for (const shape of shapesOf(keptDays))
      for (const grain of GRAINS) {
        const range = `m.start >= ${start} AND m.start < ${start + DAY_MS}`;
        await client.query(`INSERT INTO ${rollupColumns(shape, grain)} ${sumsSql(shape, grain, range)}`);
      }
    onDay(day);
  }
  if (keptDays < DAYS) await repeatSums(client, keptDays, first);
}

/** Sums by key and model are most of the rows, and the questions here don't read them: only a whole ledger has them. */
function shapesOf(keptDays: number): readonly RollupShape[] {
  return keptDays < DAYS ? ROLLUPS.filter(({ name }) => name !== 'key_model') : ROLLUPS;
}

function rollupColumns({ name, primaryKey }: RollupShape, grain: GrainName): string {
  return `${name}_${grain} (${[...primaryKey, ...MEASURE_COLUMNS].join(', ')})`;
}

/** Returns the SQL that inserts so many calls of an hour, each like a recorded one, in the order of time. */
function callsSql(hour: number, count: number): string {
  const own: Readonly<Record<string, string>> = {
    call_id: "'call_' || to_hex(made.at) || '_' || made.number",
    started_at: 'made.at',
    ended_at: 'made.at + 1200',
    request_id: 'r.request_id || to_hex(made.at) || made.number',
    response_id: 'r.response_id || to_hex(made.at) || made.number',
  };
  return `INSERT INTO entries (${COLUMNS.join(', ')})
    SELECT ${COLUMNS.map((column) => own[column] ?? `r.${column}`).join(', ')}
    FROM (SELECT number, 1 + floor(random() * ${RECORDED_CALLS})::bigint AS place,
        ${hour} + floor(random() * ${HOUR_MS})::bigint AS at FROM generate_series(1, ${count}) AS number) AS made
      JOIN recorded r USING (place) ORDER BY made.at`;
}

/** Repeats the sums of the kept days for all days before. */
async function repeatSums(client: Client, keptDays: number, first: number): Promise<void> {
  for (const shape of shapesOf(keptDays))
    for (const grain of GRAINS) {
      const columns = [...shape.primaryKey, ...MEASURE_COLUMNS];
      const shifted = columns.map((column) => (column === 'start' ? `start - shift * ${keptDays * DAY_MS}` : column));
      await client.query(`INSERT INTO ${rollupColumns(shape, grain)} SELECT ${shifted.join(', ')}
        FROM ${shape.name}_${grain}, generate_series(1::bigint, ${DAYS / keptDays - 1}) AS shift`);
    }
  await client.query(`INSERT INTO retained_entries (workspace, from_hour)
    SELECT workspace, ${first + (DAYS - keptDays) * DAY_MS} FROM status_day LIMIT 1`);
}
