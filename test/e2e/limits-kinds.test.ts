import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LimitShape, LimitStanding } from '../../src/contract/limits.ts';
import { eventually } from '../service.ts';
import { type Ask, Limited, type Reply } from './limited.ts';

// Every unit and every scope, from the command line to the calls that it stops.

let limited: Limited;
beforeAll(async () => {
  limited = await Limited.start();
});
afterAll(() => limited?.close());

const HAIKU: Ask = { provider: 'anthropic', model: 'claude-haiku-4-5', maxTokens: 100 };
const FLASH: Ask = { provider: 'google', model: 'gemini-2.5-flash', maxTokens: 100 };
const MINI: Ask = { provider: 'openai', model: 'gpt-5-mini', maxTokens: 100 };

async function setLimit(...args: string[]): Promise<LimitShape> {
  const limit = await limited.service.command<LimitShape>(['limits', 'set', ...args]);
  return limit;
}

function limitOf({ headers }: Reply): unknown {
  return headers['x-svc-limit-id'];
}

function detailsOf({ text }: Reply): Record<string, unknown> {
  return (JSON.parse(text) as { error: { details: Record<string, unknown> } }).error.details;
}

// Each call of the double's has 10 tokens of input and 20 of output: 0.00011 USD. It may have 2,048 tokens more of
// input, one for each byte, and 100 of output.
test.each([
  ['calls', '2', 'calls', 2],
  ['tokens', '2500', 'tokens', 60],
  ['input_tokens', '2300', 'input tokens', 20],
  ['output_tokens', '130', 'output tokens', 40],
  ['usd', '0.003', '$', 0.000_22],
])('%s are counted after a call and refused before one', async (unit, amount, word, counted) => {
  const { id } = await setLimit('--unit', unit, '--amount', amount, '--window', 'hour', '--tag', `unit=${unit}`);
  const ask = { ...HAIKU, tags: { unit } };
  for (let made = 0; made < 2; made++) {
    const reply = await limited.call(ask);
    expect([reply.status, limitOf(reply)]).toEqual([200, id]);
  }
  expect(await limited.settled(id)).toMatchObject({ counted, held: 0, uncertain: 0 });
  // More than is left of any, also when the provider has counted the prompt.
  const large = { maxTokens: 60_000, prompt: 'x'.repeat(3_000), plan: { tokens: { input: 2_900 } } };
  const refused = await limited.call({ ...ask, ...large });
  expect(refused.status, refused.text).toBeGreaterThanOrEqual(402);
  expect(limitOf(refused)).toBe(id);
  expect(refused.text).toContain(word);
  expect(detailsOf(refused)).toMatchObject({ unit, limit: id, counted });
  expect((await limited.call({ ...HAIKU, tags: { unit: 'another' } })).status).toBe(200);
});

test('concurrency counts running calls only', async () => {
  const { id } = await setLimit('--unit', 'concurrency', '--amount', '2', '--tag', 'unit=concurrency');
  const ask = { ...HAIKU, tags: { unit: 'concurrency' } };
  const { barrier } = limited.double;
  barrier.shut();
  const under = [limited.call(ask), limited.call(ask)];
  await barrier.waiting(2);
  expect(await limited.standing(id)).toMatchObject({ counted: 0, held: 2, remaining: 0, resetsAt: null });
  const refused = await limited.call(ask);
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({ 'x-svc-limit-id': id, 'retry-after': '2' });
  expect(await limited.refusals(id)).toEqual([
    {
      at: expect.any(String),
      callId: refused.headers['x-svc-call-id'],
      calls: 1,
      summed: false,
      keyId: limited.keys.anthropic?.id,
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      limitId: id,
      value: null,
      unit: 'concurrency',
      reason: 'in_flight',
      needed: 1,
      remaining: 0,
      tags: { unit: 'concurrency' },
      session: null,
      agent: null,
      run: null,
    },
  ]);
  barrier.open();
  expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await limited.call(ask)).status).toBe(200);
  expect(await limited.settled(id)).toMatchObject({ counted: 0, held: 0, remaining: 2 });
});

describe('a limit of one call counts', () => {
  const ONE = ['--unit', 'calls', '--amount', '1', '--window', 'day'];
  /** One call of the first kind, and any of the others. */
  async function expectCountsOnly(id: string, counted: Ask, ...others: Ask[]): Promise<void> {
    for (const other of others) expect((await limited.call(other)).status).toBe(200);
    expect((await limited.call(counted)).status).toBe(200);
    const refused = await limited.call(counted);
    expect([refused.status, limitOf(refused)], refused.text).toEqual([402, id]);
    for (const other of others) expect((await limited.call(other)).status).toBe(200);
  }

  async function remove(id: string): Promise<void> {
    await limited.service.command(['limits', 'remove', id]);
  }

  test('one key', async () => {
    const mine = await limited.createKey('anthropic');
    const { id } = await setLimit(...ONE, '--key', mine.id);
    await expectCountsOnly(id, { ...HAIKU, key: mine.key }, HAIKU);
  });

  test('one value of a tag', async () => {
    const { id } = await setLimit(...ONE, '--tag', 'team=ads');
    await expectCountsOnly(id, { ...HAIKU, tags: { team: 'ads' } }, HAIKU, { ...HAIKU, tags: { team: 'search' } });
  });

  test('a tag of the key, whatever the client sends', async () => {
    const mine = await limited.createKey('anthropic', { squad: 'red' });
    const { id } = await setLimit(...ONE, '--tag', 'squad=red');
    expect((await limited.call({ ...HAIKU, key: mine.key, tags: { squad: 'blue' } })).status).toBe(200);
    const refused = await limited.call({ ...HAIKU, key: mine.key, tags: { squad: 'green' } });
    expect([refused.status, limitOf(refused)]).toEqual([402, id]);
  });

  test('each value of a tag separately, and calls without one together', async () => {
    const { id } = await setLimit(...ONE, '--each-tag', 'user');
    const by = (user: string): Ask => ({ ...FLASH, tags: { user } });
    await expectCountsOnly(id, by('ann'));
    await expectCountsOnly(id, by('bob'));
    // The day's calls of before had no user, and are counted too.
    await eventually(
      () => limited.standing(id),
      ({ values }) => values?.length === 3,
    );
    const refused = await limited.call(FLASH);
    expect([refused.status, limitOf(refused)]).toEqual([402, id]);
    const { values = [] } = await limited.settled(id);
    expect(values.map(({ value }) => value).toSorted()).toEqual(['(none)', 'ann', 'bob']);
    await remove(id);
  });

  test('one provider', async () => {
    const { id } = await setLimit(...ONE, '--provider', 'google');
    // It counts the day's calls of before.
    await limited.counts(id, (counted) => counted > 1);
    expect((await limited.call(FLASH)).status).toBe(402);
    await remove(id);
    expect((await limited.call(FLASH)).status).toBe(200);
  });

  test('models by a pattern, by the requested name and by the priced name', async () => {
    const { id } = await setLimit(...ONE, '--model', 'gpt-4o*');
    const four = { ...MINI, model: 'gpt-4o' };
    await expectCountsOnly(id, four, MINI);
    expect((await limited.call({ ...four, model: 'gpt-4o-2024-08-06' })).status).toBe(402);
    await remove(id);
  });

  test('a model that may answer as a fallback or that a tool uses', async () => {
    const { id } = await setLimit(...ONE, '--model', 'claude-opus-5');
    const fallback = { ...HAIKU, fields: { fallbacks: [{ model: 'claude-opus-5' }] } };
    const tool = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5', max_uses: 1 };
    await expectCountsOnly(id, fallback, HAIKU);
    const refused = await limited.call({ ...HAIKU, fields: { tools: [tool] } });
    expect([refused.status, limitOf(refused)]).toEqual([402, id]);
    await remove(id);
  });

  test('the whole workspace', async () => {
    const { id } = await setLimit(...ONE);
    await limited.counts(id, (counted) => counted > 1);
    for (const ask of [HAIKU, FLASH, MINI]) expect(limitOf(await limited.call(ask))).toBe(id);
    await remove(id);
    expect((await limited.call(HAIKU)).status).toBe(200);
  });
});

test('a limit that warns refuses nothing, counts, and raises an alert', async () => {
  const { id } = await setLimit(
    '--unit',
    'calls',
    '--amount',
    '1',
    '--window',
    'day',
    '--tag',
    'unit=warned',
    '--warn',
  );
  const ask = { ...HAIKU, tags: { unit: 'warned' } };
  for (let made = 0; made < 3; made++) expect((await limited.call(ask)).status).toBe(200);
  expect(await limited.settled(id)).toMatchObject({
    action: 'warn',
    counted: 3,
    remaining: 0,
  } satisfies Partial<LimitStanding>);
  const alerts = await eventually(
    async () => limited.alerts('BUDGET_EXCEEDED'),
    ({ length }) => length > 0,
  );
  expect(alerts).toContainEqual(expect.stringContaining('unit=warned'));
  const unbounded = await limited.call({ ...ask, fields: { mcp_servers: [{ type: 'url', url: 'https://x.test' }] } });
  expect(unbounded.status).toBe(200);
});
