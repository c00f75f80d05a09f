/** A grant is at most the open amount divided by this many times the number of nodes, unless a call needs more. */
const SHARES_PER_NODE = 2;
/** The first grant is this many times the first need. */
const FIRST_TIMES = 8;
/** Usage for so long is asked for ahead. Returning it takes one round trip, so it may be long. */
const AHEAD_MS = 60_000;

export interface GrantDemand {
  /** Amount of the limit that is neither used nor granted; negative after an overrun or a lowered amount. */
  readonly free: number;
  /** Part of it for calls of other nodes that have waited longer. */
  readonly reserved: number;
  readonly lack: number;
  readonly leastLack: number;
  readonly wish: number;
  /** Nodes whose lease runs, at least 1. */
  readonly nodes: number;
}

/**
 * Returns the amount to grant. What the largest waiting call lacks is granted whole, or else what the smallest lacks: a
 * call that never fits must not hold up the others. Beyond that, grants become smaller with what is left, so that the
 * last of an amount doesn't lie unused at one node.
 */
export function sizeGrant({ free, reserved, lack, leastLack, wish, nodes }: GrantDemand): number {
  const open = free - reserved;
  if (open <= 0) return 0;
  if (open < lack) return open < leastLack ? 0 : leastLack;
  return Math.max(lack, Math.min(wish, Math.floor(open / (SHARES_PER_NODE * nodes))));
}

/** Returns the next step of a cell whose calls lacked room: steps double while that goes on. */
export function growStep(step: number, need: number): number {
  return Math.max(2 * step, FIRST_TIMES * need);
}

/** Returns the room that a cell should have. @param rate amount used per ms */
export function targetRoom(rate: number, step: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(Math.max(rate * AHEAD_MS, step)));
}
