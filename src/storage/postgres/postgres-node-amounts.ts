import type { LimitUnit } from '../../domain/limits/limit.ts';
import { narrow } from '../../domain/money/money.ts';
import { LEASE_OVER_MS } from '../../leases/lease-authority.ts';
import type { HeldElsewhere, NodeAmounts, NodeGrants } from '../node-amounts.ts';
import { placeColumns } from './postgres-leases.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** Counters that are read at a time; beyond it, the smallest amounts are left out. */
const HELD_ROWS_MAX = 10_000;

const NOTE = 'SELECT lease_note_held($1, $2, $3, $4::bigint[], $5::bigint[], $6::text[], $7::bigint[])';

/** Live nodes say what their calls hold. The calls of others may have used all that these were granted. */
const HELD_ELSEWHERE = `WITH said AS (
    SELECT counter, window_start, value, node, held FROM lease_held
      WHERE counter = ANY ($1::bigint[]) AND node <> $2
    UNION ALL
    SELECT g.counter, g.window_start, g.value, g.node, g.granted - g.used FROM lease_grants g JOIN lease_nodes n USING (node)
      WHERE g.counter = ANY ($1::bigint[]) AND g.node <> $2 AND g.granted > g.used AND lease_now() >= n.renewed_at + $3
  ), by_node AS (
    SELECT counter, window_start, value, node, max(held) AS held FROM said GROUP BY 1, 2, 3, 4
  )
  SELECT h.counter, h.window_start, h.value, sum(h.held)::bigint,
      -- A node that has stopped, or was given up, holds what it held.
      max(CASE WHEN n.renewed_at = 0 OR n.epoch = -1 THEN 0 ELSE greatest(0, lease_now() - n.renewed_at) END)
    FROM by_node h JOIN lease_nodes n USING (node)
    GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT ${HELD_ROWS_MAX}`;

const GRANTS = `SELECT g.node, l.unit, count(*), sum(g.granted - g.used)::bigint
  FROM lease_grants g JOIN limits l USING (counter) WHERE g.granted > g.used GROUP BY 1, 2 ORDER BY 1, 2`;

/** Opens what nodes say of their open calls, and reads their grants. */
export function openPostgresNodeAmounts(pool: PostgresPool, leaseOverMs = LEASE_OVER_MS): NodeAmounts {
  return {
    async noteHeld(node, epoch, { isComplete, amounts }) {
      const values = [node, epoch, isComplete, ...placeColumns(amounts), amounts.map(({ held }) => held)];
      const [row] = await pool.lists({ name: 'lease_note_held', text: NOTE, values });
      return row?.[0] === true;
    },
    async heldElsewhere(counters, node) {
      const values = [counters, node, leaseOverMs];
      const rows = await pool.lists({ text: HELD_ELSEWHERE, values, integers: 'bigints' });
      return rows.map(toHeldElsewhere);
    },
    async grants() {
      return (await pool.lists({ text: GRANTS, integers: 'bigints' })).map(toNodeGrants);
    },
  };
}

function toHeldElsewhere([counter, windowStart, value, held, ageMs]: readonly unknown[]): HeldElsewhere {
  return {
    counter: Number(counter),
    windowStart: Number(windowStart),
    value: value as string,
    held: narrow(held as bigint),
    ageMs: Number(ageMs),
  };
}

function toNodeGrants([node, unit, counters, amount]: readonly unknown[]): NodeGrants {
  return {
    node: node as string,
    unit: unit as LimitUnit,
    counters: Number(counters),
    amount: narrow(amount as bigint),
  };
}
