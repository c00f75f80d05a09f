import type { CounterPlace } from '../../src/domain/limits/limit.ts';
import { counterKey, type LeaseAnswer, type LeaseRefusal, type LeaseRequest } from '../../src/leases/exchange.ts';
import { Dice } from '../simulation/dice.ts';
import { must } from '../simulation/violation.ts';
import { LEASE_MS, LEASE_OVER_MS, type LimitRow, SimulatedDatabase } from './database.ts';
import { SimulatedNode, type Wanted } from './node.ts';
import { drawLimit, type Plan, type Step, type StepName } from './plan.ts';
import { Truth } from './truth.ts';

const TAGS = ['a', 'b', 'c'] as const;
/** The database's clock at the start. */
const START = 1_000_000;

/** A message between a node's process and the database. */
interface Message {
  readonly to: 'database' | 'node';
  readonly node: SimulatedNode;
  readonly process: number;
  readonly deliver: () => void;
}

/** A changed amount that is not yet in force everywhere. */
interface PendingChange {
  readonly change: number;
  readonly counter: number;
  readonly amount: number;
}

/** Places where the product's parts are put together: a planted bug changes them. */
export interface Wiring {
  /** Changes what a node says. */
  readonly request?: (request: LeaseRequest) => LeaseRequest;
  /** False = a new primary does not know that commits may be lost. */
  readonly noticesFailover: boolean;
  /** Runs before each exchange. */
  readonly beforeExchange?: (database: SimulatedDatabase, nodes: readonly SimulatedNode[]) => void;
}
export const AS_IT_IS: Wiring = { noticesFailover: true };

/** Nodes, a database and the messages between them. Steps move it; nothing else does. */
export class World {
  readonly plan: Plan;
  readonly truth = new Truth();
  readonly database: SimulatedDatabase;
  readonly nodes: readonly SimulatedNode[];
  readonly #wiring: Wiring;
  #messages: Message[] = [];
  #now = 0;
  #ids = 0;
  #epochs = 0;
  #counters = 0;
  #isDown = false;
  #changes: PendingChange[] = [];
  #failedOverAt = Number.NEGATIVE_INFINITY;
  #failovers = 0;
  /** Nodes that the new primary knows of, and waits for. It knows nothing of one whose registration it lost. */
  #awaited: ReadonlySet<string> = new Set();

  constructor(plan: Plan, wiring: Wiring) {
    this.plan = plan;
    this.#wiring = wiring;
    this.database = new SimulatedDatabase(plan.failover !== 'never', (places) => {
      this.#hint(places);
    });
    this.nodes = plan.nodes.map(
      (node, index) => new SimulatedNode(`node${index}`, node, this.truth, () => this.#newId()),
    );
    this.pass(START);
    for (const limit of plan.limits) this.#putLimit({ ...limit, counter: (this.#counters += 1), isRemoved: false });
    for (const node of this.nodes) {
      this.start(node);
      this.#exchange(node, false);
    }
    this.deliverAll();
  }

  get now(): number {
    return this.#now;
  }

  act({ name, seed }: Step): void {
    this.#acts[name](new Dice(seed));
    for (const node of this.nodes) node.checkCells();
  }

  pass(ms: number): void {
    this.#now += ms;
    this.database.setTime(this.#now);
    for (const node of this.nodes) node.setTime(this.#now);
  }

  /** All connections work, and all machines that are left run. */
  heal(): void {
    this.#isDown = false;
    for (const node of this.nodes) {
      node.isCut = false;
      node.giveUp();
      if (!node.isUp && !node.isLost) this.start(node);
    }
  }

  /** All that nodes do by themselves in a while, and every message arrives. */
  round(ms: number): void {
    this.pass(ms);
    for (const node of this.nodes) {
      node.sweep();
      this.#readLimits(node);
      this.#ship(node);
      this.#exchange(node, true);
    }
    this.deliverAll();
    for (const node of this.nodes) this.#exchange(node, false);
    this.deliverAll();
  }

  deliverAll(): void {
    for (let message = this.#messages.shift(); message; message = this.#messages.shift()) this.#deliver(message);
  }

  start(node: SimulatedNode): void {
    node.start(this.database.limits);
    this.#register(node);
  }

  readonly #acts: Readonly<Record<StepName, (dice: Dice) => void>> = {
    call: (dice) => {
      const node = this.#pick(dice);
      node.call(this.#drawCall(dice));
      // As a rule, a node says immediately what it wants.
      if (dice.chance(0.8)) this.#exchange(node, false);
    },
    end: (dice) => {
      const node = dice.pick(this.nodes.filter(({ isUp, open }) => isUp && open.size > 0));
      const id = dice.pick([...(node?.open.keys() ?? [])]);
      if (node && id !== undefined) node.end(id, drawUse(dice));
    },
    deliver: (dice) => {
      for (let messages = dice.whole(1, 4); messages > 0; messages -= 1) {
        const at = dice.chance(0.8) ? 0 : dice.whole(0, this.#messages.length - 1);
        const [message] = this.#messages.splice(at, 1);
        if (message) this.#deliver(message);
      }
    },
    drop: (dice) => void this.#messages.splice(dice.whole(0, this.#messages.length), 1),
    double: (dice) => {
      const message = dice.pick(this.#messages);
      if (message?.to === 'database') this.#messages.push(message);
    },
    exchange: (dice) => {
      this.#exchange(this.#pick(dice), false);
    },
    heartbeat: (dice) => {
      this.#exchange(this.#pick(dice), true);
    },
    giveUp: (dice) => {
      this.#pick(dice).giveUp();
    },
    sweep: (dice) => {
      this.#pick(dice).sweep();
    },
    ship: (dice) => {
      this.#ship(this.#pick(dice));
    },
    dropIdle: (dice) => {
      this.#pick(dice).dropIdle();
    },
    pass: (dice) => {
      this.pass(dice.chance(0.2) ? dice.whole(100, 700) : dice.whole(1, 60));
    },
    sleep: (dice) => {
      this.pass(dice.whole(1_000, LEASE_MS + 500));
    },
    crash: (dice) => {
      this.#pick(dice).crash();
    },
    start: (dice) => {
      const node = dice.pick(this.nodes.filter((each) => !each.isLost && (!each.isUp || each.isUnknown)));
      if (!node || !this.#isReachable(node)) return;
      if (node.isUp) this.#register(node);
      else this.start(node);
    },
    lose: (dice) => {
      const node = this.#pick(dice);
      node.crash();
      node.isLost = true;
    },
    forget: (dice) => {
      this.#forget(dice);
    },
    cut: (dice) => {
      this.#pick(dice).isCut = true;
    },
    mend: (dice) => {
      this.#pick(dice).isCut = false;
    },
    outage: () => {
      this.#isDown = true;
    },
    recover: () => {
      this.#isDown = false;
    },
    setAmount: (dice) => {
      this.#setAmount(dice);
    },
    newLimit: (dice) => {
      if (this.#isDown || this.#counters >= 6) return;
      this.#putLimit({ ...drawLimit(dice), counter: (this.#counters += 1), isRemoved: false });
    },
    removeLimit: (dice) => {
      const limit = dice.pick([...this.database.limits.values()]);
      if (limit && !this.#isDown) this.#putLimit({ ...limit, isRemoved: true });
    },
    readLimits: (dice) => {
      const node = this.#pick(dice);
      this.#readLimits(node);
      this.#exchange(node, true);
    },
    watch: () => {
      this.#watch();
    },
    correct: (dice) => {
      this.#correct(dice);
    },
    failover: (dice) => {
      this.#failover(dice);
    },
  };

  #pick(dice: Dice): SimulatedNode {
    return dice.pick(this.nodes as [SimulatedNode, ...SimulatedNode[]]);
  }

  #newId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  #drawCall(dice: Dice): Wanted {
    const needs = new Map<number, number>();
    for (const { counter, kind } of this.database.limits.values()) {
      if (!dice.chance(0.7)) continue;
      const isOne = kind === 'calls' || kind === 'concurrency';
      needs.set(counter, isOne ? 1 : dice.whole(1, dice.chance(0.1) ? 60 : 8));
    }
    return { needs, tag: dice.pick(TAGS) };
  }

  #isReachable(node: SimulatedNode): boolean {
    return !this.#isDown && !node.isCut;
  }

  #send(to: Message['to'], node: SimulatedNode, deliver: () => void): void {
    this.#messages.push({ to, node, process: node.process, deliver });
  }

  #deliver({ to, node, process, deliver }: Message): void {
    if (!this.#isReachable(node)) return;
    if (to === 'node' && (node.process !== process || !node.isUp)) return;
    deliver();
    this.#checkGrants();
  }

  #hint(places: readonly CounterPlace[]): void {
    for (const node of this.nodes)
      this.#send('node', node, () => {
        node.recall(places);
      });
  }

  #register(node: SimulatedNode): void {
    const { leases } = node;
    if (!leases || !this.#isReachable(node)) return;
    const epoch = (this.#epochs += 1);
    leases.registered(this.database.register(node.name, epoch));
    node.isUnknown = false;
    node.mark = 0;
    node.readLimits(this.database.limits, this.database.authority.changes);
  }

  #exchange(node: SimulatedNode, isHeartbeat: boolean): void {
    if (node.isUnknown && node.isUp) return this.#register(node);
    const request = node.nextExchange(isHeartbeat);
    if (!request) return;
    const sent = this.#wiring.request?.(request) ?? request;
    this.#send('database', node, () => {
      this.#wiring.beforeExchange?.(this.database, this.nodes);
      const answer = this.database.exchange(sent);
      this.#checkAnswer(node, sent, answer);
      this.#send('node', node, () => {
        node.receive(answer);
        if (answer.kind === 'restate') this.#readLimits(node);
      });
    });
  }

  #ship(node: SimulatedNode): void {
    const { leases } = node;
    if (!leases || node.isUnknown) return;
    const { from, calls } = node.nextShipment();
    if (calls.length === 0) return;
    const { epoch } = leases;
    this.#send('database', node, () => {
      const mark = this.#countedAgain([node], () =>
        this.database.ship(node.name, epoch, from, from + calls.length, calls),
      );
      this.#send('node', node, () => {
        if (mark === null) node.isUnknown ||= leases.epoch === epoch;
        else node.mark = mark;
      });
    });
  }

  #readLimits(node: SimulatedNode): void {
    if (this.#isReachable(node) && !node.isUnknown)
      node.readLimits(this.database.limits, this.database.authority.changes);
  }

  #putLimit(limit: Omit<LimitRow, 'revision'>): void {
    const { counter, isRemoved } = limit;
    const change = this.database.putLimit({ ...limit, revision: this.#newId() });
    const amount = isRemoved ? 0 : limit.amount;
    this.truth.setAmount(counter, amount);
    this.#changes = this.#changes.filter((pending) => pending.counter !== counter);
    // A node no longer looks at a limit that is gone.
    if (!isRemoved) this.#changes.push({ change, counter, amount });
  }

  #setAmount(dice: Dice): void {
    const limit = dice.pick([...this.database.limits.values()].filter(({ isRemoved }) => !isRemoved));
    if (!limit || this.#isDown) return;
    const share = dice.chance(0.65) ? 0.1 + dice.next() * 0.7 : 1 + dice.next();
    this.#putLimit({ ...limit, amount: Math.max(1, Math.round(limit.amount * share)) });
    // Nodes are notified, as a rule.
    if (!dice.chance(0.6)) return;
    for (const node of this.nodes) {
      this.#readLimits(node);
      this.#exchange(node, true);
    }
  }

  #watch(): void {
    // A node whose registration a failover lost is unknown until it registers again: nobody waits for it.
    const isUnknown = ({ name, isUp }: SimulatedNode): boolean => isUp && !this.database.registered.has(name);
    if (this.#isDown || this.nodes.some(isUnknown)) return;
    const [done, pending] = [[] as PendingChange[], [] as PendingChange[]];
    for (const each of this.#changes) (this.database.authority.isInForce(each.change) ? done : pending).push(each);
    this.#changes = pending;
    for (const { counter, amount } of done) this.truth.inForce(counter, amount);
  }

  #correct(dice: Dice): void {
    const [, tally] = dice.pick([...this.truth.all()]) ?? [];
    if (!tally || this.#isDown) return;
    const change = dice.chance(0.5) ? -dice.whole(0, Math.floor(tally.spent / 2)) : dice.whole(1, 10);
    this.database.correct(tally.place, change);
    this.truth.corrected(tally.place, change);
  }

  #forget(dice: Dice): void {
    const node = dice.pick(this.nodes.filter(({ isUp }) => !isUp));
    if (!node || this.#isDown) return;
    const unknown = dice.chance(0.5) ? 'count' : 'free';
    const before = this.#grantsTo(node.name);
    if (!this.#countedAgain([node], () => this.database.forget(node.name, unknown))) return;
    for (const { place, granted, used } of before) {
      const tally = this.truth.tally(place);
      if (unknown === 'count') tally.declared += granted - used;
    }
  }

  #failover(dice: Dice): void {
    const { failover } = this.plan;
    this.#messages = [];
    if (failover === 'synchronous' && !dice.chance(0.5)) return;
    const lost =
      failover === 'synchronous' ? 0 : Math.min(dice.whole(0, 25), this.database.commits - this.nodes.length);
    this.#countedAgain(this.nodes, () => {
      this.database.failover(lost, this.#wiring.noticesFailover);
    });
    this.#failedOverAt = this.#now;
    this.#failovers += 1;
    this.#awaited = new Set(this.database.registered);
    if (lost === 0) return;
    this.#changes = [];
    const bases = new Map(
      [...this.database.authority.standings()].map(({ place, base }) => [counterKey(place), Number(base)]),
    );
    for (const [key, { place, corrected }] of this.truth.all())
      this.truth.corrected(place, (bases.get(key) ?? 0) - corrected);
    for (let counter = 1; counter <= this.#counters; counter += 1) {
      const limit = this.database.limits.get(counter);
      this.truth.setAmount(counter, limit && !limit.isRemoved ? limit.amount : 0);
    }
  }

  /** Runs a change of what the authority counts under the names of nodes, which can do with their grants as before. */
  #countedAgain<Result>(nodes: readonly SimulatedNode[], change: () => Result): Result {
    const before = nodes.map(
      ({ name }) => new Map(this.#grantsTo(name).map((grant) => [counterKey(grant.place), grant])),
    );
    const result = change();
    for (const [index, { name }] of nodes.entries()) {
      const after = new Map(this.#grantsTo(name).map((grant) => [counterKey(grant.place), grant]));
      for (const [key, { place }] of new Map([...(before[index] ?? []), ...after])) {
        const granted = before[index]?.get(key)?.granted ?? 0;
        this.truth.counted(place, name, (after.get(key)?.granted ?? 0) - granted);
      }
    }
    return result;
  }

  #grantsTo(name: string): { readonly place: CounterPlace; readonly granted: number; readonly used: number }[] {
    return [...this.database.authority.standings()].flatMap(({ place, grants }) => {
      const grant = grants.get(name);
      return grant ? [{ place, granted: Number(grant.granted), used: Number(grant.used) }] : [];
    });
  }

  /** What the authority answered must be true of the world, as far as it was told. */
  #checkAnswer(node: SimulatedNode, request: LeaseRequest, answer: LeaseAnswer | LeaseRefusal): void {
    if (answer.kind !== 'granted') return;
    if (request.isComplete) this.truth.stated(node.name);
    for (const { key, given, state } of answer.grants) {
      const item = request.items.find((each) => each.key === key);
      const head = this.database.authority.standing(key);
      must(item !== undefined && head !== undefined, () => `1: an answer about ${key}, which was not asked`);
      const { amount, spent, declared } = this.truth.tally(item);
      if (given > 0) this.truth.granted(item, Number(head.taken), (name) => this.#isExcused(name));
      must(given === 0 || head.taken <= amount, () => `1: ${given} of ${key} given, ${head.taken} of ${amount} taken`);
      must(
        state !== 'spent' || spent + declared + item.need > amount,
        () => `6: ${key} is called spent: ${spent} of ${amount} used, ${item.need} needed`,
      );
    }
  }

  /** Reports whether the authority can't know what a failover or an operator's mistake made it forget. */
  #isExcused(name: string): boolean {
    const isOver = this.#now >= this.#failedOverAt + LEASE_OVER_MS;
    return isOver || !this.#awaited.has(name);
  }

  /** The authority's sums are right, and no node may spend what it was not granted. */
  #checkGrants(): void {
    const { authority } = this.database;
    for (const { place, base, taken, grants } of authority.standings()) {
      let sum = Number(base);
      for (const grant of grants.values()) sum += Number(grant.granted);
      must(sum === Number(taken), () => `1: ${counterKey(place)} has ${taken} taken, but ${sum} granted`);
    }
    if (this.#failovers > 0 && this.plan.failover === 'asynchronous') return;
    for (const node of this.nodes) {
      for (const { key, cap } of node.leases?.cells() ?? []) {
        const granted = authority.standing(key)?.grants.get(node.name)?.granted ?? 0;
        const most = Number(granted) + (node.overrun.get(key) ?? 0);
        must(Number(cap) <= most, () => `2: ${node.name} may use ${cap} of ${key}; ${most} is granted`);
      }
      const time = node.clock.now(node.uptime);
      must(time <= this.#now, () => `7: ${node.name} believes it is ${time}; it is ${this.#now}`);
    }
  }
}

/** What an ended call used of a need: mostly less, now and then more. */
function drawUse(dice: Dice): (need: number) => number {
  if (dice.chance(0.02)) return (need) => need + dice.whole(1, 6);
  const share = dice.chance(0.3) ? 1 : dice.next();
  return (need) => Math.floor(need * share);
}
