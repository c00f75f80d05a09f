// Exchanges a second that PostgreSQL answers: `npx node bench/leases.ts`. It starts a server of its own, which writes each
// commit to the disk. On a busy machine only the ratios mean something: `commits` are updates of one row of their own.
import { stdout } from 'node:process';
import type { CounterPlace } from '../src/domain/limits/limit.ts';
import { counterKey, LEASE_PROTOCOL, type LeaseItem } from '../src/leases/exchange.ts';
import type { LeaseStore } from '../src/storage/lease-store.ts';
import { openPostgresDatabase } from '../src/storage/postgres/postgres-database.ts';
import { openPostgresLeases } from '../src/storage/postgres/postgres-leases.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

const COUNTERS = 10_000;
const ROUND_MS = 2_000;
const ROUNDS = 3;

interface Case {
  readonly name: string;
  readonly connections: number;
  readonly counters: number;
  readonly items: number;
}

const CASES: readonly Case[] = [1, 4, 16].flatMap((connections) => [
  { name: 'commits', connections, counters: 0, items: 0 },
  { name: 'one counter', connections, counters: 1, items: 1 },
  { name: '10,000 counters', connections, counters: COUNTERS, items: 1 },
  { name: '10,000 counters, 50 an exchange', connections, counters: COUNTERS, items: 50 },
]);

/** A node that uses one unit of each counter in each exchange. */
class BenchNode {
  readonly #store: LeaseStore;
  readonly #name: string;
  readonly #used = new Map<string, number>();
  #generation = 0;
  #seq = 0;
  exchanges = 0;

  constructor(store: LeaseStore, name: string) {
    this.#store = store;
    this.#name = name;
  }

  async register(): Promise<void> {
    ({ generation: this.#generation } = await this.#store.register(this.#name, 1));
    await this.#exchange([]);
  }

  async run({ counters, items }: Case, until: number): Promise<void> {
    while (performance.now() < until) {
      this.exchanges += 1;
      if (counters === 0) {
        await this.#store.leave(this.#name, 1);
        continue;
      }
      const first = Math.floor(Math.random() * counters);
      const asked = Array.from({ length: items }, (_, at) => this.#item(1 + ((first + at * 131) % counters)));
      await this.#exchange(asked);
    }
  }

  #item(counter: number): LeaseItem {
    const place: CounterPlace = { counter, windowStart: 0, value: '' };
    const key = counterKey(place);
    const spent = this.#used.get(key) ?? 0;
    this.#used.set(key, spent + 1);
    return { ...place, key, keep: spent, spent, need: 1, lack: 1, leastLack: 1, wish: 1, since: null };
  }

  async #exchange(items: readonly LeaseItem[]): Promise<void> {
    this.#seq += 1;
    const answer = await this.#store.exchange({
      protocol: LEASE_PROTOCOL,
      node: this.#name,
      epoch: 1,
      seq: this.#seq,
      generation: this.#generation,
      changes: 0,
      position: 0,
      isComplete: this.#seq === 1,
      isHeartbeat: false,
      items,
    });
    if (answer.kind !== 'granted') throw new Error(`${this.#name}: ${answer.kind}`);
  }
}

const server = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
const { pool, close } = await openPostgresDatabase(server.url, 16);
try {
  await pool.query({ text: "INSERT INTO workspaces VALUES ('w', 'w', 'UTC', '[]', 30, 0)" });
  await pool.query({
    text: `INSERT INTO limits SELECT n::text, n, 'w', 'workspace', n::text, 'usd', 9000000000000000, NULL, 'total', 'block', '[]',
      '"keep"', NULL, 0, 0, 0 FROM generate_series(1, $1) n`,
    values: [COUNTERS],
  });
  const store = openPostgresLeases(pool);
  const nodes = Array.from({ length: 16 }, (_, at) => new BenchNode(store, `node${at}`));
  for (const node of nodes) await node.register();
  const rates = new Map<Case, number[]>(CASES.map((each) => [each, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [each, found] of rates) found.push(await rateOf(nodes.slice(0, each.connections), each));
  for (const [{ name, connections, items }, found] of rates) {
    const median = found.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
    const of = items > 1 ? `, ${Math.round(median * items)} counters/s` : '';
    stdout.write(`${name}, ${connections} connections: ${Math.round(median)}/s${of}\n`);
  }
} finally {
  await close();
  await server.stop();
}

async function rateOf(nodes: readonly BenchNode[], each: Case): Promise<number> {
  const before = nodes.reduce((sum, { exchanges }) => sum + exchanges, 0);
  const begin = performance.now();
  await Promise.all(nodes.map((node) => node.run(each, begin + ROUND_MS)));
  const after = nodes.reduce((sum, { exchanges }) => sum + exchanges, 0);
  return (after - before) / ((performance.now() - begin) / 1_000);
}
