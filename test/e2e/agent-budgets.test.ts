import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../service.ts';
import { type AgentLoad, loadAgents, sumBills } from './agent-load.ts';
import { Limited } from './limited.ts';
import { exportCalls } from './recorded-call.ts';

// Budgets of sessions and agents hold while agents work in parallel and the process dies. `npm run agent-budgets` makes
// 1,000 agents of 50 sessions, with 20 deaths.

const AGENTS = Number(process.env['TEST_AGENTS'] ?? 60);
const KILLS = Number(process.env['TEST_AGENT_KILLS'] ?? 3);
const AGENTS_PER_SESSION = 20;
const PARALLEL = 64;
const CALLS_PER_AGENT = 5;
const SESSION_USD = 0.05;
const AGENT_USD = 0.01;
const NANO_PER_USD = 1e9;
/** Of its budget, of which calls that were lost in a crash count their maximum. */
const USED_LEAST = 0.85;
/** Calls of a session that end at least. */
const ENDED_PER_SESSION = 30;

let dataDir: string;
let limited: Limited | undefined;
afterEach(async () => {
  await limited?.close();
  await rm(dataDir, { recursive: true, force: true });
});

test(
  'no session and no agent with those below it passes its budget through kill -9, and no call is lost or counted twice',
  async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tollbook-agents-'));
    limited = await Limited.start({ dataDir });
    const each = (of: string) => ({ kind: 'each', of, keyId: null });
    await limited.limit({ scope: each('session'), unit: 'usd', amount: SESSION_USD });
    await limited.limit({ scope: each('agent'), unit: 'usd', amount: AGENT_USD });
    const plan: AgentLoad = {
      sessions: AGENTS / AGENTS_PER_SESSION,
      agentsPerSession: AGENTS_PER_SESSION,
      callsPerAgent: CALLS_PER_AGENT,
      parallel: PARALLEL,
    };
    const load = loadAgents(limited, plan);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await eventually(
        async () => load.ended,
        (ended) => ended >= (kill * plan.sessions * ENDED_PER_SESSION) / (KILLS + 1),
      );
      await load.restart();
    }
    const answered = await load.done;
    await limited.idle();

    const { sessions, agents } = sumBills(limited);
    for (const [session, nano] of sessions)
      expect(nano, `session ${session}`).toBeLessThanOrEqual(SESSION_USD * NANO_PER_USD);
    for (const [agent, nano] of agents) expect(nano, `agent ${agent}`).toBeLessThanOrEqual(AGENT_USD * NANO_PER_USD);
    expect(sessions.size).toBe(plan.sessions);

    const calls = await exportCalls(limited.service);
    const ids = calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(answered.filter((id) => !ids.includes(id))).toEqual([]);
    const answers = new Set(calls.map(({ responseId }) => responseId));
    const sent = limited.double.requests.filter(({ path }) => path === '/v1/messages');
    const unmatched = sent.filter(({ id }) => !answers.has(`msg_${id}`));
    expect(unmatched.length).toBeLessThanOrEqual(calls.filter(({ outcome }) => outcome === 'lost').length);
    const counted = calls.reduce((sum, { cost, uncertainUpTo = 0 }) => sum + (cost ?? 0) + uncertainUpTo, 0);
    expect(counted).toBeGreaterThan(SESSION_USD * plan.sessions * USED_LEAST);
  },
  60_000 + AGENTS * 300,
);
