import type { HeldAmount, LimitUnit } from '../domain/limits/limit.ts';
import type { WholeAmount } from '../domain/money/money.ts';
import type { NodeRecord, NodeState } from './records/nodes.ts';

/** Statement of a node about its open calls. Amounts are absolute, so saying them twice changes nothing. */
export interface HeldStatement {
  /** Counters that are not named hold nothing. Otherwise they are as they were said before. */
  readonly isComplete: boolean;
  readonly amounts: readonly HeldAmount[];
}

/** Amount that open calls of several nodes hold under one counter. */
export interface HeldElsewhere extends HeldAmount {
  /** Time since the node was heard that was silent for longest. */
  readonly ageMs: number;
}

/** Amounts of limits of one unit that a node was granted and that the ledger has no calls for. */
export interface NodeGrants {
  readonly node: string;
  readonly unit: LimitUnit;
  readonly counters: number;
  readonly amount: WholeAmount;
}

/** A node with its state and what it was granted. */
export interface ListedNode {
  readonly node: NodeRecord;
  readonly state: NodeState;
  readonly grants: readonly NodeGrants[];
}

/** Amounts that each node holds and was granted, for people: nothing is admitted by it. */
export interface NodeAmounts {
  /** Notes what open calls of a node hold. Returns false for a process that another one has replaced. */
  noteHeld(node: string, epoch: number, statement: HeldStatement): Promise<boolean>;
  /**
   * Returns what other nodes than the named one hold under the counters of some limits, the largest first. A node that is
   * silent may have used all that it was granted.
   */
  heldElsewhere(counters: readonly number[], node: string): Promise<HeldElsewhere[]>;
  /** Returns what was granted to each node, by unit. */
  grants(): Promise<NodeGrants[]>;
}
