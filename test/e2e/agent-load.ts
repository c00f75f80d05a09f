import { setImmediate } from 'node:timers/promises';
import type { Limited } from './limited.ts';

/** Concurrent agents with a few calls each. */
export interface AgentLoad {
  readonly sessions: number;
  readonly agentsPerSession: number;
  readonly callsPerAgent: number;
  readonly parallel: number;
}

interface AgentJob {
  readonly session: string;
  readonly agent: number;
  readonly isFirst: boolean;
}

export interface RunningLoad {
  /** Calls that were answered, refused or broken off. */
  readonly ended: number;
  /** Ids of the calls that were answered. */
  readonly done: Promise<string[]>;
  /** Ends the service by `kill -9` and starts it again. */
  restart(): Promise<void>;
}

const OUTPUT_TOKENS = 400;
const ANSWERED = 200;
/** The connection broke. */
const BROKEN = 0;
/** Cut off, delayed by other calls, or briefly not served. */
const AGAIN = [BROKEN, 429, 503];
/** Maximum number of retries of a call. */
const TRIES_MAX = 30;
/** Number of agents that the main agent starts; each starts a line of agents. */
const LINES = 6;

/** Returns the parent of an agent; null = the main agent. */
function parentAgent(agent: number): number | null {
  return agent < LINES ? null : agent - LINES;
}

export function loadAgents(limited: Limited, plan: AgentLoad): RunningLoad {
  const answered: string[] = [];
  let ended = 0;
  let open = 0;
  let restarting = Promise.resolve();
  const jobs: AgentJob[] = [];
  for (let session = 0; session < plan.sessions; session += 1)
    for (let agent = 0; agent < LINES; agent += 1) jobs.push({ session: `session-${session}`, agent, isFirst: true });

  async function tryCall(session: string, agent: number, stream: boolean): Promise<number> {
    await restarting;
    const parent = parentAgent(agent);
    const headers = {
      'x-svc-session': session,
      'x-svc-agent': `agent-${agent}`,
      ...(parent !== null && { 'x-svc-parent-agent': `agent-${parent}` }),
    };
    const prompt = `${session} agent-${agent}`;
    const call = {
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      maxTokens: OUTPUT_TOKENS,
      prompt,
      stream,
    } as const;
    try {
      const used = { input: prompt.length, output: OUTPUT_TOKENS };
      const { status, headers: given } = await limited.call({ ...call, headers, plan: { tokens: used } });
      ended += 1;
      if (status === ANSWERED) answered.push(String(given['x-svc-call-id']));
      return status;
    } catch {
      ended += 1;
      await setImmediate();
      return BROKEN;
    }
  }

  /** An agent starts another once its first call was answered, and then goes on. */
  async function workOn({ session, agent, isFirst }: AgentJob): Promise<void> {
    let status = BROKEN;
    for (let tries = 0; tries < TRIES_MAX && AGAIN.includes(status); tries += 1)
      status = await tryCall(session, agent, ended % 2 === 0);
    if (!isFirst || status !== ANSWERED) return;
    for (let call = 1; call < plan.callsPerAgent; call += 1) jobs.push({ session, agent, isFirst: false });
    const child = agent + LINES;
    if (child < plan.agentsPerSession) jobs.push({ session, agent: child, isFirst: true });
  }

  async function work(): Promise<void> {
    while (jobs.length > 0 || open > 0) {
      const job = jobs.shift();
      if (!job) {
        await setImmediate();
        continue;
      }
      open += 1;
      await workOn(job);
      open -= 1;
    }
  }

  return {
    get ended() {
      return ended;
    },
    done: Promise.all(Array.from({ length: plan.parallel }, work)).then(() => answered),
    async restart() {
      restarting = limited.killAndStart();
      await restarting;
    },
  };
}

/** Sums what the provider charged, by session, and by agent with all agents below it. */
export function sumBills({ double }: Limited): { sessions: Map<string, number>; agents: Map<string, number> } {
  const sessions = new Map<string, number>();
  const agents = new Map<string, number>();
  const bodies = new Map(double.requests.map(({ id, body }) => [id, body.toString()]));
  const add = (sums: Map<string, number>, name: string, nano: number): void =>
    void sums.set(name, (sums.get(name) ?? 0) + nano);
  for (const { id, nano } of double.bill.rows) {
    const [, session = '', number = ''] = /(session-\d+) agent-(\d+)/.exec(bodies.get(id) ?? '') ?? [];
    add(sessions, session, Number(nano));
    for (let agent: number | null = Number(number); agent !== null; agent = parentAgent(agent))
      add(agents, `${session}/agent-${agent}`, Number(nano));
  }
  return { sessions, agents };
}
