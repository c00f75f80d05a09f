import { type CallContext, NO_CONTEXT } from '../domain/usage/call-context.ts';
import { type DemoTeam, type RandomSource, spread } from './teams.ts';

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

interface DemoSession {
  readonly name: string;
  readonly calls: number;
  made: number;
}

/** Made-up sessions of the teams whose calls name them: a few at a time, each with a tree of agents. */
export class DemoSessions {
  readonly #random: RandomSource;
  readonly #open: DemoSession[] = [];

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Returns the context of a team's next call. */
  nextContext({ hasSessions }: DemoTeam): CallContext {
    if (!hasSessions) return NO_CONTEXT;
    const session = this.#pickSession();
    const run = `${session.name}-prompt-${1 + Math.floor(session.made / CALLS_PER_RUN)}`;
    session.made += 1;
    // The main agent makes the first call of its session.
    const isMain = session.made === 1 || this.#random() < MAIN_SHARE;
    const agent = isMain ? null : this.#pick(AGENTS);
    return {
      session: session.name,
      agent: agent?.agent ?? null,
      parentAgent: agent?.parentAgent ?? null,
      run,
      requestClass: agent ? 'subagent' : 'main',
    };
  }

  #pickSession(): DemoSession {
    const place = Math.floor(this.#random() * SESSIONS_AT_ONCE);
    const open = this.#open[place];
    if (open && open.made < open.calls) return open;
    const number = Math.floor(this.#random() * NAME_NUMBERS).toString(36);
    const session = { name: `${this.#pick(TASKS)}-${number}`, calls: spread(USUAL_CALLS, this.#random), made: 0 };
    this.#open[place] = session;
    return session;
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
