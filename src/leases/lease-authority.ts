import { TollbookError } from '../domain/errors.ts';
import type { CounterPlace } from '../domain/limits/limit.ts';
import { addWhole, subtractWhole, type WholeAmount } from '../domain/money/money.ts';
import type { Clock } from '../lib/clock.ts';
import {
  counterKey,
  type GrantState,
  isSupported,
  type LeaseAnswer,
  type LeaseGrant,
  type LeaseItem,
  type LeaseRefusal,
  type LeaseRequest,
  SCARCE_MAX,
} from './exchange.ts';
import { type CounterGrants, CounterHead, type NodeGrant } from './counter-head.ts';
import { sizeGrant } from './grant-size.ts';
import { LEASE_MS, type LeaseRegistration } from './node-leases.ts';

/**
 * A node is treated as gone so long after its last exchange: longer than it may admit by its own clock, by more than two
 * clocks drift apart in that time.
 */
export const LEASE_OVER_MS = LEASE_MS + 3_000;
/** Nodes that are not forgotten. */
export const NODES_MAX = 1_000;
/** Counters that nodes may ask for. Counters of shipped calls have no maximum: they must be counted. */
const COUNTERS_MAX = 1_000_000;

/** Epoch of a forgotten node: no process has it. */
export const NO_EPOCH = -1;

interface LeaseNode {
  epoch: number;
  seq: number;
  renewedAt: number;
  /** Generation of the authority to which the node has stated its grants. */
  generation: number;
  changes: number;
  /** It must say completely what it has. */
  mustState: boolean;
  /** Its calls are counted up to this position of its journal. */
  mark: number;
}

export interface LeaseAuthorityOptions {
  readonly clock: Clock;
  /** Amount of a limit's counters at this moment; 0 = there is no such limit. */
  readonly amount: (counter: number) => number;
  /** Nodes are to return what they don't use of these counters. A hint: it may be lost. */
  readonly recall: (places: readonly CounterPlace[]) => void;
  readonly leaseOverMs?: number;
  readonly nodesMax?: number;
  readonly countersMax?: number;
}

/** Windows of a limit that are over. */
export interface PastWindows {
  readonly counter: number;
  /** The windows that began before it ended so long ago that no node opens them: longer than a lease. */
  readonly before: number;
}

/** Use of one counter by a shipped call. */
export interface ShippedUse {
  readonly place: CounterPlace;
  readonly counted: number;
}

/** State of the authority during one exchange. */
interface ExchangeScene {
  readonly node: string;
  readonly time: number;
  /** All nodes that may still admit have stated their grants. */
  readonly isWhole: boolean;
  readonly isShipped: boolean;
  readonly nodes: number;
  readonly scarce: CounterPlace[];
}

/**
 * Shares the amounts of limits among nodes, in memory. PostgreSQL has the same rules in SQL, and one contract suite for both.
 * See the invariants in README.md.
 */
export class LeaseAuthority {
  readonly #options: LeaseAuthorityOptions;
  readonly #leaseOverMs: number;
  readonly #nodes = new Map<string, LeaseNode>();
  readonly #heads = new Map<string, CounterHead>();
  #generation = 1;
  #changes = 0;

  constructor(options: LeaseAuthorityOptions) {
    this.#options = options;
    this.#leaseOverMs = options.leaseOverMs ?? LEASE_OVER_MS;
  }

  get changes(): number {
    return this.#changes;
  }

  /**
   * Registers a process of a node; earlier ones are stale from now on. Throws `unavailable` if there are too many nodes.
   * @param epoch drawn at random by the process each time, so that none is used twice, not even after a failover
   */
  register(name: string, epoch: number): LeaseRegistration {
    const known = this.#nodes.get(name);
    if (!known) this.#requirePlace();
    const node: LeaseNode = known ?? {
      epoch,
      seq: 0,
      renewedAt: Number.NEGATIVE_INFINITY,
      generation: this.#generation,
      changes: 0,
      mustState: true,
      mark: 0,
    };
    // A failover may have lost a former registration, under which the process still admits.
    Object.assign(node, { epoch, seq: 0, mustState: true, renewedAt: this.#options.clock() });
    this.#nodes.set(name, node);
    return { epoch, generation: this.#generation };
  }

  /** Notes a change of limits. It is in force once `isInForce` says so. Returns its number. */
  change(): number {
    this.#changes += 1;
    return this.#changes;
  }

  /** Reports whether every node that can still admit works with a change. */
  isInForce(change: number): boolean {
    const now = this.#options.clock();
    for (const node of this.#nodes.values()) if (this.#isLive(node, now) && node.changes < change) return false;
    return true;
  }

  /**
   * A failover may have lost the newest exchanges: nothing is granted until every node that can admit has stated its
   * grants.
   * @param generation drawn at random: a second failover may lose the first, and must not give its number again
   */
  promote(generation: number): void {
    this.#generation = generation;
    const now = this.#options.clock();
    for (const node of this.#nodes.values()) node.renewedAt = now;
  }

  /** Counts a correction, or usage from before the limit existed. */
  correct(place: CounterPlace, change: number): void {
    this.#head(place).correct(change);
  }

  /**
   * Counts calls of a node that are now in the ledger. They were granted before, so nothing more is taken. Returns the
   * position that calls are counted up to; calls that don't continue there change nothing. null = the process is stale.
   */
  ship(name: string, epoch: number, from: number, to: number, uses: readonly ShippedUse[]): number | null {
    const node = this.#nodes.get(name);
    if (!node || node.epoch !== epoch) return null;
    if (from !== node.mark) return node.mark;
    node.mark = to;
    for (const { place, counted } of uses) {
      const head = this.#head(place);
      const { granted, spent, used: before } = head.grant(name);
      const used = addWhole(before, counted);
      head.set(name, { used, spent: largerAmount(spent, used), granted: largerAmount(granted, used) });
    }
    return to;
  }

  /**
   * An operator says that a node never comes back. Its grants stay counted, as uncertain usage, or only what it shipped
   * does. Returns false while the node can still admit. A node that never registered has no grants.
   */
  forget(name: string, unknown: 'count' | 'free'): boolean {
    const node = this.#nodes.get(name);
    if (!node) return true;
    if (this.#isLive(node, this.#options.clock())) return false;
    node.epoch = NO_EPOCH;
    for (const head of this.#heads.values()) {
      if (!head.grants.has(name)) continue;
      const { granted, used } = head.grant(name);
      const counted = unknown === 'free' ? used : granted;
      head.set(name, { granted: counted, spent: counted });
    }
    return true;
  }

  /** A process has stopped admitting calls. What it had not returned stays counted until its next process states. */
  leave(name: string, epoch: number): void {
    const node = this.#nodes.get(name);
    if (node?.epoch === epoch) node.renewedAt = Number.NEGATIVE_INFINITY;
  }

  /** Drops the counters of windows that are over, apart from those of windows that never end. */
  prune(old: readonly PastWindows[]): void {
    const before = new Map(old.map((each) => [each.counter, each.before]));
    for (const [key, { place }] of this.#heads)
      if (place.windowStart > 0 && place.windowStart < (before.get(place.counter) ?? 0)) this.#heads.delete(key);
  }

  /**
   * Drops counters of `total` that no node asked for since an instant, and that no node may use: one that may come back with a
   * cell keeps its counter. The caller counts what they had when they come back.
   */
  pruneIdle(counter: number, before: number): void {
    const now = this.#options.clock();
    const isOver = (name: string, { granted, spent, used }: NodeGrant): boolean => {
      const node = this.#nodes.get(name);
      const mayComeBack =
        node && node.epoch !== NO_EPOCH && !this.#isLive(node, now) && Number.isFinite(node.renewedAt);
      return granted === used && spent === used && !mayComeBack;
    };
    for (const [key, head] of this.#heads) {
      const { place, askedAt, grants } = head;
      if (place.counter !== counter || place.windowStart > 0 || askedAt >= before) continue;
      if (Array.from(grants).every(([name, grant]) => isOver(name, grant))) this.#heads.delete(key);
    }
  }

  /** Drops the counters of all limits that are not listed and are lower than the highest listed number. */
  keepOnly(counters: readonly number[]): void {
    const kept = new Set(counters);
    const highest = counters.reduce((max, counter) => Math.max(max, counter), 0);
    for (const [key, { place }] of this.#heads)
      if (place.counter < highest && !kept.has(place.counter)) this.#heads.delete(key);
  }

  exchange(request: LeaseRequest): LeaseAnswer | LeaseRefusal {
    const { seq, epoch, generation, position, isComplete, items } = request;
    const node = this.#nodes.get(request.node);
    if (!isSupported(request.protocol)) return { kind: 'unsupported', seq };
    if (!node || node.epoch !== epoch || seq <= node.seq) return { kind: 'stale', seq };
    if (
      generation !== this.#generation ||
      (node.mustState && !isComplete) ||
      (node.generation !== generation && !isComplete)
    )
      return { kind: 'restate', seq, generation: this.#generation };
    if (isComplete && node.mark < position) return { kind: 'unshipped', seq, mark: node.mark };
    const time = this.#options.clock();
    const isRenewed = request.changes >= this.#changes;
    Object.assign(node, { seq, generation, changes: request.changes, mustState: false });
    if (isRenewed) node.renewedAt = time;
    if (isComplete) this.#returnUnsaid(request);
    const scene = this.#scene(request.node, time, node.mark >= position);
    const grants = items.map((item) => this.#grant(item, scene));
    if (scene.scarce.length > 0) this.#options.recall(scene.scarce);
    const scarce = request.isHeartbeat ? this.#scarceElsewhere(request, time) : [];
    return { kind: 'granted', seq, time, isRenewed, grants, scarce };
  }

  /** Returns the counters with what is taken of them, for `base` and for each node. */
  standings(): IterableIterator<CounterGrants> {
    return this.#heads.values();
  }

  /** Returns what is taken of one counter; undefined = nothing ever was. */
  standing(key: string): CounterGrants | undefined {
    return this.#heads.get(key);
  }

  #requirePlace(): void {
    let known = 0;
    for (const { epoch } of this.#nodes.values()) if (epoch !== NO_EPOCH) known += 1;
    if (known < (this.#options.nodesMax ?? NODES_MAX)) return;
    throw tooManyNodes(known);
  }

  #scene(node: string, time: number, isShipped: boolean): ExchangeScene {
    let [nodes, isWhole] = [0, true];
    for (const other of this.#nodes.values()) {
      if (!this.#isLive(other, time)) continue;
      nodes += 1;
      if (other.generation !== this.#generation) isWhole = false;
    }
    return { node, time, isWhole, isShipped, nodes: Math.max(1, nodes), scarce: [] };
  }

  #isLive({ renewedAt }: LeaseNode, now: number): boolean {
    return now < renewedAt + this.#leaseOverMs;
  }

  #head(place: CounterPlace): CounterHead {
    const key = counterKey(place);
    let head = this.#heads.get(key);
    if (!head) this.#heads.set(key, (head = new CounterHead(place, this.#options.clock())));
    return head;
  }

  /** A complete statement doesn't name what a former process had, or what a failover brought back: only its use stays. */
  #returnUnsaid({ node, items }: LeaseRequest): void {
    const said = new Set(items.map(({ key }) => key));
    for (const [key, head] of this.#heads) {
      if (!head.grants.has(node) || said.has(key)) continue;
      const { used } = head.grant(node);
      head.set(node, { granted: used, spent: used });
    }
  }

  #grant(item: LeaseItem, scene: ExchangeScene): LeaseGrant {
    const { key, need, lack } = item;
    const { node, time, nodes } = scene;
    if (!this.#heads.has(key) && this.#heads.size >= (this.#options.countersMax ?? COUNTERS_MAX))
      return { key, given: 0, adopted: null, state: 'unready', since: null, spent: null };
    const head = this.#head(item);
    head.askedAt = time;
    const since = head.waitsSince(node, item.since, time);
    if (item.keep === null && !scene.isShipped)
      return { key, given: 0, adopted: null, state: 'unready', since, spent: null };
    const { used } = head.grant(node);
    // A cell that begins has nothing but what was used: the rest may be of an amount that was lowered since.
    const adopted = item.keep === null ? used : null;
    const kept = largerAmount(item.keep ?? 0, used);
    head.set(node, { spent: largerAmount(item.spent, used), granted: kept });
    const amount = this.#options.amount(item.counter);
    const free = Number(subtractWhole(amount, head.taken));
    const reserved = head.reservedForOthers(node, since, time);
    const given = scene.isWhole ? sizeGrant({ ...item, free, reserved, nodes }) : 0;
    head.set(node, { granted: addWhole(kept, given) });
    const state = this.#state(item, head, given, amount, scene);
    if (state === 'scarce') {
      head.lacked(time);
      scene.scarce.push(head.place);
      if (reserved === 0) head.reserve(node, lack - given, since, time);
    } else if (need > 0) head.served(node);
    const isWaiting = state === 'scarce' || state === 'unready';
    return {
      key,
      given,
      adopted,
      state,
      since: isWaiting ? since : null,
      spent: state === 'spent' ? head.spent : null,
    };
  }

  #state(
    { need, lack }: LeaseItem,
    head: CounterHead,
    given: number,
    amount: number,
    { isWhole, time }: ExchangeScene,
  ): GrantState {
    if (given >= lack) return head.taken > amount || head.isScarce(time) ? 'tight' : 'granted';
    if (!isWhole) return 'unready';
    return addWhole(head.spent, need) <= amount ? 'scarce' : 'spent';
  }

  #scarceElsewhere({ node, items }: LeaseRequest, time: number): CounterPlace[] {
    const said = new Set(items.map(({ key }) => key));
    const scarce: CounterPlace[] = [];
    for (const [key, head] of this.#heads) {
      if (scarce.length === SCARCE_MAX) break;
      if (!head.isScarce(time) || said.has(key)) continue;
      const { granted, spent } = head.grant(node);
      if (granted > spent) scarce.push(head.place);
    }
    return scarce;
  }
}

function largerAmount(a: WholeAmount, b: WholeAmount): WholeAmount {
  return a > b ? a : b;
}

export function tooManyNodes(known: number): TollbookError {
  return new TollbookError(
    'unavailable',
    `Limits are shared among ${known} nodes, which is the maximum. Forget nodes that never come back.`,
  );
}
