import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Limited, type TestKey } from './limited.ts';

// An agent counts under every parent that its calls ever named, whatever a later call names.

const PASSED = 200;
const SPENT = 402;
const CALLS_PER_AGENT = 2;

let dataDir: string;
let limited: Limited;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-parents-'));
  limited = await Limited.start({ dataDir });
});
afterAll(async () => {
  await limited.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface AgentCall {
  readonly key: TestKey;
  /** null = the call names no session. */
  readonly session: string | null;
  readonly agent: string;
  readonly parent?: string;
}

/** Returns the status of a call. */
async function call({ key, session, agent, parent }: AgentCall): Promise<number> {
  const { status } = await limited.call({
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    maxTokens: 64,
    key: key.key,
    headers: {
      ...(session !== null && { 'x-svc-session': session }),
      'x-svc-agent': agent,
      ...(parent !== undefined && { 'x-svc-parent-agent': parent }),
    },
  });
  return status;
}

async function limitAgents(keyId: string | null): Promise<void> {
  await limited.limit({ scope: { kind: 'each', of: 'agent', keyId }, unit: 'calls', amount: CALLS_PER_AGENT });
}

test.each(['session-1', null])(
  'an agent of session %s that stops naming its parent, or names another, stays in its budget through kill -9',
  async (session) => {
    const key = await limited.createKey('anthropic');
    await limitAgents(key.id);
    expect(await call({ key, session, agent: 'child', parent: 'parent' })).toBe(PASSED);
    expect(await call({ key, session, agent: 'parent', parent: 'above' })).toBe(PASSED);
    expect(await call({ key, session, agent: 'child' })).toBe(SPENT);
    expect(await call({ key, session, agent: 'child', parent: 'other' })).toBe(SPENT);
    await limited.killAndStart();
    expect(await call({ key, session, agent: 'child' })).toBe(SPENT);
    expect(await call({ key, session, agent: 'child', parent: 'other' })).toBe(SPENT);
    expect(await call({ key, session, agent: 'grandchild', parent: 'child' })).toBe(SPENT);
    expect(await call({ key, session, agent: 'stranger', parent: 'other' })).toBe(PASSED);
  },
);

test('a parent named before the limit was set counts from the first call under it', async () => {
  const key = await limited.createKey('anthropic');
  const of = { key, session: 'session-2' };
  expect(await call({ ...of, agent: 'child', parent: 'parent' })).toBe(PASSED);
  await limitAgents(key.id);
  expect(await call({ ...of, agent: 'child' })).toBe(PASSED);
  expect(await call({ ...of, agent: 'parent' })).toBe(PASSED);
  expect(await call({ ...of, agent: 'parent' })).toBe(SPENT);
});

test('a key can neither put an agent of another key under its agents nor make its line too long', async () => {
  const [owner, stranger] = [await limited.createKey('anthropic'), await limited.createKey('anthropic')];
  await limitAgents(owner.id);
  await limitAgents(stranger.id);
  const session = 'session-3';
  for (let depth = 0; depth < 16; depth += 1)
    expect(await call({ key: stranger, session, agent: `agent-${depth}`, parent: `agent-${depth + 1}` })).toBe(PASSED);
  expect(await call({ key: owner, session, agent: 'agent-16' })).toBe(PASSED);
  expect(await call({ key: owner, session, agent: 'agent-16' })).toBe(PASSED);
  expect(await call({ key: owner, session, agent: 'agent-15' })).toBe(PASSED);
  expect(await call({ key: owner, session, agent: 'below', parent: 'agent-0' })).toBe(PASSED);
});
