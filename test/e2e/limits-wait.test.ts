import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ask, Limited } from './limited.ts';

// Calls that do not fit at once: they wait for others, or the provider counts their prompt, or they are told why not.

let limited: Limited;
beforeAll(async () => {
  limited = await Limited.start();
});
afterAll(() => limited?.close());

const ASK: Ask = { provider: 'anthropic', model: 'claude-haiku-4-5', maxTokens: 1_000 };
/** Holds one call of these, not two, and pays for many. */
const ONE_AT_A_TIME = { unit: 'usd', amount: 0.01, window: 'total' };

let rounds = 0;
async function newRound(limit: object) {
  const round = String((rounds += 1));
  const scope = { kind: 'tag', key: 'round', value: round };
  const { id } = await limited.limit({ scope, label: 'Team', ...limit });
  return { id, tags: { round } };
}

function seenSince(from: number): string[] {
  return limited.double.requests.slice(from).map(({ path, body }) => {
    const [prompt = ''] = /\bcall-\w\b/.exec(body.toString()) ?? [];
    return `${path} ${prompt}`.trim();
  });
}

describe('a call that fits once others have settled', () => {
  test('is answered normally, in order of arrival', async () => {
    const { id, tags } = await newRound(ONE_AT_A_TIME);
    const first = limited.call({ ...ASK, tags, plan: { hold: 'headers' } });
    const held = await limited.double.held();
    const from = limited.double.requests.length;
    const waiting = [];
    for (const prompt of ['call-a', 'call-b', 'call-c']) {
      waiting.push(limited.call({ ...ASK, tags, prompt }));
      await limited.waiting(waiting.length);
    }
    expect(seenSince(from)).toEqual([]);
    held.release();
    for (const reply of [first, ...waiting]) expect((await reply).status).toBe(200);
    expect(seenSince(from)).toEqual(['/v1/messages call-a', '/v1/messages call-b', '/v1/messages call-c']);
    expect(await limited.settled(id)).toMatchObject({ counted: 4 * 0.000_11, held: 0, uncertain: 0 });
  });

  test('gets a retry time if they take too long', async () => {
    const { id, tags } = await newRound(ONE_AT_A_TIME);
    const first = limited.call({ ...ASK, tags, plan: { hold: 'headers' } });
    const held = await limited.double.held();
    const from = limited.double.requests.length;
    const refused = await limited.call({ ...ASK, tags });
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '2', 'x-svc-limit-reason': 'in_flight', 'x-svc-limit-id': id },
    });
    expect(refused.text).toContain('open calls hold what it needs of the limit \\"Team\\"');
    held.release();
    expect((await first).status).toBe(200);
    expect((await limited.call({ ...ASK, tags })).status).toBe(200);
    expect(seenSince(from)).toEqual(['/v1/messages']);
    expect(await limited.settled(id)).toMatchObject({ counted: 2 * 0.000_11, held: 0 });
  });

  test('leaves nothing behind if its client disconnects, and blocks no other call', async () => {
    const { id, tags } = await newRound(ONE_AT_A_TIME);
    const first = limited.call({ ...ASK, tags, plan: { hold: 'headers' } });
    const held = await limited.double.held();
    const from = limited.double.requests.length;
    const leaving = new AbortController();
    const left = limited.call({ ...ASK, tags, prompt: 'x'.repeat(500), signal: leaving.signal });
    await limited.waiting(1);
    const patient = limited.call({ ...ASK, tags });
    await limited.waiting(2);
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    await limited.waiting(1);
    held.release();
    expect([(await first).status, (await patient).status]).toEqual([200, 200]);
    expect(seenSince(from)).toEqual(['/v1/messages']);
    expect(await limited.settled(id)).toMatchObject({ counted: 2 * 0.000_11, held: 0, uncertain: 0 });
  });
});

describe('a prompt that fits only by its exact count', () => {
  const LONG = 'word '.repeat(12_000);
  const LIMIT = { unit: 'input_tokens', amount: 30_000, window: 'total' };
  const PLAN = { tokens: { input: 12_000, output: 20 } };

  const COUNTED: [string, Ask, string, string][] = [
    ['Anthropic', ASK, '/v1/messages/count_tokens', '/v1/messages'],
    [
      'Google',
      { provider: 'google', model: 'gemini-2.5-flash', maxTokens: 100 },
      '/v1beta/models/gemini-2.5-flash:countTokens',
      '/v1beta/models/gemini-2.5-flash:generateContent',
    ],
    [
      'OpenAI',
      { provider: 'openai', model: 'gpt-5-mini', maxTokens: 100, responses: true },
      '/v1/responses/input_tokens',
      '/v1/responses',
    ],
  ];

  test.each(COUNTED)('is counted by %s for nothing, and admitted', async (_, ask, counter, path) => {
    const { id, tags } = await newRound(LIMIT);
    const from = limited.double.requests.length;
    const reply = await limited.call({ ...ask, tags, prompt: LONG, plan: PLAN });
    expect(reply.status, reply.text).toBe(200);
    expect(seenSince(from)).toEqual([counter, path]);
    expect(await limited.settled(id)).toMatchObject({ counted: 12_000, held: 0 });
  });

  test.each(COUNTED)('is refused for now when %s does not count it', async (name, ask, counter) => {
    const { id, tags } = await newRound(LIMIT);
    const from = limited.double.requests.length;
    const reply = await limited.call({ ...ask, tags, prompt: LONG, plan: { status: 500 } });
    expect(reply).toMatchObject({
      status: 429,
      headers: { 'x-svc-limit-reason': 'counter_unavailable', 'retry-after': '5' },
    });
    expect(reply.text).toContain(`the token counter of ${name} did not answer`);
    expect(seenSince(from)).toEqual([counter]);
    expect(await limited.settled(id)).toMatchObject({ counted: 0, held: 0 });
  });

  test.each(COUNTED)('is refused for good when %s never counts it, with what helps', async (name, ask, counter) => {
    const { id, tags } = await newRound(LIMIT);
    const from = limited.double.requests.length;
    const reply = await limited.call({ ...ask, tags, prompt: LONG, plan: { status: 404 } });
    expect(reply).toMatchObject({ status: 402, headers: { 'x-svc-limit-reason': 'exceeds_limit' } });
    expect([reply.headers['retry-after'], reply.headers['x-should-retry']]).toEqual([undefined, 'false']);
    expect(reply.text).toContain(`the token counter of ${name} does not accept this request`);
    expect(reply.text).toContain(`raise it: tollbook limits raise ${id}`);
    expect(seenSince(from)).toEqual([counter]);
    expect(await limited.settled(id)).toMatchObject({ counted: 0, held: 0 });
  });

  test.each(COUNTED)('is refused in the words of %s if it is not a valid request', async (_, ask, counter) => {
    const { id, tags } = await newRound(LIMIT);
    const from = limited.double.requests.length;
    const message = 'messages: roles must alternate';
    const reply = await limited.call({ ...ask, tags, prompt: LONG, plan: { status: 400, message } });
    expect(reply).toMatchObject({ status: 400, headers: { 'content-type': 'application/json' } });
    expect(reply.headers['x-svc-call-id']).toMatch(/^call_/);
    expect(reply.text).toContain(message);
    expect(seenSince(from)).toEqual([counter]);
    expect(await limited.settled(id)).toMatchObject({ counted: 0, held: 0 });
  });

  test('is refused for now if counting takes too long, and for good if the count is too large', async () => {
    const { id, tags } = await newRound(LIMIT);
    const slow = limited.call({ ...ASK, tags, prompt: LONG, plan: { hold: 'headers' } });
    const held = await limited.double.held();
    const much = await limited.call({ ...ASK, tags, prompt: LONG, plan: { tokens: { input: 30_000 } } });
    expect([much.status, much.headers['x-svc-limit-reason']]).toEqual([402, 'exceeds_limit']);
    const late = await slow;
    expect([late.status, late.headers['x-svc-limit-reason']]).toEqual([429, 'counter_unavailable']);
    await held.closed;
    expect(await limited.settled(id)).toMatchObject({ counted: 0, held: 0 });
  });

  test("is refused if the provider can't count", async () => {
    const { tags } = await newRound(LIMIT);
    const ask: Ask = { provider: 'openai', model: 'gpt-5-mini', maxTokens: 100, tags, prompt: LONG };
    expect((await limited.call(ask)).status).toBe(402);
  });
});

describe('what clients see', () => {
  test('every response has the amount left for further calls', async () => {
    const { id, tags } = await newRound({ unit: 'calls', amount: 5, window: 'day' });
    const { headers } = await limited.call({ ...ASK, tags });
    expect(headers).toMatchObject({
      'x-svc-limit-id': id,
      'x-svc-limit-unit': 'calls',
      'x-svc-limit-remaining': '4',
      'x-svc-limit-resets-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    const usd = await newRound({ unit: 'usd', amount: 1, window: 'total' });
    const whole = await limited.call({ ...ASK, tags: usd.tags });
    const cost = Number(whole.headers['x-svc-cost-usd']);
    expect(cost).toBeGreaterThan(0);
    expect(Number(whole.headers['x-svc-limit-remaining'])).toBeCloseTo(1 - cost, 9);
    expect(whole.headers).not.toHaveProperty('x-svc-limit-resets-at');
    // The cost of a stream is not known yet.
    const stream = await limited.call({ ...ASK, tags: usd.tags, stream: true });
    expect(stream.headers['x-svc-limit-remaining']).toBe(whole.headers['x-svc-limit-remaining']);
  });

  test('the limits of its own wrapped key, and of no other', async () => {
    const [mine, other] = [await limited.createKey('anthropic'), await limited.createKey('anthropic')];
    const limit = (keyId: string) => ({ scope: { kind: 'key', keyId }, unit: 'calls', amount: 3, window: 'month' });
    const { id } = await limited.limit(limit(mine.id));
    const { id: foreign } = await limited.limit(limit(other.id));
    await limited.call({ ...ASK, key: mine.key });
    await limited.idle();
    const limits = await limited.ownLimits(mine.key);
    expect(limits.find((each) => each.id === id)).toMatchObject({ amount: 3, counted: 1, held: 0, remaining: 2 });
    expect(limits.map((each) => each.id)).not.toContain(foreign);
  });

  test.each<[Ask, object]>([
    [ASK, { type: 'billing_error', details: { reason: 'exceeds_limit' } }],
    [
      { ...ASK, provider: 'openai', model: 'gpt-5-mini' },
      { code: 'insufficient_quota', type: 'insufficient_quota', details: { reason: 'exceeds_limit' } },
    ],
    [
      { ...ASK, provider: 'google', model: 'gemini-2.5-flash' },
      { status: 'RESOURCE_EXHAUSTED', details: [{ reason: 'EXCEEDS_LIMIT', domain: 'tollbook' }] },
    ],
  ])('why a call was refused, in the shape of $provider', async (ask, shape) => {
    const { id, tags } = await newRound({ unit: 'usd', amount: 0.000_1, window: 'total' });
    const { status, headers, text } = await limited.call({ ...ask, tags });
    expect([status, headers['x-should-retry'], headers['retry-after']]).toEqual([402, 'false', undefined]);
    const { error } = JSON.parse(text) as { error: { message: string } };
    expect(error).toMatchObject(shape);
    expect(error.message).toMatch(/^This call needs up to \$0\.\d+, more than the whole of the limit "Team" \(/);
    expect(error.message).toContain(`tollbook limits raise ${id}`);
  });
});
