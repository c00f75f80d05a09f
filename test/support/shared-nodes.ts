import { setImmediate } from 'node:timers/promises';
import { amountAt, type CounterPlace, type Limit } from '../../src/domain/limits/limit.ts';
import { amountIn } from '../../src/domain/limits/counting.ts';
import type { CallAmounts } from '../../src/domain/usage/call.ts';
import { WAIT_MS_MAX } from '../../src/domain/limits/admission-rules.ts';
import type { Alert } from '../../src/domain/alerts/alert.ts';
import { LimitsSync } from '../../src/gateway/limits-sync.ts';
import { SharedLimits } from '../../src/gateway/shared-limits.ts';
import type { LeaseMessageToLedger, LeaseQuestion } from '../../src/ipc/lease-messages.ts';
import type { LimitMessageToGateway, LimitMessageToLedger, MessageToGateway } from '../../src/ipc/messages.ts';
import { LeaseService } from '../../src/ledger/lease-service.ts';
import { counterKey } from '../../src/leases/exchange.ts';
import { LeaseAuthority, type ShippedUse } from '../../src/leases/lease-authority.ts';
import { NOON, sampleCallEnd, sampleNeed, sampleSubject } from '../../src/limits/contract/sample-limits.ts';
import type { AdmissionBlock } from '../../src/limits/admission-block.ts';
import type { LimitCounter } from '../../src/limits/counter.ts';
import { Hold } from '../../src/limits/hold.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import { SimulatedTime } from '../simulation/time.ts';
import { memoryLeaseStore } from './lease-stores.ts';

const STEP_MS = 5;

/** `unheard` and `unsaid`: it fails, before or after the authority has taken it. `twice`: it is answered twice. */
export type MessageFate = 'answered' | 'unheard' | 'unsaid' | 'silent' | 'late' | 'twice';

/** Time of a late answer. */
const LATE_MS = [40, 400, 6_000] as const;

/** A call of a test: open, waiting or refused. */
export interface TestCall {
  hold: Hold | null;
  /** Reason of its refusal; null = it is not refused. */
  refused: string | null;
}

/** Nodes of one process that share limits through an authority in memory, with a clock that the test moves. */
export class SharedNodes {
  readonly time = new SimulatedTime(NOON);
  readonly authority: LeaseAuthority;
  readonly limits = new Map<string, Limit>();
  readonly nodes: SharedNode[] = [];
  #late = 0;
  /** Journals of dead processes. */
  readonly #dead = new Map<string, SharedNode['ended']>();
  /** No node reaches the authority. */
  isAway = false;
  /** Fate of the next message to the authority. */
  fate: () => MessageFate = () => 'answered';

  constructor(...limits: readonly Limit[]) {
    for (const limit of limits) this.limits.set(limit.id, limit);
    this.authority = new LeaseAuthority({
      clock: () => this.time.wall,
      amount: (counter) => this.#amount(counter),
      recall: (places) => {
        for (const node of this.nodes) node.deliver({ type: 'counters-recalled', places });
      },
    });
  }

  /** Starts a process of a node, with the journal of its last one. */
  start(name: string): SharedNode {
    const node = new SharedNode(this, name, this.#dead.get(name));
    this.nodes.push(node);
    return node;
  }

  /** Ends a process as `kill -9` does: nothing is heard of it any longer. */
  kill(node: SharedNode): void {
    node.isDead = true;
    // Its next process counts open calls whole.
    for (const hold of node.open) node.ended.push(usesOf(hold, hold.need));
    node.open.clear();
    this.nodes.splice(this.nodes.indexOf(node), 1);
    this.#dead.set(node.name, node.ended);
  }

  /** Lets time pass in small steps, with the messages that arrive in them. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.time.pass(STEP_MS);
      for (const node of this.nodes) {
        node.sync.engine.sweep(node.sync.now(), this.time.uptime);
        if (node.isShipping) node.ship();
      }
      await setImmediate();
      await setImmediate();
    }
  }

  /** Changes a limit, as a user does through any node. Nodes hear of it later. */
  change(limit: Limit): void {
    this.limits.set(limit.id, limit);
    this.authority.change();
    for (const node of this.nodes) node.changes.push({ type: 'limit-changed', limit });
  }

  remove(id: string): void {
    this.limits.delete(id);
    this.authority.change();
    for (const node of this.nodes) node.changes.push({ type: 'limit-removed', id });
  }

  lateMs(): number {
    this.#late += 1;
    return LATE_MS[this.#late % LATE_MS.length] ?? 0;
  }

  /** Amount that the authority counts as taken of a limit's counters. */
  taken(counter: number): number {
    return Array.from(this.authority.standings())
      .filter(({ place }) => place.counter === counter)
      .reduce((sum, { taken }) => sum + Number(taken), 0);
  }

  /** Returns what the ledger has counted. */
  counted(place: CounterPlace): number {
    const head = this.authority.standing(counterKey(place));
    if (!head) return 0;
    return [...head.grants.values()].reduce((sum, { used }) => sum + Number(used), Number(head.base));
  }

  #amount(counter: number): number {
    const limit = [...this.limits.values()].find((each) => each.counter === counter);
    return limit ? amountAt(limit, this.time.wall) : 0;
  }
}

/** One gateway process: the limits engine with its leases, and the ledger thread's side of them. */
export class SharedNode {
  readonly name: string;
  readonly sync: LimitsSync;
  readonly shared: SharedLimits;
  readonly alerts: Alert[] = [];
  /** Uses of ended calls: the node's journal. */
  readonly ended: (readonly ShippedUse[])[];
  /** Changes of limits that the node has not heard of. */
  readonly changes: LimitMessageToGateway[] = [];
  readonly open = new Set<Hold>();
  readonly #nodes: SharedNodes;
  readonly #service: LeaseService;
  isDead = false;
  /** Ended calls are stored immediately. */
  isShipping = true;
  #mark = 0;
  #epoch = 0;
  #fate: MessageFate = 'answered';

  constructor(nodes: SharedNodes, name: string, ended: (readonly ShippedUse[])[] = []) {
    this.#nodes = nodes;
    this.name = name;
    this.ended = ended;
    const { time, authority } = nodes;
    const store = memoryLeaseStore(authority, () => time.wall);
    this.#service = new LeaseService({
      leases: store,
      node: name,
      send: (message) => this.#answered(message),
      applyChanges: async () => this.hear(),
    });
    this.shared = new SharedLimits({
      node: name,
      time: time.wall,
      send: (message) => this.#toLedger(message),
      uptime: () => time.uptime,
      leaseUptime: () => time.uptime,
      scheduler: time,
      retry: () => this.sync.engine.retryWaiting(this.sync.now()),
      places: () => this.sync.engine.sharedPlaces(this.sync.now()),
      held: () => this.sync.engine.heldCounters(),
      position: () => this.ended.length,
      onTrouble: () => {},
    });
    this.sync = new LimitsSync({
      snapshot: {
        limits: [...nodes.limits.values()],
        counters: [],
        newestCallAt: 0,
        overruns: [],
        statedRatios: [],
        refusals: [],
      },
      wall: () => time.wall,
      uptime: () => time.uptime,
      journal: { endSeq: this.ended.length, problem: null },
      shippedMark: () => this.#mark,
      send: (message) => this.#answer(message),
      raise: (alert) => void this.alerts.push(alert),
      over: () => {},
      mainWorkspace: 'ws_a',
      scheduler: time,
      shared: this.shared,
    });
    this.sync.open();
  }

  /** A client calls. The call may wait for two seconds. */
  call(usd: number, change: Partial<LimitSubject> = {}): TestCall {
    const call: TestCall = { hold: null, refused: null };
    this.#try(call, usd, change);
    return call;
  }

  #try(call: TestCall, usd: number, change: Partial<LimitSubject>): void {
    const { engine, now } = this.sync;
    const subject = sampleSubject(change);
    const admitted = (hold: Hold): void => {
      this.open.add(hold);
      call.hold = hold;
    };
    const refused = ({ reason, isUnleased }: AdmissionBlock): void => {
      call.refused = isUnleased ? 'unleased' : reason;
    };
    const until = this.#nodes.time.uptime + WAIT_MS_MAX;
    const counters = engine.findCounters(subject, now());
    const outcome = engine.admit(subject, counters, sampleNeed(usd), now());
    if (outcome instanceof Hold) admitted(outcome);
    else if (outcome.isUnread) this.#load(call, usd, change, counters);
    else if (outcome.reason !== 'in_flight' || (outcome.isUnleased && engine.isAuthorityAway)) refused(outcome);
    else if (!engine.wait({ subject, need: sampleNeed(usd), until, admitted, refused }, outcome)) refused(outcome);
  }

  /** Reads the counters of a call from the ledger, and then calls again. */
  #load(call: TestCall, usd: number, change: Partial<LimitSubject>, counters: readonly LimitCounter[]): void {
    const waiter = {
      keyId: 'key_a',
      until: Number.POSITIVE_INFINITY,
      loaded: () => this.#try(call, usd, change),
      gaveUp: () => void (call.refused = 'unread'),
    };
    const unread = counters.filter(({ isLoaded }) => !isLoaded);
    if (!this.sync.engine.awaitCounters(waiter, unread)) call.refused = 'unread';
  }

  /** Ends a call that used an amount: first in the journal, as the gateway does. */
  end({ hold }: TestCall, usd: number): void {
    if (!hold) throw new Error('The call was not admitted.');
    const end = sampleCallEnd(usd);
    this.ended.push(usesOf(hold, end.counted));
    this.open.delete(hold);
    this.sync.engine.settle(hold, end, this.sync.now());
  }

  /** Stores ended calls in the ledger, which counts them. */
  ship(): void {
    if (this.#nodes.isAway) return;
    const mark = this.#nodes.authority.ship(
      this.name,
      this.#epoch,
      this.#mark,
      this.ended.length,
      this.ended.slice(this.#mark).flat(),
    );
    if (mark !== null) this.#mark = mark;
  }

  /** Hears of the changes that other nodes have made. */
  hear(): void {
    for (const change of this.changes.splice(0)) this.sync.receive(change);
  }

  deliver(message: MessageToGateway): void {
    if (this.isDead) return;
    if (message.type === 'answer-changes') return this.sync.receive(message);
    if (message.type === 'counters-recalled' || message.type === 'answer-exchange') return this.shared.receive(message);
    if (
      message.type === 'answer-registration' ||
      message.type === 'answer-leave' ||
      message.type === 'answer-held' ||
      message.type === 'answer-failed'
    )
      this.shared.receive(message);
  }

  #toLedger(message: LeaseMessageToLedger): void {
    if (this.isDead) return;
    if (message.type === 'mark-lost') return this.isShipping ? this.ship() : undefined;
    if (message.type === 'ask-totals') return this.#sendTotals(message.places);
    if (this.#nodes.isAway)
      return this.deliver({ type: 'answer-failed', question: message.question, reason: 'The database is away.' });
    if (message.type === 'ask-registration') this.#epoch = message.epoch;
    this.#ask(message);
  }

  #ask(message: LeaseQuestion): void {
    const fails = { type: 'answer-failed', question: message.question, reason: 'The connection was lost.' } as const;
    const fate = this.#nodes.fate();
    if (fate === 'unheard') return this.deliver(fails);
    this.#fate = fate;
    void this.#service.answer(message);
    if (fate === 'unsaid') this.deliver(fails);
  }

  /** Passes an answer of the ledger thread on. */
  #answered(message: MessageToGateway): void {
    const fate = this.#fate;
    this.#fate = 'answered';
    if (fate === 'silent' || fate === 'unsaid') return;
    if (fate === 'twice') this.deliver(message);
    if (fate === 'late') this.#nodes.time.later(() => this.deliver(message), this.#nodes.lateMs());
    else this.deliver(message);
  }

  /** Says what the ledger has counted of the calls of all nodes. */
  #sendTotals(places: readonly CounterPlace[]): void {
    const counters = places.map((place) => {
      const counted = this.#nodes.counted(place);
      return { ...place, counted, uncertain: 0 };
    });
    this.sync.receive({ type: 'counters-totaled', mark: this.#mark, counters, held: [] });
  }

  #answer(message: LimitMessageToLedger): void {
    if (message.type === 'limit-installed')
      this.sync.receive({ type: 'limit-backfilled', counter: message.counter, counters: [] });
    if (message.type === 'ask-counters') {
      const counters = message.counters.map((place) => ({
        ...place,
        counted: this.#nodes.counted(place),
        uncertain: 0,
      }));
      this.sync.receive({ type: 'answer-counters', question: message.question, counters });
    }
  }
}

/** Returns what a call counts under its counters. */
function usesOf(hold: Hold, counted: CallAmounts): ShippedUse[] {
  return hold.counterRefs().map(({ counter, windowStart, value, unit }) => ({
    place: { counter, windowStart, value },
    counted: amountIn(unit, counted),
  }));
}
