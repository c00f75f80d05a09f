import { z } from 'zod';
import type { CounterPlace } from '../../domain/limits/limit.ts';
import { narrow, type WholeAmount } from '../../domain/money/money.ts';
import type { CounterGrants, NodeGrant } from '../../leases/counter-head.ts';
import {
  type GrantState,
  isSupported,
  type LeaseAnswer,
  type LeaseGrant,
  type LeaseItem,
  type LeaseRefusal,
  type LeaseRequest,
  SCARCE_MAX,
} from '../../leases/exchange.ts';
import { LEASE_OVER_MS, NODES_MAX, tooManyNodes } from '../../leases/lease-authority.ts';
import type { LeaseRegistration } from '../../leases/node-leases.ts';
import type { LeaseStore } from '../lease-store.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';

export interface PostgresLeaseOptions {
  readonly leaseOverMs?: number;
  readonly nodesMax?: number;
}

/** Opens the authority in PostgreSQL. Its rules are functions of the database (`001-leases-postgres.ts`): one round trip each. */
export function openPostgresLeases(
  pool: PostgresPool,
  { leaseOverMs = LEASE_OVER_MS, nodesMax = NODES_MAX }: PostgresLeaseOptions = {},
): LeaseStore {
  const scalar = (text: string, ...values: unknown[]): Promise<unknown> => askOne(pool, text, values);
  return {
    time: async () => Number(await scalar('SELECT lease_now()')),
    async register(node, epoch): Promise<LeaseRegistration> {
      const generation = await scalar('SELECT lease_register($1, $2, $3)', node, epoch, nodesMax);
      if (generation === null) throw tooManyNodes(nodesMax);
      return { epoch, generation: Number(generation) };
    },
    async exchange(request) {
      if (!isSupported(request.protocol)) return { kind: 'unsupported', seq: request.seq };
      return await runExchange(pool, request, leaseOverMs);
    },
    async leave(node, epoch) {
      const left = 'UPDATE lease_nodes SET renewed_at = 0 WHERE node = $1 AND epoch = $2 RETURNING node';
      await pool.query({
        text: `WITH gone AS (${left}) DELETE FROM lease_held h USING gone WHERE h.node = gone.node`,
        values: [node, epoch],
      });
    },
    async forget(node, unknown) {
      return (await scalar('SELECT lease_forget($1, $2, $3)', node, unknown === 'count', leaseOverMs)) === true;
    },
    changes: async () => Number(await scalar('SELECT changes FROM lease_state')),
    async isInForce(change) {
      const behind = 'SELECT 1 FROM lease_nodes WHERE lease_now() < renewed_at + $1 AND changes < $2';
      return (await scalar(`SELECT NOT EXISTS (${behind})`, leaseOverMs, change)) === true;
    },
    async promote(generation) {
      await scalar('SELECT lease_promote($1)', generation);
    },
    standings: (counters) => readStandings(pool, counters),
    async prune(old) {
      const values = [old.map(({ counter }) => counter), old.map(({ before }) => before)];
      // Grants last: an exchange may be adding one to a counter that is being deleted.
      for (const table of ['lease_heads', 'lease_grants'])
        await pool.query({
          text: `DELETE FROM ${table} t USING unnest($1::bigint[], $2::bigint[]) AS o (counter, before)
            WHERE t.counter = o.counter AND t.window_start > 0 AND t.window_start < o.before`,
          values,
        });
    },
    async pruneIdle({ counter, before, after, limit }) {
      const last = await scalar(
        'SELECT lease_prune_idle($1, $2, $3, $4, $5)',
        counter,
        before,
        after,
        limit,
        leaseOverMs,
      );
      return last as string | null;
    },
    async keepOnly(counters) {
      for (const table of ['lease_heads', 'lease_grants'])
        await pool.query({
          text: `DELETE FROM ${table} t
            WHERE t.counter < (SELECT max(c) FROM unnest($1::bigint[]) c) AND t.counter <> ALL ($1::bigint[])`,
          values: [counters],
        });
    },
  };
}

/** Channel on which nodes hear which counters others need. Heartbeats say it, too. */
export const RECALLS_CHANNEL = 'tollbook_recalls';

const recallsSchema = z.array(z.tuple([z.int(), z.int(), z.string()]));

/** Returns nothing for what another program sent on the same channel. */
export function parseRecalls(payload: string): CounterPlace[] {
  try {
    const places = recallsSchema.parse(JSON.parse(payload));
    return places.map(([counter, windowStart, value]) => ({ counter, windowStart, value }));
  } catch {
    return [];
  }
}

const EXCHANGE = `SELECT out_kind, out_time, out_generation, out_mark, out_renewed, out_given, out_adopted, out_state, out_since, out_spent,
    out_counter, out_window, out_value
  FROM lease_exchange($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::bigint[], $12::bigint[], $13::text[], $14::bigint[],
    $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[])`;

/** A row of `lease_exchange`. Lists have a member for each item; integers in them are text. */
interface ExchangeRow {
  readonly out_kind: 'granted' | 'stale' | 'restate' | 'unshipped';
  readonly out_time: number;
  readonly out_generation: number;
  readonly out_mark: number;
  readonly out_renewed: boolean;
  readonly out_given: readonly string[];
  readonly out_adopted: readonly (string | null)[];
  readonly out_state: readonly GrantState[];
  readonly out_since: readonly (string | null)[];
  readonly out_spent: readonly (string | null)[];
  readonly out_counter: readonly string[] | null;
  readonly out_window: readonly string[] | null;
  readonly out_value: readonly string[] | null;
}

async function runExchange(
  queries: PostgresQueries,
  request: LeaseRequest,
  leaseOverMs: number,
): Promise<LeaseAnswer | LeaseRefusal> {
  const { node, epoch, seq, generation, changes, position, isComplete, isHeartbeat, items } = request;
  const of = [node, epoch, seq, generation, changes, position, isComplete, isHeartbeat, leaseOverMs, SCARCE_MAX];
  const values = [...of, ...itemColumns(items)];
  const { rows } = await queries.query({ name: 'lease_exchange', text: EXCHANGE, values });
  const row = rows[0] as unknown as ExchangeRow;
  switch (row.out_kind) {
    case 'stale':
      return { kind: 'stale', seq };
    case 'restate':
      return { kind: 'restate', seq, generation: row.out_generation };
    case 'unshipped':
      return { kind: 'unshipped', seq, mark: row.out_mark };
    case 'granted': {
      const grants = items.map(({ key }, at) => readGrant(key, at, row));
      return { kind: 'granted', seq, time: row.out_time, isRenewed: row.out_renewed, grants, scarce: readScarce(row) };
    }
  }
}

function itemColumns(items: readonly LeaseItem[]): unknown[][] {
  return [
    ...placeColumns(items),
    ...(['keep', 'spent', 'need', 'lack', 'leastLack', 'wish', 'since'] as const).map((name) =>
      items.map((item) => item[name]),
    ),
  ];
}

export function placeColumns(places: readonly CounterPlace[]): [number[], number[], string[]] {
  return [
    places.map(({ counter }) => counter),
    places.map(({ windowStart }) => windowStart),
    places.map(({ value }) => value),
  ];
}

function readGrant(key: string, at: number, row: ExchangeRow): LeaseGrant {
  const [given, adopted, state, since] = [row.out_given[at], row.out_adopted[at], row.out_state[at], row.out_since[at]];
  if (given === undefined || state === undefined) throw new Error(`The authority did not answer item ${at}.`);
  return {
    key,
    given: Number(given),
    adopted: readOptionalAmount(adopted),
    state,
    since: since === null || since === undefined ? null : Number(since),
    spent: readOptionalAmount(row.out_spent[at]),
  };
}

function readOptionalAmount(text: string | null | undefined): WholeAmount | null {
  return text === null || text === undefined ? null : narrow(BigInt(text));
}

function readScarce({ out_counter, out_window, out_value }: ExchangeRow): CounterPlace[] {
  return (out_counter ?? []).map((counter, at) => ({
    counter: Number(counter),
    windowStart: Number(out_window?.[at]),
    value: out_value?.[at] ?? '',
  }));
}

async function readStandings(queries: PostgresQueries, counters: readonly number[]): Promise<CounterGrants[]> {
  const rows = await queries.lists({
    text: `SELECT h.counter, h.window_start, h.value, h.base, h.taken, g.node, g.granted, g.spent, g.used
      FROM lease_heads h LEFT JOIN lease_grants g USING (counter, window_start, value)
      WHERE h.counter = ANY ($1::bigint[]) ORDER BY 1, 2, 3, 6`,
    values: [counters],
    integers: 'bigints',
  });
  const standings: (CounterGrants & { readonly grants: Map<string, NodeGrant> })[] = [];
  for (const row of rows) {
    const place = { counter: Number(row[0]), windowStart: Number(row[1]), value: row[2] as string };
    const last = standings.at(-1);
    const known = last && samePlace(last.place, place) ? last : null;
    const [base, taken, node] = [wholeAmount(row[3]), wholeAmount(row[4]), row[5] as string | null];
    const standing = known ?? { place, base, taken, grants: new Map<string, NodeGrant>() };
    if (!known) standings.push(standing);
    if (node !== null)
      standing.grants.set(node, {
        granted: wholeAmount(row[6]),
        spent: wholeAmount(row[7]),
        used: wholeAmount(row[8]),
      });
  }
  return standings;
}

function samePlace(a: CounterPlace, b: CounterPlace): boolean {
  return a.counter === b.counter && a.windowStart === b.windowStart && a.value === b.value;
}

function wholeAmount(value: unknown): WholeAmount {
  return narrow(value as bigint);
}

async function askOne(queries: PostgresQueries, text: string, values: unknown[]): Promise<unknown> {
  const [row] = await queries.lists({ text, values });
  return row?.[0];
}
