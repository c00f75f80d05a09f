/** One agent as its calls name it; null = the main agent. */
export interface AgentLink {
  readonly agent: string | null;
  readonly parentAgent: string | null;
  /** Epoch ms of its first call. */
  readonly firstAt: number;
}

export interface ArrangedAgent {
  readonly agent: string | null;
  readonly parentAgent: string | null;
  /** 0 = the main agent. */
  readonly depth: number;
}

/**
 * Arranges the agents of a session as a tree, each after its parent. The main agent is the root, even without calls of
 * its own. An agent with several parents stays with the one of its first call. A parent without calls has a place below
 * the main agent. Agents in a cycle are cut off from each other there.
 */
export function arrangeAgents(links: readonly AgentLink[]): ArrangedAgent[] {
  const parents = chooseParents(links);
  const children = Map.groupBy(parents.keys(), (agent) => parents.get(agent) ?? null);
  const arranged: ArrangedAgent[] = [];
  const open: ArrangedAgent[] = [{ agent: null, parentAgent: null, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    arranged.push(next);
    const { agent, depth } = next;
    const below = (children.get(agent) ?? []).map((child) => ({ agent: child, parentAgent: agent, depth: depth + 1 }));
    // The last one added is the next one taken.
    open.push(...below.toReversed());
  }
  return arranged;
}

/** Returns the parent of each agent, by time of the first call; without cycles. */
function chooseParents(links: readonly AgentLink[]): Map<string, string | null> {
  const parents = new Map<string, string | null>();
  for (const { agent, parentAgent } of links.toSorted((a, b) => a.firstAt - b.firstAt)) {
    if (agent === null) continue;
    if (!parents.get(agent)) parents.set(agent, parentAgent);
  }
  for (const parent of new Set(parents.values()))
    if (parent !== null && !parents.has(parent)) parents.set(parent, null);
  const checked = new Set<string>();
  for (const agent of parents.keys()) cutCycle(parents, agent, checked);
  return parents;
}

function cutCycle(parents: Map<string, string | null>, from: string, checked: Set<string>): void {
  const path = new Set<string>();
  for (let agent: string | null = from; agent !== null && !checked.has(agent); agent = parents.get(agent) ?? null) {
    path.add(agent);
    const parent = parents.get(agent) ?? null;
    if (parent !== null && path.has(parent)) parents.set(agent, null);
  }
  for (const agent of path) checked.add(agent);
}
