import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SimulatedTime } from '../../test/simulation/time.ts';
import type { CounterPlace } from '../domain/limits/limit.ts';
import { DatabaseClock } from './database-clock.ts';
import { LeaseAuthority } from './lease-authority.ts';
import type { LeaseCell } from './lease-cell.ts';
import { type AuthorityLink, LeaseRunner } from './lease-runner.ts';
import { NodeLeases } from './node-leases.ts';

const PLACE: CounterPlace = { counter: 1, windowStart: 0, value: '' };
const AMOUNT = 100;

/** An authority, and the runner of one node with the way between them, which a test can disturb. */
class RunnerScene {
  readonly time = new SimulatedTime(1_000_000);
  readonly authority = new LeaseAuthority({ clock: () => this.time.wall, amount: () => AMOUNT, recall: () => {} });
  readonly troubles: (string | null)[] = [];
  readonly asked: string[] = [];
  readonly leases = new NodeLeases({ node: 'a', position: 0, onWant: () => this.runner.wake() });
  readonly runner: LeaseRunner;
  /** What a link answers in place of the authority; null = the authority answers. */
  disturbed: (() => Promise<never>) | null = null;
  limitsRead = 0;
  retries = 0;
  #epochs = 0;

  constructor() {
    const ask = async <Answer>(name: string, answer: () => Answer): Promise<Answer> => {
      this.asked.push(name);
      if (this.disturbed) return await this.disturbed();
      return answer();
    };
    const link: AuthorityLink = {
      register: (node, epoch) => ask('register', () => this.authority.register(node, epoch)),
      exchange: (request) => ask('exchange', () => this.authority.exchange(request)),
      leave: (node, epoch) => ask('leave', () => this.authority.leave(node, epoch)),
    };
    this.runner = new LeaseRunner({
      node: 'a',
      leases: this.leases,
      clock: new DatabaseClock(),
      link,
      uptime: () => this.time.uptime,
      scheduler: this.time,
      newEpoch: () => (this.#epochs += 1),
      readLimits: async () => {
        this.limitsRead += 1;
        this.leases.caughtUp(this.authority.changes);
      },
      ship: () => {},
      retry: () => (this.retries += 1),
      position: () => 0,
      onTrouble: (error) => this.troubles.push(error instanceof Error ? error.message : null),
    });
  }

  /** Lets time pass in steps, with the answers that arrive in them. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 5) {
      this.time.pass(5);
      await setImmediate();
      await setImmediate();
    }
  }

  async started(): Promise<this> {
    this.runner.start();
    await this.pass(20);
    this.asked.length = 0;
    return this;
  }

  cell(): LeaseCell {
    const cell = this.leases.cell(PLACE, this.time.uptime);
    if (!cell) throw new Error('no place');
    return cell;
  }

  get isLive(): boolean {
    return this.leases.isLive(this.time.uptime);
  }
}

test('a process registers, reads the limits and may admit', async () => {
  const scene = new RunnerScene();
  scene.runner.start();
  await scene.pass(20);
  expect(scene.asked).toEqual(['register', 'exchange']);
  expect([scene.limitsRead, scene.isLive]).toEqual([1, true]);
});

test('a call that lacks room is asked for immediately, and tried when the answer is there', async () => {
  const scene = await new RunnerScene().started();
  scene.cell().ask(10);
  await scene.pass(15);
  expect(scene.cell().room).toBeGreaterThanOrEqual(10);
  expect(scene.retries).toBeGreaterThan(0);
});

test('what many calls say within the gap goes into one exchange', async () => {
  const scene = await new RunnerScene().started();
  scene.cell().ask(1);
  await scene.pass(5);
  scene.asked.length = 0;
  for (let at = 0; at < 5; at += 1) scene.cell().returnUnused();
  for (let at = 0; at < 5; at += 1) scene.cell().ask(1);
  await scene.pass(15);
  expect(scene.asked).toEqual(['exchange']);
});

test('a heartbeat is said each second though no call comes', async () => {
  const scene = await new RunnerScene().started();
  await scene.pass(3_100);
  expect(scene.asked).toEqual(['exchange', 'exchange', 'exchange']);
});

test('an authority that is away is asked less and less often, and calls go on until the lease ends', async () => {
  const scene = await new RunnerScene().started();
  scene.disturbed = () => Promise.reject(new Error('away'));
  await scene.pass(10_000);
  expect(scene.asked.length).toBeLessThan(15);
  expect(scene.isLive).toBe(true);
  await scene.pass(51_000);
  expect(scene.isLive).toBe(false);
  scene.disturbed = null;
  await scene.pass(2_100);
  expect(scene.isLive).toBe(true);
  expect([scene.troubles[0], scene.troubles.at(-1)]).toEqual(['away', null]);
});

test('an exchange without an answer is given up, and its late answer is not taken', async () => {
  const scene = await new RunnerScene().started();
  const late = Promise.withResolvers<never>();
  const { seq } = scene.leases;
  scene.disturbed = () => {
    scene.disturbed = null;
    return late.promise;
  };
  scene.cell().ask(10);
  await scene.pass(5_100);
  expect(scene.troubles).toEqual(['The authority did not answer within 5000 ms.', null]);
  const { cap, key } = scene.cell();
  const grants = [{ key, given: 50, adopted: null, state: 'granted', since: null }];
  late.resolve({ kind: 'granted', seq: seq + 1, time: 0, isRenewed: true, grants, scarce: [] } as never);
  await scene.pass(20);
  expect(scene.cell().cap).toBe(cap);
});

test('a process that the authority does not know registers again and states what it has', async () => {
  const scene = await new RunnerScene().started();
  scene.cell().ask(10);
  await scene.pass(15);
  scene.cell().hold(10);
  scene.authority.register('a', 1_000);
  await scene.pass(1_200);
  expect(scene.asked).toContain('register');
  expect(Number(scene.authority.standing(scene.cell().key)?.taken)).toBe(Number(scene.cell().cap));
});

test('a changed limit is read, and then in force without waiting for a heartbeat', async () => {
  const scene = await new RunnerScene().started();
  const change = scene.authority.change();
  expect(scene.authority.isInForce(change)).toBe(false);
  scene.runner.limitsChanged();
  await scene.pass(20);
  expect([scene.limitsRead, scene.authority.isInForce(change)]).toEqual([2, true]);
});

test('a process that stops returns what no call uses, and is not waited for', async () => {
  const scene = await new RunnerScene().started();
  scene.cell().ask(10);
  await scene.pass(15);
  await scene.runner.stop();
  expect(scene.authority.standing(scene.cell().key)?.taken).toBe(0);
  expect(scene.authority.isInForce(scene.authority.change())).toBe(true);
  scene.asked.length = 0;
  await scene.pass(3_000);
  expect(scene.asked).toEqual([]);
});
