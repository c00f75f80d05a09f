import { onTestFinished } from 'vitest';
import type { CounterPlace } from '../../src/domain/limits/limit.ts';
import { counterKey } from '../../src/leases/exchange.ts';
import type { Entry } from '../../src/domain/usage/call.ts';
import { adjustmentOf, limitOf } from '../../src/storage/contract/counters-contract.ts';
import type { LedgerStore } from '../../src/storage/store.ts';
import { WorkerLeases } from '../../src/storage/worker-leases.ts';
import { entryOf } from './arbitrary-entry.ts';
import { emptySqliteStore } from './empty-database.ts';
import { LeaseAuthority, type PastWindows, type ShippedUse } from '../../src/leases/lease-authority.ts';
import type { LeaseRegistration } from '../../src/leases/node-leases.ts';
import type { LeaseStore } from '../../src/storage/lease-store.ts';
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { openPostgresLeases } from '../../src/storage/postgres/postgres-leases.ts';
import type { PostgresPool } from '../../src/storage/postgres/postgres-pool.ts';
import { LEDGER_TEMPLATE } from './temporary-records.ts';
import { temporaryDatabase } from './postgres.ts';
import { countUses, type LeaseShipment, shipToPostgres } from './ship-uses.ts';

const LEASE_OVER_MS = 3_100;

/** A shared authority whose time and amounts the test decides. Nothing has an amount at first. */
export interface TestLeases {
  readonly store: LeaseStore;
  /** Stores ended calls of a node. Returns the position that its calls are counted up to; null = the process is stale. */
  ship(shipment: LeaseShipment): Promise<number | null>;
  /** Moves a counter. */
  correct(place: CounterPlace, change: number): Promise<void>;
  /** Drops counters of past windows. */
  prune(old: readonly PastWindows[]): Promise<void>;
  setTime(time: number): Promise<void>;
  /** Changes a limit. */
  setAmount(counter: number, amount: number): Promise<void>;
}

export interface TestLeaseOptions {
  readonly nodesMax?: number;
  readonly leaseOverMs?: number;
}

/** An authority in memory whose time and amounts the test decides. */
export async function openMemoryLeases({
  nodesMax = 1_000,
  leaseOverMs = LEASE_OVER_MS,
}: TestLeaseOptions = {}): Promise<TestLeases> {
  let now = 0;
  const amounts = new Map<number, number>();
  const amount = (counter: number): number => amounts.get(counter) ?? 0;
  const authority = new LeaseAuthority({ clock: () => now, amount, recall: () => {}, leaseOverMs, nodesMax });
  return {
    store: memoryLeaseStore(authority, () => now),
    ship: async ({ node, epoch, from, to, uses }) => authority.ship(node, epoch, from, to, uses),
    correct: async (place, change) => authority.correct(place, change),
    prune: async (old) => authority.prune(old),
    async setTime(time) {
      now = time;
    },
    async setAmount(counter, to) {
      if (amounts.get(counter) !== to) authority.change();
      amounts.set(counter, to);
    },
  };
}

/** The authority of workers, over a ledger in SQLite. */
export async function openTestWorkerLeases(
  options: TestLeaseOptions = {},
): Promise<TestLeases & { readonly ledger: LedgerStore }> {
  let now = 0;
  const sqlite = emptySqliteStore();
  const parts = { leaseOverMs: LEASE_OVER_MS, ...options, store: sqlite, clock: () => now, recall: () => {} };
  const store = new NotedLeases(parts);
  const ledger = store.follow(sqlite);
  const corrections = new Corrections(ledger);
  return {
    ledger,
    store,
    async ship({ node, epoch, from, to, uses }) {
      if (store.epochs.get(node) !== epoch) return null;
      const mark = await ledger.entries.mark(node);
      if (mark !== from) return mark;
      const entries = uses.map((use, index) => entryUnder(`${node} ${to} ${index}`, use));
      await ledger.entries.append({ journalId: node, after: from, mark: to, entries });
      return to;
    },
    correct: (place, change) => corrections.make(place, change),
    async prune(old) {
      await ledger.counters.prune(old);
      await store.prune(old);
    },
    async setTime(time) {
      now = time;
    },
    async setAmount(counter, amount) {
      store.limitChanged(limitOf({ id: `lim_${counter}`, counter, amount }));
    },
  };
}

/** Notes who registered: what ships calls knows the process that they are of. */
class NotedLeases extends WorkerLeases {
  readonly epochs = new Map<string, number>();

  override async register(node: string, epoch: number): Promise<LeaseRegistration> {
    const registration = await super.register(node, epoch);
    this.epochs.set(node, epoch);
    return registration;
  }
}

function entryUnder(callId: string, { place, counted }: ShippedUse): Entry {
  return entryOf(callId, {
    touched: [{ ...place, unit: 'usd' }],
    cost: counted,
    counted: { ...NO_AMOUNTS, usd: counted },
  });
}

const NO_AMOUNTS = { usd: 0, inputTokens: 0, outputTokens: 0 };

/** Moves counters by calls of a node that is no worker, and by corrections of these. */
class Corrections {
  readonly #ledger: LedgerStore;
  readonly #costs = new Map<string, number>();
  #made = 0;

  constructor(ledger: LedgerStore) {
    this.#ledger = ledger;
  }

  async make(place: CounterPlace, change: number): Promise<void> {
    this.#made += 1;
    const callId = `corrected ${counterKey(place)}`;
    const costBefore = this.#costs.get(callId);
    if (costBefore === undefined) await this.#append(entryUnder(callId, { place, counted: change }));
    else
      await this.#ledger.entries.adjust([
        adjustmentOf(callId, { adjustmentId: `adj_${this.#made}`, costBefore, costAfter: costBefore + change }),
      ]);
    this.#costs.set(callId, (costBefore ?? 0) + change);
  }

  async #append(entry: Entry): Promise<void> {
    await this.#ledger.entries.append({ journalId: 'other', mark: this.#made, entries: [entry] });
  }
}

/** An authority in memory behind the port. */
export function memoryLeaseStore(authority: LeaseAuthority, clock: () => number): LeaseStore {
  return {
    time: async () => clock(),
    register: async (node, epoch) => authority.register(node, epoch),
    exchange: async (request) => authority.exchange(request),
    leave: async (node, epoch) => authority.leave(node, epoch),
    forget: async (node, unknown) => authority.forget(node, unknown),
    changes: async () => authority.changes,
    isInForce: async (change) => authority.isInForce(change),
    promote: async (generation) => authority.promote(generation),
    standings: async (counters) =>
      Array.from(authority.standings(), ({ place, base, taken, grants }) => ({ place, base, taken, grants })).filter(
        ({ place }) => counters.includes(place.counter),
      ),
    prune: async (old) => authority.prune(old),
    async pruneIdle({ counter, before }) {
      authority.pruneIdle(counter, before);
      return null;
    },
    keepOnly: async (counters) => authority.keepOnly(counters),
  };
}

/** An authority in a new database, with the time of a table in place of the server's. */
export async function openTestPostgresLeases({
  nodesMax = 1_000,
  leaseOverMs = LEASE_OVER_MS,
}: TestLeaseOptions = {}): Promise<TestLeases & { readonly pool: PostgresPool; readonly url: string }> {
  const url = await temporaryDatabase(LEDGER_TEMPLATE);
  const { pool, close } = await openPostgresDatabase(url, 4);
  onTestFinished(close);
  const run = async (text: string, ...values: unknown[]): Promise<void> => void (await pool.query({ text, values }));
  await run('CREATE TABLE test_clock AS SELECT 0::bigint AS time');
  await run(`CREATE OR REPLACE FUNCTION lease_now() RETURNS BIGINT LANGUAGE sql VOLATILE
    AS $$ SELECT time FROM test_clock $$`);
  await run("INSERT INTO workspaces VALUES ('w', 'w', 'UTC', '[]', 30, 0)");
  const store = openPostgresLeases(pool, { leaseOverMs, nodesMax });
  return {
    store,
    ship: (shipment) => shipToPostgres(pool, shipment),
    correct: (place, change) => countUses(pool, [{ place, counted: change }]),
    async prune(old) {
      for (const { counter, before } of old)
        await run(
          'DELETE FROM counters WHERE counter = $1 AND window_start > 0 AND window_start < $2',
          counter,
          before,
        );
      await store.prune(old);
    },
    pool,
    url,
    setTime: (time) => run('UPDATE test_clock SET time = $1', time),
    setAmount: (counter, amount) =>
      run(
        `INSERT INTO limits VALUES ($1, $2, 'w', 'workspace', $1, 'usd', $3, NULL, 'total', 'block', '[]', '"keep"', NULL, 0, 0, 0)
          ON CONFLICT (counter) DO UPDATE SET amount = $3`,
        String(counter),
        counter,
        amount,
      ),
  };
}
