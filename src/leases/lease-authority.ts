import type { CounterPlace } from '../domain/limits/limit.ts';
import { addWhole, subtractWhole, type WholeAmount } from '../domain/money/money.ts';
import type { Clock } from '../lib/clock.ts';
import {
  counterKey,
  type GrantState,
  LEASE_PROTOCOL,
  type LeaseAnswer,
  type LeaseGrant,
  type LeaseItem,
  type LeaseRefusal,
  type LeaseRequest,
} from './exchange.ts';
import { sizeGrant } from './grant-size.ts';
import { LEASE_MS, type LeaseRegistration } from './node-leases.ts';

/**
 * A node is treated as gone so long after its last exchange: longer than it may admit by its own clock, by more than two
 * clocks drift apart in that time.
 */
const LEASE_OVER_MS = LEASE_MS + 3_000;
/** Nodes return what they don't use of a counter for so long after a call lacked it. */
const SCARCE_MS = 500;
/** An amount stays reserved for the call that waits longest for so long after its node asked for it. */
const TICKET_MS = 250;
/** … and in all for so long. Then calls of other nodes that came meanwhile go first: it may not fit for minutes. */
const TURN_MS = 1_000;

/** Epoch of a forgotten node: no process has it. */
const NO_EPOCH = -1;

/** Amount that is reserved for the call that waits longest for a counter. */
interface WaitTicket {
  readonly node: string;
  readonly lack: number;
  readonly since: number;
  readonly until: number;
  readonly turnUntil: number;
}

/** All that is counted and granted of one counter. */
interface CounterHead {
  readonly place: CounterPlace;
  /** Counted for good without a node: corrections, and usage from before the limit existed. */
  base: WholeAmount;
  /** `base` and the grants of all nodes. */
  taken: WholeAmount;
  scarceUntil: number;
  ticket: WaitTicket | null;
  /** Grants by node. */
  readonly grants: Map<string, NodeGrant>;
}

/** The amount taken of one counter, by node. */
export type CounterGrants = Readonly<Pick<CounterHead, 'place' | 'base' | 'taken' | 'grants'>>;

/** The part of one counter that a node has. */
interface NodeGrant {
  /** The node may use up to this amount. */
  granted: WholeAmount;
  /** Use of its ended calls, as it said or as its shipped calls say. */
  spent: WholeAmount;
  /** Use of its shipped calls. */
  used: WholeAmount;
}

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
   * Registers a process of a node; earlier ones are stale from now on.
   * @param epoch drawn at random by the process each time, so that none is used twice, not even after a failover
   */
  register(name: string, epoch: number): LeaseRegistration {
    const known = this.#nodes.get(name);
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
    const head = this.#head(place);
    head.base = addChange(head.base, change);
    head.taken = addChange(head.taken, change);
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
      const grant = grantAt(head, name);
      grant.used = addWhole(grant.used, counted);
      grant.spent = largerAmount(grant.spent, grant.used);
      setGranted(head, grant, largerAmount(grant.granted, grant.used));
    }
    return to;
  }

  /**
   * An operator says that a node never comes back. Its grants stay counted, as uncertain usage, or only what it shipped
   * does. Returns false while the node can still admit.
   */
  forget(name: string, unknown: 'count' | 'free'): boolean {
    const node = this.#nodes.get(name);
    if (!node || this.#isLive(node, this.#options.clock())) return false;
    node.epoch = NO_EPOCH;
    for (const head of this.#heads.values()) {
      const grant = head.grants.get(name);
      if (!grant) continue;
      if (unknown === 'free') setGranted(head, grant, grant.used);
      grant.spent = grant.granted;
    }
    return true;
  }

  exchange(request: LeaseRequest): LeaseAnswer | LeaseRefusal {
    const { seq, epoch, generation, position, isComplete, items } = request;
    const node = this.#nodes.get(request.node);
    if (Math.abs(request.protocol - LEASE_PROTOCOL) > 1) return { kind: 'unsupported', seq };
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
    if (!head) {
      const { counter, windowStart, value } = place;
      head = {
        place: { counter, windowStart, value },
        base: 0,
        taken: 0,
        scarceUntil: 0,
        ticket: null,
        grants: new Map(),
      };
      this.#heads.set(key, head);
    }
    return head;
  }

  /** A complete statement doesn't name what a former process had, or what a failover brought back: only its use stays. */
  #returnUnsaid({ node, items }: LeaseRequest): void {
    const said = new Set(items.map(({ key }) => key));
    for (const [key, head] of this.#heads) {
      const grant = head.grants.get(node);
      if (!grant || said.has(key)) continue;
      setGranted(head, grant, grant.used);
      grant.spent = grant.used;
    }
  }

  #grant(item: LeaseItem, scene: ExchangeScene): LeaseGrant {
    const { key, need, lack } = item;
    const head = this.#head(item);
    const turn = ownTurn(head, scene);
    const since = turn?.isOver ? scene.time : (item.since ?? scene.time);
    const grant = grantAt(head, scene.node);
    if (item.keep === null && !scene.isShipped) return { key, given: 0, adopted: null, state: 'unready', since };
    // A cell that begins has nothing but what was used: the rest may be of an amount that was lowered since.
    const adopted = item.keep === null ? grant.used : null;
    grant.spent = largerAmount(item.spent, grant.used);
    setGranted(head, grant, largerAmount(item.keep ?? 0, grant.used));
    const amount = this.#options.amount(item.counter);
    const free = Number(subtractWhole(amount, head.taken));
    const reserved = reservedForOthers(head, scene, since);
    const { nodes } = scene;
    const given = scene.isWhole ? sizeGrant({ ...item, free, reserved, nodes }) : 0;
    setGranted(head, grant, addWhole(grant.granted, given));
    const state = this.#state(item, head, given, amount, scene);
    if (state === 'scarce') {
      head.scarceUntil = scene.time + SCARCE_MS;
      scene.scarce.push(head.place);
      const turnUntil = turn && !turn.isOver ? turn.until : scene.time + TURN_MS;
      if (reserved === 0)
        head.ticket = { node: scene.node, lack: lack - given, since, until: scene.time + TICKET_MS, turnUntil };
    } else if (need > 0 && head.ticket?.node === scene.node) head.ticket = null;
    return { key, given, adopted, state, since: state === 'scarce' || state === 'unready' ? since : null };
  }

  #state(
    { need, lack }: LeaseItem,
    head: CounterHead,
    given: number,
    amount: number,
    { isWhole, time }: ExchangeScene,
  ): GrantState {
    if (given < lack) {
      if (!isWhole) return 'unready';
      let spent = head.base;
      for (const each of head.grants.values()) spent = addWhole(spent, each.spent);
      return addWhole(spent, need) <= amount ? 'scarce' : 'spent';
    }
    return head.taken > amount || head.scarceUntil > time ? 'tight' : 'granted';
  }

  #scarceElsewhere({ node, items }: LeaseRequest, time: number): CounterPlace[] {
    const said = new Set(items.map(({ key }) => key));
    const scarce: CounterPlace[] = [];
    for (const [key, head] of this.#heads) {
      const grant = head.grants.get(node);
      if (head.scarceUntil > time && grant && grant.granted > grant.spent && !said.has(key)) scarce.push(head.place);
    }
    return scarce;
  }
}

/** Returns the turn of a node whose call the counter's amount is reserved for; null = it is not this node's. */
function ownTurn({ ticket }: CounterHead, { node, time }: ExchangeScene): { until: number; isOver: boolean } | null {
  if (ticket?.node !== node) return null;
  return { until: ticket.turnUntil, isOver: ticket.turnUntil <= time };
}

/** The amount reserved for a call of another node that has waited longer. */
function reservedForOthers({ ticket }: CounterHead, { node, time }: ExchangeScene, since: number): number {
  if (!ticket || ticket.node === node || ticket.since > since) return 0;
  // A ticket that ends later than any can is of a clock that was ahead.
  return ticket.until > time && ticket.until <= time + TICKET_MS ? ticket.lack : 0;
}

function grantAt({ grants }: CounterHead, node: string): NodeGrant {
  let grant = grants.get(node);
  if (!grant) grants.set(node, (grant = { granted: 0, spent: 0, used: 0 }));
  return grant;
}

/** The only way in which grants change, so that `taken` is always their sum. */
function setGranted(head: CounterHead, grant: NodeGrant, granted: WholeAmount): void {
  head.taken = addChange(head.taken, subtractWhole(granted, grant.granted));
  grant.granted = granted;
}

function addChange(sum: WholeAmount, change: WholeAmount): WholeAmount {
  return change < 0 ? subtractWhole(sum, -change) : addWhole(sum, change);
}

function largerAmount(a: WholeAmount, b: WholeAmount): WholeAmount {
  return a > b ? a : b;
}
