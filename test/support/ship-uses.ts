import type { ShippedUse } from '../../src/leases/lease-authority.ts';
import type { PostgresPool, PostgresQueries } from '../../src/storage/postgres/postgres-pool.ts';
import { runTransaction } from '../../src/storage/postgres/postgres-transaction.ts';

/** Ended calls of a node that are now in the ledger. */
export interface LeaseShipment {
  readonly node: string;
  readonly epoch: number;
  /** Positions of its journal. */
  readonly from: number;
  readonly to: number;
  readonly uses: readonly ShippedUse[];
}

/** Stores calls as the ledger does, without their entries. */
export async function shipToPostgres(
  pool: PostgresPool,
  { node, epoch, from, to, uses }: LeaseShipment,
): Promise<number | null> {
  return await runTransaction(pool, async (queries) => {
    const values = [node, epoch];
    const known = await queries.query({ text: 'SELECT 1 FROM lease_nodes WHERE node = $1 AND epoch = $2', values });
    if (known.rows.length === 0) return null;
    await queries.query({ text: 'INSERT INTO marks VALUES ($1, 0) ON CONFLICT DO NOTHING', values: [node] });
    const moved = await queries.query({
      text: 'UPDATE marks SET mark = $3 WHERE journal_id = $1 AND mark = $2',
      values: [node, from, to],
    });
    if (moved.changes === 1) {
      await queries.query({ text: "SELECT set_config('tollbook.node', $1, true)", values: [node] });
      await countUses(queries, uses);
      return to;
    }
    const { rows } = await queries.query({ text: 'SELECT mark FROM marks WHERE journal_id = $1', values: [node] });
    return Number(rows[0]?.['mark']);
  });
}

const COUNT = `INSERT INTO counters (counter, window_start, value, used_at, counted, uncertain)
  SELECT counter, window_start, value, 0, sum(counted), 0
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) AS u (counter, window_start, value, counted)
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (counter, window_start, value) DO UPDATE SET counted = counters.counted + excluded.counted`;

/** Moves counters: of the node that the transaction has named, or of none. */
export async function countUses(queries: PostgresQueries, uses: readonly ShippedUse[]): Promise<void> {
  const places = uses.map(({ place }) => place);
  const values = [
    places.map(({ counter }) => counter),
    places.map(({ windowStart }) => windowStart),
    places.map(({ value }) => value),
    uses.map(({ counted }) => counted),
  ];
  await queries.query({ text: COUNT, values });
}
