import type { Clock, Uptime } from '../lib/clock.ts';
import type { ListedNode, NodeAmounts, NodeGrants } from '../storage/node-amounts.ts';
import { type NodeRecords, nodeState } from '../storage/records/nodes.ts';

/** Reading what was granted takes longer the more counters there are. */
const GRANTS_EVERY_MS = 60_000;

interface NodeFigureParts {
  readonly nodes: Pick<NodeRecords, 'list'>;
  readonly amounts: Pick<NodeAmounts, 'grants'>;
  readonly clock: Clock;
  readonly uptime: Uptime;
}

/** The nodes on a shared database, for metrics: read often, with grants that may be a minute old. */
export class NodeFigures {
  readonly #parts: NodeFigureParts;
  #grants: readonly NodeGrants[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(parts: NodeFigureParts) {
    this.#parts = parts;
  }

  async list(): Promise<ListedNode[]> {
    const { nodes, amounts, clock, uptime } = this.#parts;
    if (uptime() - this.#readAt >= GRANTS_EVERY_MS) {
      this.#grants = await amounts.grants();
      this.#readAt = uptime();
    }
    const ofNode = Map.groupBy(this.#grants, ({ node }) => node);
    return (await nodes.list()).map((node) => ({
      node,
      state: nodeState(node, clock(), true),
      grants: ofNode.get(node.id) ?? [],
    }));
  }
}
