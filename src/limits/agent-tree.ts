import { TollbookError } from '../domain/errors.ts';
import type { CallContext } from '../domain/usage/call-context.ts';
import { agentValue } from '../domain/limits/each-value.ts';

/** Agents above a call's own. */
export const AGENTS_ABOVE_MAX = 16;
/** Agents whose parents are in memory. The ledger is asked for others. */
const REMEMBERED_MAX = 100_000;
/** Agents that the ledger is asked for at a time. */
const ASKED_MAX = 1_000;

/** A call that waits until the agents above its parent are known. */
export interface AgentWaiter {
  /** On the clock that only goes forward. */
  readonly until: number;
  /** Exactly one of the two runs, unless the wait is canceled. */
  loaded(): void;
  gaveUp(): void;
}

export interface AgentQuestion {
  readonly question: number;
  readonly workspaceId: string;
  readonly session: string | null;
  readonly agent: string;
}

interface OpenQuestion extends AgentQuestion {
  readonly key: string;
  readonly waiters: Set<AgentWaiter>;
}

type NamedAgent = Pick<CallContext, 'session' | 'agent' | 'parentAgent'>;

/** Remembers which agent started which. A parent that was named first stays: a client can't move to another budget. */
export class AgentTree {
  readonly #ask: (question: AgentQuestion) => void;
  /** Parent of each agent; null = it has none. */
  readonly #parents = new Map<string, string | null>();
  readonly #questions = new Map<number, OpenQuestion>();
  #asked = 0;

  constructor(ask: (question: AgentQuestion) => void) {
    this.#ask = ask;
  }

  get waiting(): number {
    let waiting = 0;
    for (const { waiters } of this.#questions.values()) waiting += waiters.size;
    return waiting;
  }

  /**
   * Returns the agents above a call's parent, nearest first, and remembers the parent; null = the ledger must be asked
   * first. Throws `invalid` for more than `AGENTS_ABOVE_MAX`.
   * @param isCounted false = no limit counts agents, so further ones are left out instead
   */
  findOlder(
    workspaceId: string,
    { session, agent, parentAgent }: NamedAgent,
    isCounted: boolean,
  ): readonly string[] | null {
    if (agent === null || parentAgent === null) return [];
    const own = agentKey(workspaceId, session, agent);
    if ((this.#parents.get(own) ?? null) === null) this.#remember(own, parentAgent);
    const older: string[] = [];
    for (let child = parentAgent; ;) {
      const parent = this.#parents.get(agentKey(workspaceId, session, child));
      if (parent === undefined) return null;
      // A circle ends where it began.
      if (parent === null || parent === agent || parent === parentAgent || older.includes(parent)) return older;
      older.push(parent);
      if (older.length >= AGENTS_ABOVE_MAX) {
        if (isCounted) throw tooDeepError();
        return older;
      }
      child = parent;
    }
  }

  /** Lets a call wait for the ledger. Returns false when too many questions are open. */
  wait(waiter: AgentWaiter, workspaceId: string, context: NamedAgent): boolean {
    const agent = this.#findUnknown(workspaceId, context);
    const key = agentKey(workspaceId, context.session, agent);
    for (const open of this.#questions.values()) if (open.key === key) return open.waiters.add(waiter).size > 0;
    if (this.#questions.size >= ASKED_MAX) return false;
    this.#asked += 1;
    const question = { question: this.#asked, workspaceId, session: context.session, agent };
    this.#questions.set(question.question, { ...question, key, waiters: new Set([waiter]) });
    this.#ask(question);
    return true;
  }

  cancel(waiter: AgentWaiter): void {
    for (const { waiters } of this.#questions.values()) waiters.delete(waiter);
  }

  /** @param above agents above the one asked for, nearest first */
  answer(question: number, above: readonly string[]): void {
    const open = this.#questions.get(question);
    if (!open) return;
    this.#questions.delete(question);
    let { agent } = open;
    for (const parent of [...above.slice(0, AGENTS_ABOVE_MAX), null]) {
      const key = agentKey(open.workspaceId, open.session, agent);
      if (this.#parents.get(key) === undefined) this.#remember(key, parent);
      if (parent !== null) agent = parent;
    }
    for (const waiter of open.waiters) waiter.loaded();
  }

  /** Refuses calls that waited too long. */
  sweep(uptime: number): void {
    for (const { waiters } of this.#questions.values())
      for (const waiter of waiters) if (waiter.until <= uptime && waiters.delete(waiter)) waiter.gaveUp();
  }

  #findUnknown(workspaceId: string, { session, parentAgent }: NamedAgent): string {
    let agent = parentAgent ?? '';
    for (let above = 0; above <= AGENTS_ABOVE_MAX; above += 1) {
      const parent = this.#parents.get(agentKey(workspaceId, session, agent));
      if (!parent) return agent;
      agent = parent;
    }
    return agent;
  }

  #remember(key: string, parent: string | null): void {
    this.#parents.delete(key);
    const [oldest] = this.#parents.size >= REMEMBERED_MAX ? this.#parents.keys() : [];
    if (oldest !== undefined) this.#parents.delete(oldest);
    this.#parents.set(key, parent);
  }
}

function agentKey(workspaceId: string, session: string | null, agent: string): string {
  return `${workspaceId} ${agentValue(session, agent)}`;
}

function tooDeepError(): TollbookError {
  return new TollbookError(
    'invalid',
    `More than ${AGENTS_ABOVE_MAX} agents are above the agent of this call (x-svc-parent-agent). A limit on each agent counts a call under all of them; start agents less deeply.`,
    'x-svc-parent-agent',
  );
}
