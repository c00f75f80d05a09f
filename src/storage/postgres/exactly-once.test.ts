import { expect, onTestFinished, test, vi } from 'vitest';
import { entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { WORKSPACE } from '../../../test/support/filled-store.ts';
import { openMemoryStore } from '../../../test/support/memory-store/memory-store.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { refusedCall } from '../../../test/support/refused-call.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import type { EntryBatch } from '../entry-store.ts';
import type { LedgerStore } from '../store.ts';
import { countedIn } from '../../domain/limits/counting.ts';
import { counterKey } from '../../leases/exchange.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { openPostgresLeases } from './postgres-leases.ts';
import { type PostgresConnection, PostgresPool, type PostgresQuery } from './postgres-pool.ts';
import { openPostgresStore } from './postgres-store.ts';

const CALLS = 12;
// Each lost connection is opened again, which takes long beside other tests.
vi.setConfig({ testTimeout: 180_000 });

/** Calls that share roll-ups and counters with those of all other batches, and bring new names. */
function batchOf(journalId: string, number: number): EntryBatch {
  const entries = Array.from({ length: CALLS }, (_, index): Entry => {
    const callId = `call_${String(number).padStart(4, '0')}_${index}_${journalId}`;
    return entryOf(callId, {
      startedAt: FIRST_DAY + (index % 4) * HOUR_MS + number,
      model: `model-${index % 5}-${number % 7}`,
      tags: { team: `team-${index % 3}`, user: `user-${number}-${index}` },
      sessionHash: `session-${index % 2}`,
      touched: [{ counter: 1 + (index % 3), unit: 'usd', windowStart: FIRST_DAY, value: '' }],
    });
  });
  const sum = { isSum: true, calls: 5, model: null, needed: null, left: null };
  const refused = [
    refusedCall(`call_${number}_refused_${journalId}`),
    refusedCall(`call_${String(number).padStart(4, '0')}`, sum),
  ];
  return { journalId, mark: number * (CALLS + 2), entries, refused };
}

/** Has counters 1 and 2 shared by nodes. Limit 3 only warns. */
async function createLimits(pool: PostgresPool): Promise<void> {
  await pool.query({ text: "INSERT INTO workspaces VALUES ('w', 'w', 'UTC', '[]', 30, 0) ON CONFLICT DO NOTHING" });
  for (const counter of [1, 2, 3]) {
    const values = [counter, counter === 3 ? 'warn' : 'block'];
    const text = `INSERT INTO limits
      VALUES ($1::bigint::text, $1::bigint, 'w', 'workspace', $1::bigint::text, 'usd', 9000000, NULL, 'total', $2, '[]', '"keep"', NULL, 0, 0, 0)`;
    await pool.query({ text, values });
  }
}

/** Returns the use of each counter by each node, as leases count it. */
async function readUses(pool: PostgresPool): Promise<unknown> {
  const uses = new Map<string, unknown>();
  for (const { place, base, taken, grants } of await openPostgresLeases(pool).standings([1, 2, 3]))
    uses.set(counterKey(place), { base, taken, used: [...grants].map(([node, { used }]) => [node, used]) });
  return uses;
}

/** The same of batches, by adding up their entries. */
function addUsed(batches: readonly EntryBatch[]): unknown {
  const uses = new Map<string, { base: number; taken: number; used: [string, number][] }>();
  const known = new Set<string>();
  for (const { journalId, entries } of batches.toSorted((a, b) => (a.journalId < b.journalId ? -1 : 1)))
    for (const entry of entries)
      for (const place of known.has(entry.callId) ? [] : entry.touched) {
        known.add(entry.callId);
        if (place.counter === 3) continue;
        const counted = countedIn(place.unit, entry);
        const use = uses.get(counterKey(place)) ?? { base: 0, taken: 0, used: [] };
        uses.set(counterKey(place), use);
        if (use.used.at(-1)?.[0] !== journalId) use.used.push([journalId, 0]);
        const last = use.used.at(-1);
        if (last) last[1] += counted;
        use.taken += counted;
      }
  return uses;
}

/** Opens a store as another process would. */
function openStore(
  url: string,
  pool = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 3 }),
): LedgerStore {
  onTestFinished(() => pool.close());
  return openPostgresStore(pool);
}

/** Returns everything that appended batches change, in a fixed order. */
async function readAll(store: LedgerStore, journals: readonly string[]) {
  const { reports, counters, refusals, entries } = store;
  const page = await reports.entriesPage(WORKSPACE, { range: WHOLE, filter: {}, cursor: null, limit: 10_000 });
  const uses = await reports.keyUses(WORKSPACE, WHOLE);
  const tags = await reports.byTag(WORKSPACE, 'user', WHOLE);
  return {
    calls: page.rows.map(({ entry }) => entry.callId).toSorted(),
    summary: await reports.summary(WORKSPACE, WHOLE),
    tags: tags.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
    uses: uses.toSorted((a, b) => (String(a.model) < String(b.model) ? -1 : 1)),
    counters: (await counters.list(0)).toSorted((a, b) => a.counter - b.counter),
    refusals: await refusals.counts(WORKSPACE, WHOLE, {}),
    marks: await Promise.all(journals.map((journal) => entries.mark(journal))),
  };
}

async function expectOnce(pool: PostgresPool, store: LedgerStore, batches: readonly EntryBatch[]): Promise<void> {
  expect(await readUses(pool)).toEqual(addUsed(batches));
  const oracle = openMemoryStore();
  for (const batch of batches) await oracle.entries.append(batch);
  const journals = [...new Set(batches.map(({ journalId }) => journalId))];
  expect(await readAll(store, journals)).toEqual(await readAll(oracle, journals));
}

test('two processes that append at the same time count each call once, also from one journal', async () => {
  const url = await temporaryDatabase(LEDGER_TEMPLATE);
  const pool = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 1 });
  onTestFinished(() => pool.close());
  await createLimits(pool);
  const [one, two] = [openStore(url), openStore(url)];
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  const ship = async (store: LedgerStore, journals: readonly string[]): Promise<void> => {
    for (const number of numbers) for (const journal of journals) await store.entries.append(batchOf(journal, number));
  };
  // In different orders, so that they meet at each other's rows.
  await Promise.all([ship(one, ['a', 'shared']), ship(two, ['shared', 'b'])]);
  await expectOnce(
    pool,
    one,
    ['a', 'shared', 'b'].flatMap((journal) => numbers.map((number) => batchOf(journal, number))),
  );
});

/** A pool that loses a connection before or after one of its statements. */
class FaultyPool extends PostgresPool {
  readonly #admin: PostgresPool;
  /** Statements until the connection is lost; 0 = none is. */
  left = 0;
  /** The statement runs, and its answer is lost. */
  afterwards = false;

  constructor(url: string, admin: PostgresPool) {
    super(parsePostgresAddress(url), { connectionsMax: 2 });
    this.#admin = admin;
  }

  override async connect(): Promise<PostgresConnection> {
    const connection = await super.connect();
    const query = connection.query.bind(connection);
    const { rows } = await query({ text: 'SELECT pg_backend_pid() AS pid' });
    const kill = () => this.#admin.query({ text: 'SELECT pg_terminate_backend($1, 5000)', values: [rows[0]?.['pid']] });
    connection.query = async (asked: PostgresQuery) => {
      const isLost = this.left > 0 && (this.left -= 1) === 0;
      if (isLost && !this.afterwards) await kill();
      const result = await query(asked);
      if (!isLost || !this.afterwards) return result;
      await kill();
      return await query({ text: 'SELECT 1' });
    };
    return connection;
  }
}

test('a batch whose connection is lost at any statement, repeated, counts each call once', async () => {
  const url = await temporaryDatabase(LEDGER_TEMPLATE);
  const admin = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 1 });
  onTestFinished(() => admin.close());
  await createLimits(admin);
  const pool = new FaultyPool(url, admin);
  const store = openStore(url, pool);
  const batches = [batchOf('a', 1)];
  await store.entries.append(batchOf('a', 1));
  const loseAt = async (statement: number, afterwards: boolean): Promise<'appended' | 'undone' | 'stored'> => {
    const batch = batchOf('a', batches.length + 1);
    batches.push(batch);
    Object.assign(pool, { left: statement, afterwards });
    const error = await store.entries.append(batch).catch((thrown: unknown) => thrown);
    pool.left = 0;
    if (!(error instanceof Error)) return 'appended';
    expect(error).toMatchObject({ type: 'unavailable' });
    const mark = await store.entries.mark('a');
    await store.entries.append(batch);
    return mark === batch.mark ? 'stored' : 'undone';
  };
  let statements = 1;
  while ((await loseAt(statements, false)) === 'undone') statements += 1;
  expect(statements).toBeGreaterThan(20);
  // The last of them commits.
  expect(await loseAt(statements - 1, true)).toBe('stored');
  await expectOnce(admin, store, batches);
});
