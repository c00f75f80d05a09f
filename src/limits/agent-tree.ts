import { TollbookError } from '../domain/errors.ts';
import type { AgentParents, CallContext } from '../domain/usage/call-context.ts';
import { agentValue } from '../domain/limits/each-value.ts';
import { countNamePlaces, KeyPlaces } from './key-places.ts';

/** Agents above a call's own. */
export const AGENTS_ABOVE_MAX = 16;
/** Agents that an answer of the ledger describes: a call's own, those above it, and one too many. */
export const ANSWERED_AGENTS_MAX = AGENTS_ABOVE_MAX + 2;
/** Places for agents whose parents are in memory. The ledger is asked for others. */
const REMEMBERED_MAX = 200_000;
/** Questions to the ledger at a time. */
const ASKED_MAX = 1_000;
/** Agents that are checked for idleness at a time, at least. */
const IDLE_CHECKS_MIN = 100;
/** Number of checks after which all agents were checked. */
const IDLE_CHECK_ROUNDS = 64;
/** The same if few places are free. */
const CROWDED_CHECK_ROUNDS = 8;

/** The agents of one session, as one wrapped key names them. Other keys can't change their parents. */
export interface AgentScope {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly session: string | null;
}

/** A call that waits until the agents above its own are known. */
export interface AgentWaiter {
  /** On the clock that only goes forward. */
  readonly until: number;
  /** Exactly one of the two runs, unless the wait is canceled. */
  loaded(): void;
  gaveUp(): void;
}

export interface AgentQuestion extends AgentScope {
  readonly question: number;
  /** The answer has these, and agents above them. */
  readonly agents: readonly string[];
}

interface OpenQuestion extends AgentQuestion {
  readonly key: string;
  /** Its agents, which stay in memory until the answer arrives. */
  readonly nodes: readonly AgentNode[];
  /** Number of agents that had left memory when it was asked. */
  readonly drops: number;
  readonly waiters: Set<AgentWaiter>;
}

/** One agent in memory, with the parents that its calls named. */
export interface AgentNode {
  readonly key: string;
  readonly scope: AgentScope;
  /** Parents that calls named, first ones first. */
  readonly parents: string[];
  /** The ledger said which parents earlier calls named. */
  isRead: boolean;
  /** Open calls of the agent. The ledger does not have them yet. */
  calls: number;
  /** A call of the agent was admitted since it is in memory. The ledger has its parents once it has the call. */
  wasHeld: boolean;
  /** Open questions that ask for it. */
  asked: number;
  /** Window time at which a call last began or ended. */
  usedAt: number;
}

type CallSubject = Omit<AgentScope, 'session'> & { readonly context?: CallContext };
type NamedAgent = Pick<CallContext, 'session' | 'agent' | 'parentAgent'>;

const NONE: readonly string[] = [];

/**
 * Remembers which agent started which. Every parent that an agent ever named counts, so a client cannot leave a budget by
 * naming another parent, or none.
 */
export class AgentTree {
  readonly #ask: (question: AgentQuestion) => void;
  readonly #nodes = new Map<string, AgentNode>();
  readonly #places = new KeyPlaces(REMEMBERED_MAX);
  readonly #questions = new Map<number, OpenQuestion>();
  readonly #questionsByKey = new Map<string, OpenQuestion>();
  readonly #questionPlaces = new KeyPlaces(ASKED_MAX);
  readonly #waiting = new Map<AgentWaiter, OpenQuestion>();
  #asked = 0;
  #drops = 0;
  /** Agents that are still to be checked for idleness in this round. */
  #idleChecks: Iterator<AgentNode> | null = null;

  constructor(ask: (question: AgentQuestion) => void) {
    this.#ask = ask;
  }

  /** Agents in memory. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  get isCrowded(): boolean {
    return this.#places.taken > this.#places.max / 4;
  }

  /**
   * Returns the agents above a call's own, nearest first, without the parent that it names, and remembers that parent;
   * null = the ledger must be asked first. Throws `invalid` for more than `AGENTS_ABOVE_MAX`.
   */
  findAbove(scope: AgentScope, { agent, parentAgent }: NamedAgent, now: number): readonly string[] | null {
    if (agent === null) return NONE;
    const own = this.#nodes.get(nodeKey(scope, agent));
    if (!own?.isRead) return null;
    own.usedAt = now;
    if (parentAgent === null && own.parents.length === 0) return NONE;
    const { above, unread } = this.#climb(scope, agent, parentAgent, now);
    if (above.length > AGENTS_ABOVE_MAX) throw tooDeepError();
    if (unread.length > 0) return null;
    addParent(own, parentAgent);
    return above.filter((each) => each !== parentAgent);
  }

  /** Lets a call wait for the ledger. Returns false when there is no room for its agents, or too many questions are open. */
  wait(waiter: AgentWaiter, scope: AgentScope, { agent, parentAgent }: NamedAgent, now: number): boolean {
    if (agent === null) return false;
    const { unread } = this.#climb(scope, agent, parentAgent, now);
    const key = unread.map((each) => nodeKey(scope, each)).join('\n');
    const open = this.#questionsByKey.get(key) ?? this.#open(key, scope, unread, now);
    if (!open) return false;
    open.waiters.add(waiter);
    this.#waiting.set(waiter, open);
    return true;
  }

  cancel(waiter: AgentWaiter): void {
    this.#waiting.get(waiter)?.waiters.delete(waiter);
    this.#waiting.delete(waiter);
  }

  /** Takes the ledger's answer: at least the requested agents, also those without parents. */
  answer(question: number, found: readonly AgentParents[]): void {
    const open = this.#questions.get(question);
    if (!open) return;
    this.#close(open);
    // An agent that left memory since then may have parents that the answer does not have yet.
    const isNewest = open.drops === this.#drops;
    for (const { agent, parents } of found) {
      if (!isNewest && !open.agents.includes(agent)) continue;
      const node = this.#take(open, agent);
      for (const parent of parents) addParent(node, parent);
      node.isRead = true;
    }
    this.#resume(open);
  }

  /**
   * Asks the ledger again for all agents of a workspace: calls before its first limit on agents are not in memory.
   */
  reread(workspaceId: string): void {
    for (const node of this.#nodes.values()) if (node.scope.workspaceId === workspaceId) node.isRead = false;
    const outdated = [...this.#questions.values()].filter((open) => open.workspaceId === workspaceId);
    for (const open of outdated) this.#close(open);
    for (const open of outdated) this.#resume(open);
  }

  /** Remembers the agent of an open call until the ledger has the call; null = it names none. */
  hold({ workspaceId, keyId, context }: CallSubject, now: number): AgentNode | null {
    if (!context || context.agent === null) return null;
    const node = this.#take({ workspaceId, keyId, session: context.session }, context.agent);
    addParent(node, context.parentAgent);
    node.calls += 1;
    node.wasHeld = true;
    node.usedAt = now;
    return node;
  }

  release(node: AgentNode, now: number): void {
    node.calls -= 1;
    node.usedAt = now;
  }

  /** Refuses calls that waited too long. */
  sweep(uptime: number): void {
    for (const waiter of this.#waiting.keys()) {
      if (waiter.until > uptime) continue;
      this.cancel(waiter);
      waiter.gaveUp();
    }
  }

  /**
   * Drops agents without open calls and questions that were not used since an instant. Checks a part of them, so that no call
   * waits long.
   * @param shippedTime the ledger has every call that ended before it
   */
  dropIdle(idleSince: number, shippedTime: number): void {
    const rounds = this.isCrowded ? CROWDED_CHECK_ROUNDS : IDLE_CHECK_ROUNDS;
    let checks = Math.max(IDLE_CHECKS_MIN, Math.ceil(this.#nodes.size / rounds));
    this.#idleChecks ??= this.#nodes.values();
    for (; checks > 0; checks -= 1) {
      const next = this.#idleChecks.next();
      if (next.done) return void (this.#idleChecks = null);
      const { key, scope, calls, asked, wasHeld, usedAt } = next.value;
      if (calls > 0 || asked > 0 || usedAt >= idleSince || (wasHeld && usedAt >= shippedTime)) continue;
      this.#drops += 1;
      this.#nodes.delete(key);
      this.#places.release(scope.keyId, countNamePlaces(key));
    }
  }

  /** Finds the agents above an agent, nearest first, up to one above the maximum, and those whose parents the ledger has not sent yet. */
  #climb(scope: AgentScope, agent: string, parentAgent: string | null, now: number) {
    const line = [agent];
    const unread: string[] = [];
    for (const each of line) {
      const node = this.#nodes.get(nodeKey(scope, each));
      if (node) node.usedAt = now;
      if (!node?.isRead) unread.push(each);
      const named = each === agent && parentAgent !== null ? [parentAgent] : NONE;
      for (const parent of [...named, ...(node?.parents ?? NONE)])
        if (line.length <= AGENTS_ABOVE_MAX + 1 && !line.includes(parent)) line.push(parent);
    }
    return { above: line.slice(1), unread };
  }

  #open(key: string, scope: AgentScope, agents: readonly string[], now: number): OpenQuestion | null {
    if (!this.#questionPlaces.hasFree(scope.keyId) || !this.#places.hasFree(scope.keyId)) return null;
    const nodes = agents.map((agent) => this.#take(scope, agent));
    for (const node of nodes) {
      node.asked += 1;
      node.usedAt = now;
    }
    this.#asked += 1;
    const { workspaceId, keyId, session } = scope;
    const question = { question: this.#asked, workspaceId, keyId, session, agents };
    const open = { ...question, key, nodes, drops: this.#drops, waiters: new Set<AgentWaiter>() };
    this.#questions.set(open.question, open);
    this.#questionsByKey.set(key, open);
    this.#questionPlaces.take(keyId);
    this.#ask(question);
    return open;
  }

  #close(open: OpenQuestion): void {
    this.#questions.delete(open.question);
    this.#questionsByKey.delete(open.key);
    this.#questionPlaces.release(open.keyId);
    for (const node of open.nodes) node.asked -= 1;
  }

  #resume({ waiters }: OpenQuestion): void {
    for (const waiter of waiters) if (this.#waiting.delete(waiter)) waiter.loaded();
  }

  /** Returns an agent's node, new if it has none. */
  #take({ workspaceId, keyId, session }: AgentScope, agent: string): AgentNode {
    const scope = { workspaceId, keyId, session };
    const key = nodeKey(scope, agent);
    let node = this.#nodes.get(key);
    if (!node) {
      node = { key, scope, parents: [], isRead: false, calls: 0, wasHeld: false, asked: 0, usedAt: 0 };
      this.#nodes.set(key, node);
      this.#places.take(keyId, countNamePlaces(key));
    }
    return node;
  }
}

function addParent({ parents }: AgentNode, parent: string | null): void {
  if (parent !== null && !parents.includes(parent)) parents.push(parent);
}

function nodeKey({ workspaceId, keyId, session }: AgentScope, agent: string): string {
  return `${workspaceId} ${keyId} ${agentValue(session, agent)}`;
}

function tooDeepError(): TollbookError {
  return new TollbookError(
    'invalid',
    `More than ${AGENTS_ABOVE_MAX} agents are above the agent of this call. A limit on each agent counts a call under all of them: every parent that the agent named in this session (x-svc-parent-agent), and those above. Start agents less deeply, and give an agent with another parent another name.`,
    'x-svc-parent-agent',
  );
}
