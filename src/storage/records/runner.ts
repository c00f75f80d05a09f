import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/crypto/id.ts';

/** Ends the node in the id of a runner, and sorts right before `AFTER_NODE`. No node id contains it. */
const NODE_END = '/';
const AFTER_NODE = '0';

/** Creates an id for the claims of one run of a process. Another run of the same node recognizes them. */
export function newRunnerId(nodeId: string, clock: Clock): string {
  return `${nodeId}${NODE_END}${newId('run', clock)}`;
}

/** Returns the range of the runner ids of a node: from `first`, and before `end`. */
export function nodeRunners(nodeId: string): { readonly first: string; readonly end: string } {
  return { first: `${nodeId}${NODE_END}`, end: `${nodeId}${AFTER_NODE}` };
}
