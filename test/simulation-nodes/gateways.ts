import type { CounterPlace, Limit } from '../../src/domain/limits/limit.ts';
import { amountIn } from '../../src/domain/limits/counting.ts';
import { counterKey } from '../../src/leases/exchange.ts';
import { NOON, sampleBudget, sampleLimit } from '../../src/limits/contract/sample-limits.ts';
import type { Hold } from '../../src/limits/hold.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import { Dice } from '../simulation/dice.ts';
import { must } from '../simulation/violation.ts';
import { type MessageFate, type SharedNode, SharedNodes, type TestCall } from '../support/shared-nodes.ts';

const NAMES = ['a', 'b', 'c'] as const;
const VALUES = ['red', 'blue'] as const;
/** In dollars the first limit of all, so that a call that fits alone can use what is left of it. */
const FIRST = 'lim_1';
/** Longer than lost messages and waiting calls last. */
const CALM_MS = 9_000;

const STEPS = {
  call: 40,
  end: 30,
  pass: 25,
  wait: 2,
  kill: 1,
  start: 3,
  stop: 1,
  change: 2,
  away: 1,
  hold_back: 1,
} as const;

const FATES = { answered: 90, unheard: 3, unsaid: 3, silent: 1, late: 3, twice: 3 } as const;

function limitsOf(dice: Dice): Limit[] {
  const limits = [
    sampleLimit('lim_2', { unit: 'concurrency', amount: dice.whole(2, 6), window: 'total' }),
    sampleBudget('lim_3', dice.whole(20, 120), { window: 'minute' }),
    sampleBudget('lim_4', dice.whole(20, 90), { window: 'total', scope: { kind: 'each_tag', key: 'team' } }),
    sampleBudget('lim_5', dice.whole(20, 90), {
      window: 'total',
      scope: { kind: 'each', of: 'session', keyId: null },
    }),
  ];
  const raise = dice.chance(0.3) ? { amount: 200, until: NOON + dice.whole(100, 4_000) } : null;
  const first = sampleBudget(FIRST, dice.whole(50, 150), { window: 'total', raise });
  return [first, ...limits.filter(() => dice.chance(0.4))];
}

/** The gateways of some nodes with the limits engine, its leases and the messages between, and what really happened. */
export class SimulatedGateways {
  readonly #dice: Dice;
  readonly #nodes: SharedNodes;
  readonly #calls: { readonly node: SharedNode; readonly call: TestCall }[] = [];
  /** Highest amount that each limit ever had. */
  readonly #most = new Map<number, number>();
  /** Use of calls that have ended or were lost, by counter. */
  readonly #used = new Map<string, number>();
  #isCalm = false;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
    const limits = limitsOf(this.#dice);
    this.#nodes = new SharedNodes(...limits);
    this.#nodes.fate = (): MessageFate => (this.#isCalm ? 'answered' : this.#dice.weighed(FATES));
    for (const limit of limits) this.#noteAmount(limit);
    for (const name of NAMES) if (this.#dice.chance(0.8) || name === 'a') this.#nodes.start(name);
  }

  /** Plays some random steps, then lets all faults end, and looks whether the rest can be used. */
  async play(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.#step();
      this.#check();
    }
    await this.#rest();
    this.#check();
    await this.#useRest();
  }

  async #step(): Promise<void> {
    const dice = this.#dice;
    const node = dice.pick(this.#nodes.nodes);
    switch (dice.weighed(STEPS)) {
      case 'call':
        return node && this.#call(node);
      case 'end':
        return this.#endOne();
      case 'pass':
        return await this.#nodes.pass(dice.whole(1, 8) * 5);
      case 'wait':
        return await this.#nodes.pass(dice.whole(200, 2_500));
      case 'kill':
        return node && this.#kill(node);
      case 'start':
        return this.#startOne();
      case 'stop':
        return node && (await this.#stop(node));
      case 'change':
        return this.#change();
      case 'away':
        this.#nodes.isAway = dice.chance(0.5);
        return;
      case 'hold_back':
        if (node) node.isShipping = dice.chance(0.5);
    }
  }

  #call(node: SharedNode): void {
    const dice = this.#dice;
    const session = dice.pick(VALUES);
    const change: Partial<LimitSubject> = {
      tags: { team: dice.pick(VALUES) },
      context: { session, agent: null, parentAgent: null, run: null, requestClass: null },
    };
    this.#calls.push({ node, call: node.call(dice.whole(0, 25), change) });
  }

  #endOne(): void {
    const open = this.#calls.filter(({ node, call }) => call.hold && node.open.has(call.hold));
    const ending = this.#dice.pick(open);
    if (!ending?.call.hold) return;
    const { node, call } = ending;
    const need = amountIn('usd', ending.call.hold.need);
    this.#end(node, call, this.#dice.chance(0.5) ? need : this.#dice.whole(0, need));
  }

  #end(node: SharedNode, call: TestCall, usd: number): void {
    if (call.hold) this.#noteUse(call.hold, usd);
    node.end(call, usd);
  }

  #kill(node: SharedNode): void {
    for (const hold of node.open) this.#noteUse(hold, amountIn('usd', hold.need));
    this.#nodes.kill(node);
  }

  /** A process stops once no call is open or waits. */
  async #stop(node: SharedNode): Promise<void> {
    for (const { node: owner, call } of this.#calls)
      if (owner === node && call.hold && node.open.has(call.hold)) this.#end(node, call, 0);
    if (node.sync.engine.waiting > 0) return;
    void node.shared.stop();
    await this.#nodes.pass(30);
    this.#kill(node);
  }

  #startOne(): void {
    const down = NAMES.find((name) => !this.#nodes.nodes.some((node) => node.name === name));
    if (down) this.#nodes.start(down).isShipping = this.#dice.chance(0.6);
  }

  #change(): void {
    const limit = this.#dice.pick([...this.#nodes.limits.values()]);
    if (!limit) return;
    const changed = { ...limit, amount: this.#dice.whole(2, 150) };
    this.#noteAmount(changed);
    this.#nodes.change(changed);
    for (const node of this.#nodes.nodes) if (this.#dice.chance(0.5)) node.hear();
  }

  #noteAmount({ counter, amount, raise }: Limit): void {
    const most = Math.max(amount, raise?.amount ?? 0);
    this.#most.set(counter, Math.max(most, this.#most.get(counter) ?? 0));
  }

  #noteUse(hold: Hold, usd: number): void {
    for (const { counter, windowStart, value } of hold.counterRefs()) {
      const key = counterKey({ counter, windowStart, value });
      this.#used.set(key, usd + (this.#used.get(key) ?? 0));
    }
  }

  /** No counter is beyond the highest amount of its limit, whichever nodes its calls went through. */
  #check(): void {
    const sums = new Map<string, { readonly place: CounterPlace; sum: number }>();
    for (const node of this.#nodes.nodes)
      for (const hold of node.open)
        for (const { place, limit } of hold.counters) {
          const key = counterKey(place);
          const sum = sums.get(key) ?? { place, sum: this.#used.get(key) ?? 0 };
          sum.sum += amountIn(limit.unit, hold.need);
          sums.set(key, sum);
        }
    for (const [key, { place, sum }] of sums) {
      const most = this.#most.get(place.counter) ?? 0;
      must(sum <= most, () => `1: ${key}: ${sum} used and held, the highest amount is ${most}`);
    }
  }

  async #rest(): Promise<void> {
    this.#isCalm = true;
    this.#nodes.isAway = false;
    for (const name of NAMES) if (!this.#nodes.nodes.some((node) => node.name === name)) this.#nodes.start(name);
    for (const node of this.#nodes.nodes) node.isShipping = true;
    await this.#nodes.pass(CALM_MS);
    for (const { node, call } of this.#calls)
      if (call.hold && node.open.has(call.hold)) this.#end(node, call, amountIn('usd', call.hold.need));
    // Until the amounts of a lowered limit are back, and those that others lacked.
    await this.#nodes.pass(1_500);
  }

  /** What ended calls left of the first limit is usable by one call of any node, and no more is. */
  async #useRest(): Promise<void> {
    const limit = this.#nodes.limits.get(FIRST);
    const node = this.#dice.pick(this.#nodes.nodes);
    if (!limit || !node) throw new Error('there is no limit');
    for (const other of this.#nodes.limits.keys()) if (other !== FIRST) this.#remove(other);
    await this.#nodes.pass(200);
    const used = this.#used.get(counterKey({ counter: limit.counter, windowStart: 0, value: '' })) ?? 0;
    const left = limit.amount - used;
    if (left > 0) {
      const whole = node.call(left);
      await this.#nodes.pass(1_900);
      must(
        whole.hold !== null,
        () => `6: ${left} of ${limit.amount} are left, and no call may use them: ${whole.refused}`,
      );
      this.#end(node, whole, left);
      await this.#nodes.pass(50);
    }
    const more = node.call(1);
    await this.#nodes.pass(1_900);
    must(more.hold === null, () => `1: a call is admitted where nothing is left of ${limit.amount}`);
    must(more.refused === 'spent' || more.refused === 'exceeds_limit', () => `6: refused as ${more.refused}`);
  }

  #remove(id: string): void {
    this.#nodes.remove(id);
    for (const node of this.#nodes.nodes) node.hear();
  }
}
