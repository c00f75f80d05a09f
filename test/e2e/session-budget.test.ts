import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionDetail } from '../../src/contract/sessions.ts';
import bodies from '../clients/bodies.json' with { type: 'json' };
import { Limited } from './limited.ts';

// Claude Code as it was recorded, with several sub-agents at the same time.

let limited: Limited;
beforeAll(async () => {
  limited = await Limited.start();
});
afterAll(() => limited.close());

const RECORDED = bodies.find(({ client }) => client === 'Claude Code 2.1');
const AGENTS = ['a1', 'a2', 'a3', 'a4'];
const NESTED = ['b1', 'b2'];
const NANO_PER_USD = 1e9;
const CALLS_MAX = 400;
/** The rest is less than one call's prompt and shortest answer. */
const USED_LEAST = 0.8;
const ANSWERED = 200;
/** Other open calls hold what is left. */
const WAITING = 429;

function hashSession(id: string): string {
  return hash('sha256', `claude_code:${id}`);
}

/** Calls as one agent until a limit refuses it. Returns the last status. */
async function work(key: string, session: string, agent: string | null, parent: string | null): Promise<number> {
  let status = ANSWERED;
  for (let calls = 0; calls < CALLS_MAX && [ANSWERED, WAITING].includes(status); calls += 1) {
    const reply = await limited.call({
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      stream: true,
      key,
      headers: {
        'x-claude-code-session-id': session,
        ...(agent !== null && { 'x-claude-code-agent-id': agent }),
        ...(parent !== null && { 'x-claude-code-parent-agent-id': parent }),
      },
      fields: { ...RECORDED?.body, model: 'claude-haiku-4-5' },
      plan: { tokens: { input: 2_000, output: 1_500 } },
    });
    ({ status } = reply);
  }
  return status;
}

async function showSession(session: string): Promise<SessionDetail> {
  await limited.idle();
  return limited.service.report<SessionDetail>(`/api/mcp/session?session=${hashSession(session)}`);
}

test('concurrent sub-agents never exceed the budget of their session, and their costs sum to the bill', async () => {
  const { id, key } = await limited.createKey('anthropic');
  await limited.limit({ scope: { kind: 'each', of: 'session', keyId: id }, unit: 'usd', amount: 0.5 });
  const before = limited.double.bill.rows.length;
  const ended = await Promise.all([null, ...AGENTS].map((agent) => work(key, 'session-1', agent, null)));
  expect(ended).toEqual(ended.map(() => 402));
  const nano = limited.double.bill.rows.slice(before).reduce((sum, row) => sum + Number(row.nano), 0);
  expect(nano).toBeLessThanOrEqual(0.5 * NANO_PER_USD);
  expect(nano).toBeGreaterThan(0.5 * NANO_PER_USD * USED_LEAST);
  const { agents } = await showSession('session-1');
  expect(new Set(agents.map(({ agent }) => agent))).toEqual(new Set([...AGENTS, null]));
  expect(agents.reduce((sum, { own }) => sum + Math.round(own.cost * NANO_PER_USD), 0)).toBe(nano);
  // Another session of the same key has its own budget.
  const next = await limited.call({ provider: 'anthropic', model: 'claude-haiku-4-5', maxTokens: 64, key });
  expect(next.status).toBe(ANSWERED);
});

test('an agent never exceeds its budget together with the agents that it started', async () => {
  const { id, key } = await limited.createKey('anthropic');
  await limited.limit({ scope: { kind: 'each', of: 'agent', keyId: id }, unit: 'usd', amount: 0.1 });
  const before = limited.double.bill.rows.length;
  await Promise.all(NESTED.map((agent) => work(key, 'session-2', agent, 'a1')));
  const nano = limited.double.bill.rows.slice(before).reduce((sum, row) => sum + Number(row.nano), 0);
  expect(nano).toBeGreaterThan(0);
  expect(nano).toBeLessThanOrEqual(0.1 * NANO_PER_USD);
  expect(await work(key, 'session-2', 'a1', null)).toBe(402);
  const { agents } = await showSession('session-2');
  const parent = agents.find(({ agent }) => agent === 'a1');
  expect(Math.round((parent?.withDescendants.cost ?? 0) * NANO_PER_USD)).toBe(nano);
});
