import type { CounterPlace } from '../domain/limits/limit.ts';
import type { WholeAmount } from '../domain/money/money.ts';

/** Revision of the messages below. An authority also accepts the revision before, so that nodes are updated one by one. */
export const LEASE_PROTOCOL = 1;

export function isSupported(protocol: number): boolean {
  return Math.abs(protocol - LEASE_PROTOCOL) <= 1;
}

/** Counters of a node that one answer calls scarce. The others follow in later answers. */
export const SCARCE_MAX = 1_000;

/** A node's statement about one counter, in the limit's unit. Amounts are absolute, so saying them twice changes nothing. */
export interface LeaseItem extends CounterPlace {
  /** Identifies the counter in answers. */
  readonly key: string;
  /** The node may use up to this amount; null = it doesn't know what its calls used before, and asks for that. */
  readonly keep: WholeAmount | null;
  /** Use of its ended calls. At most `keep`. */
  readonly spent: WholeAmount;
  /** Largest need of the calls that wait; 0 = none waits. */
  readonly need: number;
  /** The part of `need` that the node has no room for. */
  readonly lack: number;
  /** The same for the smallest need, which is served if the largest can't be. */
  readonly leastLack: number;
  /** The amount that the node would like to get, at least `lack`. */
  readonly wish: number;
  /** Authority's time at which this need was first asked for; null = it is new. */
  readonly since: number | null;
}

/** One exchange: what a node says, in one message. */
export interface LeaseRequest {
  readonly protocol: number;
  readonly node: string;
  /** Random number of the process's registration: only the newest registration of a node is served. */
  readonly epoch: number;
  /** Number of the exchange in its process. The authority takes each once, and none that is older than the last. */
  readonly seq: number;
  /** Generation of the authority that the node has stated its grants to. */
  readonly generation: number;
  /** Newest change of limits that the node works with. */
  readonly changes: number;
  /** Calls that ended up to this journal position count under no cell of the node. */
  readonly position: number;
  /** The items are all that the node has: what they don't name goes back, apart from what was used. */
  readonly isComplete: boolean;
  /** The node also asks which of its other counters are scarce. */
  readonly isHeartbeat: boolean;
  readonly items: readonly LeaseItem[];
}

/**
 * Answer of an authority to a need, best first:
 * - `granted`: the node has room for it
 * - `tight`: the same, but others wait: the node should take only its calls' need, and return the rest
 * - `scarce`: what other nodes hold would pay for it; they were asked to return it
 * - `unready`: nothing can be granted now: a node has not stated its grants, or its ended calls are not all shipped
 * - `spent`: the amount less what ended calls used is below the need
 */
export type GrantState = 'granted' | 'tight' | 'scarce' | 'unready' | 'spent';

export interface LeaseGrant {
  readonly key: string;
  /** Added to what the node may use. */
  readonly given: number;
  /** Answer to `keep: null`: what the node used before. null = not asked, or not to be said yet. */
  readonly adopted: WholeAmount | null;
  readonly state: GrantState;
  /** Authority's time at which an unmet need was first asked for. */
  readonly since: number | null;
  /** Amount that ended calls of all nodes used, where the state is `spent`; null = another state. */
  readonly spent: WholeAmount | null;
}

export interface LeaseAnswer {
  readonly kind: 'granted';
  readonly seq: number;
  /** Authority's time. */
  readonly time: number;
  /** The node works with every change of limits, so its lease runs on from when it sent the request. */
  readonly isRenewed: boolean;
  readonly grants: readonly LeaseGrant[];
  /** Further counters that others need and that the node has an unused amount of. Answers to heartbeats have them. */
  readonly scarce: readonly CounterPlace[];
}

/**
 * Answers that grant nothing:
 * - `stale`: a newer process, or a newer exchange of this one, was here; or a failover lost this process's registration
 * - `restate`: the authority may have forgotten grants; the node must say completely what it has
 * - `unshipped`: calls that no cell counts must be shipped first, from `mark` on
 * - `unsupported`: the authority doesn't know this revision of the protocol
 */
export type LeaseRefusal =
  | { readonly kind: 'stale'; readonly seq: number }
  | { readonly kind: 'restate'; readonly seq: number; readonly generation: number }
  | { readonly kind: 'unshipped'; readonly seq: number; readonly mark: number }
  | { readonly kind: 'unsupported'; readonly seq: number };

/** Returns the text that identifies a counter. */
export function counterKey({ counter, windowStart, value }: CounterPlace): string {
  return `${counter} ${windowStart} ${value}`;
}
