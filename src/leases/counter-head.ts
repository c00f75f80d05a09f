import type { CounterPlace } from '../domain/limits/limit.ts';
import { addWhole, subtractWhole, type WholeAmount } from '../domain/money/money.ts';

/** Nodes return what they don't use of a counter for so long after a call lacked it. */
const SCARCE_MS = 500;
/** An amount stays reserved for the call that waits longest for so long after its node asked for it. */
const TICKET_MS = 250;
/** … and in all for so long. Then calls of other nodes that came meanwhile go first: it may not fit for minutes. */
const TURN_MS = 1_000;

/** Amount that is reserved for the call that waits longest for a counter. */
interface WaitTicket {
  readonly node: string;
  readonly lack: number;
  readonly since: number;
  readonly until: number;
  readonly turnUntil: number;
}

/** The part of one counter that a node has. */
export interface NodeGrant {
  /** The node may use up to this amount. */
  readonly granted: WholeAmount;
  /** Use of its ended calls, as it said or as its shipped calls say. */
  readonly spent: WholeAmount;
  /** Use of its shipped calls. */
  readonly used: WholeAmount;
}

const NO_GRANT: NodeGrant = { granted: 0, spent: 0, used: 0 };

/** The amount taken of one counter, by node. */
export interface CounterGrants {
  readonly place: CounterPlace;
  /** Counted for good without a node: corrections, and usage from before the limit existed. */
  readonly base: WholeAmount;
  /** `base` and the grants of all nodes. */
  readonly taken: WholeAmount;
  readonly grants: ReadonlyMap<string, NodeGrant>;
}

/** All that is counted and granted of one counter, and who waits for it. */
export class CounterHead implements CounterGrants {
  readonly place: CounterPlace;
  base: WholeAmount = 0;
  taken: WholeAmount = 0;
  readonly grants = new Map<string, NodeGrant>();
  /** Time of the last exchange about it. */
  askedAt: number;
  #scarceUntil = 0;
  #ticket: WaitTicket | null = null;

  constructor({ counter, windowStart, value }: CounterPlace, time: number) {
    this.place = { counter, windowStart, value };
    this.askedAt = time;
  }

  grant(node: string): NodeGrant {
    return this.grants.get(node) ?? NO_GRANT;
  }

  /** Replaces parts of a node's grant. The only way in which grants change, so that `taken` is always their sum. */
  set(node: string, change: Partial<NodeGrant>): void {
    const before = this.grant(node);
    const after = { ...before, ...change };
    this.grants.set(node, after);
    this.taken = addChange(this.taken, subtractWhole(after.granted, before.granted));
  }

  /** Counts an amount without a node. */
  correct(change: number): void {
    this.base = addChange(this.base, change);
    this.taken = addChange(this.taken, change);
  }

  /** The part of the amount that ended calls used, as far as their nodes have said. */
  get spent(): WholeAmount {
    let sum = this.base;
    for (const { spent } of this.grants.values()) sum = addWhole(sum, spent);
    return sum;
  }

  isScarce(time: number): boolean {
    return this.#scarceUntil > time;
  }

  /** Returns since when a node's need waits. A need that had its turn begins to wait again. */
  waitsSince(node: string, since: number | null, time: number): number {
    const { turnUntil } = this.#ticketOf(node) ?? { turnUntil: time + TURN_MS };
    // A turn that lasts longer than any can is of a clock that was ahead.
    return since !== null && turnUntil > time && turnUntil <= time + TURN_MS ? since : time;
  }

  /** Returns the amount reserved for a call of another node that has waited longer than since `since`. */
  reservedForOthers(node: string, since: number, time: number): number {
    const ticket = this.#ticket;
    if (!ticket || ticket.node === node || ticket.since > since) return 0;
    // The same of a ticket.
    return ticket.until > time && ticket.until <= time + TICKET_MS ? ticket.lack : 0;
  }

  /** Notes that a call lacks an amount that other nodes have. */
  lacked(time: number): void {
    this.#scarceUntil = time + SCARCE_MS;
  }

  /** Reserves an amount for a call of a node. */
  reserve(node: string, lack: number, since: number, time: number): void {
    const before = this.#ticketOf(node);
    const turnUntil = before?.since === since ? before.turnUntil : time + TURN_MS;
    this.#ticket = { node, lack, since, until: time + TICKET_MS, turnUntil };
  }

  /** Ends the reservation for a node whose need was answered. */
  served(node: string): void {
    if (this.#ticketOf(node)) this.#ticket = null;
  }

  #ticketOf(node: string): WaitTicket | null {
    return this.#ticket?.node === node ? this.#ticket : null;
  }
}

function addChange(sum: WholeAmount, change: WholeAmount): WholeAmount {
  return change < 0 ? subtractWhole(sum, -change) : addWhole(sum, change);
}
