import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { openPostgresLeases } from '../../src/storage/postgres/postgres-leases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { CallFile } from './call-file.ts';
import type { NodeReport } from './node-report.ts';

const NODES = 4;
const PROGRAM = new URL('node-process.ts', import.meta.url);

/** Nodes that share one limit on a server of their own. */
class Cluster {
  readonly #url: string;
  readonly #folder: string;
  readonly #processes = new Map<number, ChildProcess>();
  /** Reports of processes that were killed, and of those that run. */
  readonly #before: NodeReport[] = [];
  readonly #reports = new Map<number, NodeReport>();

  constructor(url: string) {
    this.#url = url;
    this.#folder = mkdtempSync(join(tmpdir(), 'lease-nodes-'));
    onTestFinished(() => {
      for (const child of this.#processes.values()) child.kill('SIGKILL');
      rmSync(this.#folder, { recursive: true });
    });
  }

  start(node: number): void {
    const child = fork(PROGRAM, [this.#url, `node${node}`, this.#path(node)]);
    child.on('message', (report) => this.#reports.set(node, report as NodeReport));
    this.#processes.set(node, child);
  }

  /** Kills a process in the middle of its work, and starts it again. */
  async kill(node: number): Promise<void> {
    const child = this.#process(node);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const last = this.#reports.get(node);
    if (last) this.#before.push(last);
    this.#reports.delete(node);
    this.start(node);
  }

  async until(isReached: (sum: NodeReport, reports: readonly NodeReport[]) => boolean): Promise<void> {
    while (!isReached(this.sum, [...this.#reports.values()])) await once(this.#process(0), 'message');
  }

  get sum(): NodeReport {
    const reports = [...this.#before, ...this.#reports.values()];
    const sum = (name: 'calls' | 'waited' | 'gaveUp' | 'exchanges'): number =>
      reports.reduce((total, report) => total + report[name], 0);
    const isSpent = this.#reports.size === NODES && [...this.#reports.values()].every((report) => report.isSpent);
    return { calls: sum('calls'), waited: sum('waited'), gaveUp: sum('gaveUp'), exchanges: sum('exchanges'), isSpent };
  }

  /** All calls end, all are shipped, and the processes say goodbye. */
  async stop(): Promise<void> {
    const exits = Array.from(this.#processes.values(), async (child) => {
      child.send('stop');
      await once(child, 'exit');
    });
    await Promise.all(exits);
  }

  /** Returns what the calls of all nodes used, as their journals say: whole needs of those without an end. */
  get used(): number {
    const journals = Array.from({ length: NODES }, (_, node) => new CallFile(this.#path(node)).read());
    const amounts = journals.flatMap(({ ended, open }) => ended.concat(Array.from(open.values())));
    return amounts.reduce((sum, amount) => sum + amount, 0);
  }

  #path(node: number): string {
    return join(this.#folder, `${node}.calls`);
  }

  #process(node: number): ChildProcess {
    const child = this.#processes.get(node);
    if (!child) throw new Error(`node ${node} does not run`);
    return child;
  }
}

async function startCluster(amount: number): Promise<{ cluster: Cluster; server: PostgresServer }> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const { pool, close } = await openPostgresDatabase(server.url, 1);
  await pool.query({ text: "INSERT INTO workspaces VALUES ('w', 'w', 'UTC', '[]', 30, 0)" });
  await pool.query({
    text: `INSERT INTO limits VALUES ('1', 1, 'w', 'workspace', '1', 'usd', $1, NULL, 'total', 'block', '[]', '"keep"', NULL, 0, 0, 0)`,
    values: [amount],
  });
  await close();
  const cluster = new Cluster(server.url);
  for (let node = 0; node < NODES; node += 1) cluster.start(node);
  return { cluster, server };
}

async function takenOf(server: PostgresServer): Promise<unknown> {
  const { pool, close } = await openPostgresDatabase(server.url, 1);
  const [standing] = await openPostgresLeases(pool).standings([1]);
  await close();
  return standing?.taken;
}

test('four processes use all of a limit and no more, while they and the server are killed', async () => {
  const amount = 25_000;
  const { cluster, server } = await startCluster(amount);
  await cluster.until(({ calls }) => calls > 400);
  await cluster.kill(1);
  await cluster.until(({ calls }) => calls > 800);
  await server.crash();
  await server.start();
  await cluster.until(({ calls }) => calls > 1_200);
  await cluster.kill(2);
  await cluster.until(({ calls }) => calls > 1_600);
  await Promise.all([cluster.kill(3), server.crash()]);
  await server.start();
  await cluster.until(({ isSpent }) => isSpent);
  await cluster.stop();
  expect(cluster.used).toBe(amount);
  expect(await takenOf(server)).toBe(amount);
});

test('calls rarely wait while much is left, and processes that stop return what they did not use', async () => {
  const { cluster, server } = await startCluster(1_000_000_000);
  await cluster.until(({ calls }) => calls > 2_000);
  const { calls, waited } = cluster.sum;
  await cluster.stop();
  expect(await takenOf(server)).toBe(cluster.used);
  expect(waited / calls).toBeLessThan(0.1);
});
