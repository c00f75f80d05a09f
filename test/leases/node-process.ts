// A gateway reduced to what leases need: calls that wait and end, a journal, and shipping. Its parent kills it.
import { randomInt, randomUUID } from 'node:crypto';
import { argv, exit } from 'node:process';
import type { CounterPlace } from '../../src/domain/limits/limit.ts';
import { DatabaseClock } from '../../src/leases/database-clock.ts';
import { LeaseRunner } from '../../src/leases/lease-runner.ts';
import { NodeLeases } from '../../src/leases/node-leases.ts';
import { type Scheduler, systemScheduler, systemUptime } from '../../src/lib/clock.ts';
import { parsePostgresAddress } from '../../src/storage/postgres/postgres-address.ts';
import { openPostgresLeases, parseRecalls, RECALLS_CHANNEL } from '../../src/storage/postgres/postgres-leases.ts';
import { PostgresListener } from '../../src/storage/postgres/postgres-listener.ts';
import { PostgresPool } from '../../src/storage/postgres/postgres-pool.ts';
import { shipToPostgres } from '../support/ship-uses.ts';
import { CallFile } from './call-file.ts';
import type { NodeReport } from './node-report.ts';

const [url = '', node = '', path = ''] = argv.slice(2);
const PLACE: CounterPlace = { counter: 1, windowStart: 0, value: '' };
const CALL_MS = 40;
const BETWEEN_CALLS_MS = 4;
const NEED_MAX = 20;
const OPEN_MAX = 40;
const WAITING_MAX = 20;
const WAIT_MS = 2_000;
const SHIP_MS = 20;
const REPORT_MS = 50;

interface WaitingCall {
  readonly need: number;
  readonly until: number;
}

/** Calls of one node. Each end is written before anything learns of it. */
class NodeCalls {
  readonly #file = new CallFile(path);
  readonly #ended: number[];
  readonly #epochs: () => number = () => randomInt(2 ** 47);
  readonly #store = openPostgresLeases(pool);
  readonly leases: NodeLeases;
  readonly runner: LeaseRunner;
  readonly report: NodeReport = { calls: 0, waited: 0, gaveUp: 0, exchanges: 0, isSpent: false };
  #waiting: WaitingCall[] = [];
  #open = 0;
  #mark: number | null = null;
  #needMax = NEED_MAX;
  #isStopping = false;

  constructor(scheduler: Scheduler) {
    for (const [id, need] of this.#file.read().open) this.#file.end(id, need);
    this.#ended = [...this.#file.read().ended];
    this.leases = new NodeLeases({ node, position: this.#ended.length, onWant: () => this.runner.wake() });
    this.runner = new LeaseRunner({
      node,
      leases: this.leases,
      clock: new DatabaseClock(),
      link: this.#store,
      uptime: systemUptime,
      scheduler,
      newEpoch: this.#epochs,
      readLimits: async () => this.leases.caughtUp(await this.#store.changes()),
      ship: (mark) => void (this.#mark = mark ?? 0),
      retry: () => this.sweep(),
      position: () => this.#ended.length,
      onTrouble: () => {},
    });
  }

  get isQuiet(): boolean {
    return this.#open === 0 && this.#mark === this.#ended.length;
  }

  /** No call comes any more. */
  refuseAll(): void {
    this.#isStopping = true;
    this.#waiting = [];
  }

  /** A client calls. */
  arrive(): void {
    if (this.report.isSpent || this.#isStopping || this.#open >= OPEN_MAX || this.#waiting.length >= WAITING_MAX)
      return;
    const call = { need: randomInt(1, this.#needMax + 1), until: systemUptime() + WAIT_MS };
    if (this.#admit(call)) return;
    this.report.waited += 1;
    this.#waiting.push(call);
  }

  sweep(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waiting = waiting.filter((call) => {
      if (this.#admit(call)) return false;
      if (call.until > systemUptime()) return true;
      this.report.gaveUp += 1;
      return false;
    });
  }

  async ship(): Promise<void> {
    if (this.#mark === null || this.#mark >= this.#ended.length) return;
    const [from, to] = [this.#mark, this.#ended.length];
    const uses = this.#ended.slice(from, to).map((counted) => ({ place: PLACE, counted }));
    const mark = await shipToPostgres(pool, { node, epoch: this.leases.epoch, from, to, uses });
    if (mark !== null && this.#mark === from) this.#mark = mark;
  }

  /** Returns true if the call has left: admitted, or refused because the amount is spent. */
  #admit({ need }: WaitingCall): boolean {
    const cell = this.leases.isLive(systemUptime()) ? this.leases.cell(PLACE, systemUptime()) : null;
    if (!cell) return false;
    if (cell.room >= need) {
      cell.hold(need);
      this.#begin(need);
      return true;
    }
    if (!cell.isSpent(need, systemUptime())) {
      cell.ask(need);
      return false;
    }
    // From now on smaller calls come, until none fits.
    this.#needMax = Math.max(1, need - 1);
    this.report.isSpent = need === 1;
    return true;
  }

  #begin(need: number): void {
    const id = randomUUID();
    this.#file.begin(id, need);
    this.#open += 1;
    this.report.calls += 1;
    setTimeout(() => this.#end(id, need), CALL_MS);
  }

  #end(id: string, need: number): void {
    const counted = Math.random() < 0.5 ? need : randomInt(0, need + 1);
    this.#file.end(id, counted);
    this.#ended.push(counted);
    this.#open -= 1;
    this.leases.cell(PLACE, systemUptime())?.settle(need, counted, systemUptime());
    this.sweep();
  }
}

const address = parsePostgresAddress(url);
const pool = new PostgresPool(address, { connectionsMax: 2, connectMsMax: 1_000 });
const calls = new NodeCalls(systemScheduler);
const listener = new PostgresListener({
  address,
  channels: [RECALLS_CHANNEL],
  onMessage: (_, payload) => calls.runner.recall(parseRecalls(payload)),
  onConnect: () => {},
});
calls.runner.start();
setInterval(() => calls.arrive(), BETWEEN_CALLS_MS);
setInterval(() => calls.sweep(), REPORT_MS);
setInterval(() => process.send?.({ ...calls.report, exchanges: calls.runner.exchanges }), REPORT_MS);
void shipForEver();

async function shipForEver(): Promise<void> {
  // The server may be away.
  await calls.ship().catch(() => {});
  setTimeout(() => void shipForEver(), SHIP_MS);
}

process.on('message', () => void stop());

async function stop(): Promise<void> {
  calls.refuseAll();
  if (!calls.isQuiet) return void setTimeout(() => void stop(), SHIP_MS);
  await calls.runner.stop();
  await listener.close();
  exit(0);
}
