import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ask, Limited, type TestKey } from './limited.ts';

// Tollbook writes a tier and an output maximum only into calls that a limit needs them for. Other calls cost what their
// body and the account's settings allow.

let limited: Limited;
beforeAll(async () => {
  limited = await Limited.start();
});
afterAll(() => limited?.close());

/** The answer has 1,000 output tokens at $10 a million, twice that at the priority tier. */
const PRIORITY = { tier: 'priority', tokens: { input: 10, output: 1_000 } };
const PRIORITY_COST = 0.020_025;

const asked = (ask: Partial<Ask>): Ask => ({ provider: 'openai', model: 'gpt-5', responses: true, ...ask });
async function createKey(): Promise<TestKey> {
  const key = await limited.createKey('openai');
  await limited.manage('PUT', `/policies/${key.id}`, { whenOverLimit: 'refuse' });
  return key;
}

test('a new limit counts a running call with the maximum cost of the sent request', async () => {
  const free = await createKey();
  const reply = limited.call(asked({ key: free.key, maxTokens: 1_000, plan: { ...PRIORITY, hold: 'headers' } }));
  const held = await limited.double.held();
  const scope = { kind: 'key', keyId: free.id };
  const limit = await limited.limit({ unit: 'usd', amount: 10, window: 'hour', scope });
  const standing = await limited.standing(limit.id);
  held.release();
  expect((await reply).headers['x-svc-cost-usd']).toBe(PRIORITY_COST.toFixed(9));
  expect(standing.held).toBeGreaterThanOrEqual(PRIORITY_COST);
  expect((await limited.settled(limit.id)).held).toBe(0);
});

test.each(['no limit', 'a limit on calls'])(
  'a call under %s that costs what its body allows is no overrun',
  async (by) => {
    const free = await createKey();
    if (by === 'a limit on calls')
      await limited.limit({ unit: 'calls', amount: 9, window: 'hour', scope: { kind: 'key', keyId: free.id } });
    const priority = await limited.call(asked({ key: free.key, maxTokens: 1_000, plan: PRIORITY }));
    expect(priority.headers['x-svc-cost-usd']).toBe(PRIORITY_COST.toFixed(9));
    // Six passes of the loop, each with its own answer.
    const fields = { tools: [{ type: 'web_search' }], max_tool_calls: 5 };
    const plan = { tokens: { input: 700_000, output: 768_000 } };
    expect((await limited.call(asked({ key: free.key, fields, plan }))).status).toBe(200);
    await limited.idle();
    expect(await limited.alerts('OVERRUN')).toEqual([]);
    const other = await createKey();
    await limited.limit({ unit: 'usd', amount: 0.03, window: 'total', scope: { kind: 'key', keyId: other.id } });
    // Its bound is about $0.02. At the ratio of either call above it would not fit.
    expect((await limited.call(asked({ key: other.key, maxTokens: 2_000 }))).status).toBe(200);
  },
);
