import { expect, test } from 'vitest';
import { type SimulatedNode, WAIT_MS } from './node.ts';
import type { Plan } from './plan.ts';
import { AS_IT_IS, World } from './world.ts';

const ROUND_MS = 20;
const TAG = 'a';
const COUNTER = 1;

/** Nodes that share one limit of 100 and can do nothing by themselves. */
function quietWorld(nodes: number): World {
  const plan: Plan = {
    seed: 1,
    limits: [{ kind: 'usd', amount: 100, windowMs: null, isEachTag: false }],
    nodes: Array.from({ length: nodes }, () => ({ drift: 1, startedAt: 0, isFormer: false })),
    failover: 'never',
    isSteady: true,
    steps: [],
  };
  return new World(plan, AS_IT_IS);
}

/** Calls of one need at one node: while fewer than `most` wait or are open, another comes. They use nothing. */
class Stream {
  readonly #world: World;
  readonly #node: SimulatedNode;
  readonly #need: number;
  readonly #callMs: number;
  readonly #most: number;
  #open: { readonly id: number; readonly endsAt: number }[] = [];
  #waiting: { readonly since: number }[] = [];
  admitted = 0;
  /** The longest time that one of them waited, those that gave up included. */
  longestWait = 0;

  constructor(world: World, node: SimulatedNode, need: number, callMs: number, most: number) {
    this.#world = world;
    this.#node = node;
    this.#need = need;
    this.#callMs = callMs;
    this.#most = most;
  }

  round(): void {
    const { now } = this.#world;
    for (const { id } of this.#open.filter(({ endsAt }) => endsAt <= now)) this.#node.end(id, () => 0);
    this.#open = this.#open.filter(({ endsAt }) => endsAt > now);
    this.#waiting = this.#waiting.filter(({ since }) => {
      this.longestWait = Math.max(this.longestWait, now - since);
      return since + WAIT_MS > now;
    });
    for (let more = this.#most - this.#open.length - this.#waiting.length; more > 0; more -= 1) this.#call();
  }

  #call(): void {
    const call = { since: this.#world.now };
    this.#waiting.push(call);
    const onAdmitted = (id: number): void => {
      this.admitted += 1;
      this.#waiting = this.#waiting.filter((each) => each !== call);
      this.longestWait = Math.max(this.longestWait, this.#world.now - call.since);
      this.#open.push({ id, endsAt: this.#world.now + this.#callMs });
    };
    if (!this.#node.call({ needs: new Map([[COUNTER, this.#need]]), tag: TAG, onAdmitted })) this.#waiting.pop();
  }
}

function play(world: World, streams: readonly Stream[], ms: number): void {
  for (let passed = 0; passed < ms; passed += ROUND_MS) {
    for (const stream of streams) stream.round();
    world.round(ROUND_MS);
  }
}

test('small calls of one node do not keep a large call of another waiting', () => {
  const world = quietWorld(2);
  const [first, second] = world.nodes as [SimulatedNode, SimulatedNode];
  const small = new Stream(world, first, 5, 300, 40);
  play(world, [small], 2_000);
  const large = new Stream(world, second, 90, 100, 1);
  play(world, [small, large], 20_000);
  expect(Math.min(large.admitted, small.admitted)).toBeGreaterThan(20);
  expect(large.longestWait).toBeLessThan(WAIT_MS);
});

test('a large call that has no room yet keeps small calls of other nodes waiting for a second at most', () => {
  const world = quietWorld(3);
  const [first, second, third] = world.nodes as [SimulatedNode, SimulatedNode, SimulatedNode];
  const busy = new Stream(world, first, 60, 60_000, 1);
  play(world, [busy], 1_000);
  const large = new Stream(world, second, 50, 100, 4);
  const small = new Stream(world, third, 1, 100, 3);
  play(world, [busy, large, small], 30_000);
  expect(small.admitted).toBeGreaterThan(50);
  expect(small.longestWait).toBeLessThanOrEqual(1_000 + 2 * ROUND_MS);
  // Others' calls hold what it needs.
  expect(large.admitted).toBe(0);
});
