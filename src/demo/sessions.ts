import { type CallContext, NO_CONTEXT } from '../domain/usage/call-context.ts';
import { type DemoTeam, pickUser, type RandomSource, spread } from './teams.ts';

const TASKS = ['fix-login', 'rename-invoices', 'upgrade-framework', 'write-tests', 'review-checkout'];
/** Agents below the main agent, each with the agent that started it. */
const AGENTS = [
  { agent: 'planner', parentAgent: null },
  { agent: 'explore-1', parentAgent: 'planner' },
  { agent: 'explore-2', parentAgent: 'planner' },
  { agent: 'reviewer', parentAgent: null },
] as const;
const MAIN_SHARE = 0.35;
const SESSIONS_AT_ONCE = 2;
const USUAL_CALLS = 18;
/** Calls that serve one prompt. */
const CALLS_PER_RUN = 6;
const NAME_NUMBERS = 36 ** 4;
/** Refused calls after which an agent gives its session up. */
const REFUSALS_MAX = 3;

interface DemoSession {
  readonly name: string;
  readonly user: string | null;
  readonly calls: number;
  made: number;
  refused: number;
}

/**
 * Sessions whose calls are planned:
 * - `looping`  agents that make the same calls again and again
 * - `long`     work of many hours, which uses its budget up
 * - `refused`  people who try to go on with the long one
 */
export type PlannedSession = 'looping' | 'long' | 'refused';

const PLANNED_TASKS = { looping: 'fix-login', long: 'upgrade-framework' } as const;

/** The session of a call as its headers and tags tell it. */
export interface SessionCall {
  readonly context: CallContext;
  /** null = the call names no session. */
  readonly user: string | null;
}

const NO_SESSION: SessionCall = { context: NO_CONTEXT, user: null };

/** Made-up sessions of the teams whose calls name them: a few at a time, each of one person and with a tree of agents. */
export class DemoSessions {
  readonly #random: RandomSource;
  readonly #open: DemoSession[] = [];
  readonly #planned = new Map<string, DemoSession>();

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Returns the session of a team's next call. */
  next(team: DemoTeam): SessionCall {
    return team.hasSessions ? this.#call(this.#pickSession(team)) : NO_SESSION;
  }

  /** Returns the next call of a planned session; null = it has been refused too often. */
  nextOf(planned: PlannedSession, team: DemoTeam): SessionCall | null {
    const name = planned === 'looping' ? 'looping' : 'long';
    const session = this.#planned.get(name) ?? this.#create(team, PLANNED_TASKS[name]);
    this.#planned.set(name, session);
    // People try once more.
    if (planned === 'long' && session.refused >= REFUSALS_MAX) return null;
    return this.#call(session);
  }

  /** Notes that a limit refused a call of a session. */
  noteRefusal(name: string | null): void {
    const session = [...this.#open, ...this.#planned.values()].find((each) => each.name === name);
    if (session) session.refused += 1;
  }

  #call(session: DemoSession): SessionCall {
    const run = `${session.name}-prompt-${1 + Math.floor(session.made / CALLS_PER_RUN)}`;
    session.made += 1;
    // The main agent makes the first call of its session.
    const isMain = session.made === 1 || this.#random() < MAIN_SHARE;
    const agent = isMain ? null : this.#pick(AGENTS);
    const context = {
      session: session.name,
      agent: agent?.agent ?? null,
      parentAgent: agent?.parentAgent ?? null,
      run,
      requestClass: agent ? 'subagent' : 'main',
    };
    return { context, user: session.user };
  }

  #pickSession(team: DemoTeam): DemoSession {
    const place = Math.floor(this.#random() * SESSIONS_AT_ONCE);
    const open = this.#open[place];
    if (open && open.made < open.calls && open.refused < REFUSALS_MAX) return open;
    const session = this.#create(team, this.#pick(TASKS) ?? '');
    this.#open[place] = session;
    return session;
  }

  #create(team: DemoTeam, task: string): DemoSession {
    const number = Math.floor(this.#random() * NAME_NUMBERS).toString(36);
    const [user, calls] = [pickUser(team, this.#random), spread(USUAL_CALLS, this.#random)];
    return { name: `${task}-${number}`, user, calls, made: 0, refused: 0 };
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }
}

/** Returns the headers with the context of a call. */
export function contextHeaders({ session, agent, parentAgent, run }: CallContext): Record<string, string> {
  return {
    ...(session !== null && { 'x-svc-session': session, 'x-claude-code-session-id': session }),
    ...(agent !== null && { 'x-svc-agent': agent }),
    ...(parentAgent !== null && { 'x-svc-parent-agent': parentAgent }),
    ...(run !== null && { 'x-svc-run': run }),
  };
}
