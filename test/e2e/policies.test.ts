import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../src/domain/policy/policy.ts';
import type { Limit } from '../../src/domain/limits/limit.ts';
import { sampleBudget, sampleLimit } from '../../src/limits/contract/sample-limits.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { TEST_GATEWAY_SECRET, type TestGatewayOptions, startTestGateway } from '../gateway.ts';
import { eventually } from '../service.ts';

// What a wrapped key may do, at the gate. Its clock stands at a Sunday, 00:00 UTC.

let double: ProviderDouble;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterEach(() => gateway.gateway.close(0));
afterAll(() => double.close());

const WORKSPACE = { workspaceId: 'ws_default', window: 'total' } as const;
/** Counters of prompts, which are free. */
const COUNTER = /count_tokens/;
/** Shortens calls to less than the default allows. */
const SHORTENED: Partial<Policy> = { minOutputTokens: 256 };
const tokens = (amount: number, change: Partial<Limit> = {}): Limit =>
  sampleLimit('lim_1', { ...WORKSPACE, unit: 'output_tokens', amount, ...change });
const dollars = (nano: number): Limit => sampleBudget('lim_1', nano, WORKSPACE);

const open = async (policy: Partial<Policy>, limits: readonly Limit[] = [], provider = 'anthropic'): Promise<void> => {
  const options: TestGatewayOptions = { policy, limits, provider };
  gateway = await startTestGateway(
    buildProviders({ urls: { ...double.urls, openrouter: `${double.urls.openai}/v1` }, custom: [] }),
    options,
  );
};

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly error: string;
  /** What reached the provider; null = nothing did. */
  readonly sent: Record<string, unknown> | null;
}

const ANTHROPIC = { path: '/anthropic/v1/messages', model: 'claude-haiku-4-5' };
const OPENROUTER = { path: '/openrouter/chat/completions', model: 'meta-llama/llama-3.3-70b-instruct' };
const OPENAI = { path: '/openai/v1/chat/completions', model: 'gpt-4o-mini' };

async function call(fields: object = {}, headers: Record<string, string> = {}, to = ANTHROPIC): Promise<Reply> {
  const from = double.requests.length;
  const messages = [{ role: 'user', content: 'Hello' }];
  const answer = await fetch(`${gateway.url}/api/proxy${to.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_GATEWAY_SECRET}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: to.model, messages, ...fields }),
  });
  const text = await answer.text();
  const { error } = JSON.parse(text) as { error?: { message: string } };
  const seen = double.requests.slice(from).findLast(({ path }) => !COUNTER.test(path));
  const sent = seen ? (JSON.parse(seen.body.toString()) as Record<string, unknown>) : null;
  return { status: answer.status, headers: answer.headers, error: error?.message ?? '', sent };
}

describe('a call that needs more than is left', () => {
  test('is refused', async () => {
    await open({}, [tokens(500)]);
    expect(await call({ max_tokens: 600 })).toMatchObject({ status: 402, sent: null });
  });

  test('is shortened to what fits, and the client and the provider see it', async () => {
    await open(SHORTENED, [tokens(1_000)]);
    const { status, headers, sent } = await call({ max_tokens: 1_100 });
    expect([status, headers.get('x-svc-clamped-max-tokens'), sent?.['max_tokens']]).toEqual([200, '500', 500]);
    expect((await call({ max_tokens: 400 })).headers.get('x-svc-clamped-max-tokens')).toBeNull();
  });

  test('is shortened under a dollar limit too, and holds no more than is left', async () => {
    // 5 USD per million output tokens.
    await open(SHORTENED, [dollars(30_000_000)]);
    const { status, sent } = await call({ max_tokens: 60_000 });
    expect(status).toBe(200);
    const most = Number(sent?.['max_tokens']);
    // The prompt's bound takes its part of 3,000.
    expect(most).toBeGreaterThan(2_000);
    expect(most).toBeLessThan(3_000);
    expect(gateway.entries()[0]?.hold.usd).toBeLessThanOrEqual(15_000_000);
    expect(gateway.entries()[0]?.hold.usd).toBeGreaterThan(15_000_000 - 5_001);
  });

  test('is not shortened to a useless length', async () => {
    await open(SHORTENED, [tokens(255)]);
    expect(await call({ max_tokens: 600 })).toMatchObject({ status: 402, sent: null });
    await gateway.gateway.close(0);
    await open(SHORTENED, [tokens(1_279)]);
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    expect(await call({ max_tokens: 3_000, thinking })).toMatchObject({ status: 402, sent: null });
    expect((await call({ max_tokens: 3_000 })).status).toBe(200);
  });

  test('is shortened only as far as its maximum still bounds the thinking of a fallback', async () => {
    await open(SHORTENED, [tokens(20_000)]);
    const thinking = { type: 'enabled', budget_tokens: 4_000 };
    const fallbacks = [{ model: 'claude-sonnet-4-5', thinking }];
    const { status, sent } = await call({ max_tokens: 20_000, fallbacks });
    expect([status, sent?.['max_tokens']]).toEqual([200, 5_000]);
    await gateway.gateway.close(0);
    await open(SHORTENED, [tokens(8_001)]);
    expect(await call({ max_tokens: 20_000, fallbacks })).toMatchObject({ status: 402, sent: null });
  });

  test('is not shortened where waiting helps', async () => {
    await open(SHORTENED, [tokens(500, { window: 'minute' })]);
    double.plan({ tokens: { output: 200 } });
    expect((await call({ max_tokens: 400 })).status).toBe(200);
    const { status, headers, sent } = await call({ max_tokens: 400 });
    expect([status, headers.get('retry-after'), sent]).toEqual([429, '60', null]);
  });
});

describe('the largest output of a call', () => {
  test('is set if the request names none, and refused above', async () => {
    await open({ maxOutputTokens: 100, whenOverLimit: 'refuse' }, [], 'openai');
    expect((await call({}, {}, OPENAI)).sent?.['max_completion_tokens']).toBe(100);
    const { status, error, sent } = await call({ max_completion_tokens: 101 }, {}, OPENAI);
    expect([status, sent]).toEqual([403, null]);
    expect(error).toContain('at most 100 output tokens; this call asks for 101');
  });

  test('is refused if a thinking budget would exceed it', async () => {
    await open({ maxOutputTokens: 4_096, whenOverLimit: 'shorten' });
    const thinking = { type: 'enabled', budget_tokens: 150_000 };
    const { status, error, sent } = await call({ max_tokens: 4_096, thinking });
    expect([status, sent]).toEqual([403, null]);
    expect(error).toContain('at most 4,096 output tokens; this call asks for 150,000');
    expect((await call({ max_tokens: 4_096, thinking: { type: 'enabled', budget_tokens: 1_024 } })).status).toBe(200);
  });

  test('is what the request is shortened to, if the key’s policy says so', async () => {
    await open({ maxOutputTokens: 100, whenOverLimit: 'shorten' });
    const { headers, sent } = await call({ max_tokens: 5_000 });
    expect([headers.get('x-svc-clamped-max-tokens'), sent?.['max_tokens']]).toEqual(['100', 100]);
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    expect(await call({ max_tokens: 5_000, thinking })).toMatchObject({ status: 403, sent: null });
  });

  test('is shared by all answers of the call', async () => {
    await open({ maxOutputTokens: 100, whenOverLimit: 'refuse' }, [], 'openai');
    expect((await call({ n: 4 }, {}, OPENAI)).sent?.['max_completion_tokens']).toBe(25);
    expect((await call({ n: 4, max_completion_tokens: 25 }, {}, OPENAI)).status).toBe(200);
    expect((await call({ n: 4, max_completion_tokens: 26 }, {}, OPENAI)).status).toBe(403);
    expect((await call({ n: 101 }, {}, OPENAI)).status).toBe(403);
  });
});

describe('work without a cost bound', () => {
  const SEARCH = { max_tokens: 100, tools: [{ type: 'web_search_20250305', name: 'web_search' }] };

  test('is refused under a dollar limit with the field and the policy that allows it', async () => {
    await open({ whenOverLimit: 'refuse' }, [dollars(1e9)]);
    const { status, error, sent } = await call(SEARCH);
    expect([status, sent]).toEqual([402, null]);
    expect(error).toMatch(/web_search_20250305 without max_uses.*tollbook policies set key_1 --presume USD/);
  });

  test('passes without a blocking limit', async () => {
    await open({}, [sampleLimit('lim_1', WORKSPACE), sampleBudget('lim_2', 1, { ...WORKSPACE, action: 'warn' })]);
    expect((await call(SEARCH)).status).toBe(200);
  });

  test('holds the assumed cost, and passes if that fits', async () => {
    await open({ assumedCostUsd: 400_000_000 }, [dollars(1e9)]);
    expect((await call(SEARCH)).status).toBe(200);
    expect(gateway.entries()[0]?.hold.usd).toBeGreaterThan(400_000_000);
    await gateway.gateway.close(0);
    await open({ assumedCostUsd: 400_000_000, whenOverLimit: 'refuse' }, [dollars(400_000_000)]);
    expect((await call(SEARCH)).status).toBe(402);
  });

  test('holds the work that has a bound in addition to the assumed cost', async () => {
    const [search, fetching] = [
      { ...SEARCH.tools[0], max_uses: 30 },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
    ];
    const holdOf = async (tools: readonly object[]): Promise<number> => {
      await open({ assumedCostUsd: 400_000_000 }, [dollars(1e12)]);
      expect((await call({ max_tokens: 100, tools })).status).toBe(200);
      return gateway.entries()[0]?.hold.usd ?? Number.NaN;
    };
    const bounded = await holdOf([search]);
    await gateway.gateway.close(0);
    // Anthropic's fee is $10 for 1,000 searches.
    expect(bounded).toBeGreaterThan(30 * 10_000_000);
    expect(await holdOf([search, fetching])).toBeGreaterThanOrEqual(bounded + 400_000_000);
  });
});

test.each(['refuse', 'allow'] as const)('a model without a price, under a limit of dollars: %s', async (unpriced) => {
  await open({ unpricedModels: unpriced }, [dollars(1e9)]);
  const { status, error } = await call({ model: 'claude-unheard-of', max_tokens: 100 });
  expect(status).toBe(unpriced === 'allow' ? 200 : 402);
  if (unpriced === 'refuse') expect(error).toContain('tollbook prices set anthropic claude-unheard-of');
});

test('a missing tier is pinned if the account would decide, unless the key’s policy knows it', async () => {
  await open({}, [dollars(1e9)], 'openai');
  expect((await call({ max_completion_tokens: 10 }, {}, OPENAI)).sent?.['service_tier']).toBe('default');
  await gateway.gateway.close(0);
  await open({ tier: 'priority' }, [dollars(1e9)], 'openai');
  expect((await call({ max_completion_tokens: 10 }, {}, OPENAI)).sent).not.toHaveProperty('service_tier');
});

test('a disconnect cancels the call immediately, if the key’s policy says so', async () => {
  await open({ onDisconnect: 'abort' });
  double.plan({ hold: 'writes' });
  const leaving = new AbortController();
  const answer = await fetch(`${gateway.url}/api/proxy${ANTHROPIC.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_GATEWAY_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: ANTHROPIC.model, max_tokens: 10, stream: true, messages: [] }),
    signal: leaving.signal,
  });
  const held = await double.held();
  held.next();
  await answer.body?.getReader().read();
  leaving.abort();
  // The clock stands: no time has to pass for it.
  await held.closed;
  const ended = await eventually(
    async () => gateway.entries(),
    (entries) => entries.length === 1,
  );
  expect(ended).toMatchObject([{ outcome: 'client_left', uncertainReason: 'client_left' }]);
});

describe('rules about who, when and what', () => {
  test.each<[string, Partial<Policy>, string]>([
    ['models denied', { deniedModels: ['claude-*'] }, 'denies claude-*'],
    ['models allowed', { allowedModels: ['claude-opus-*'] }, 'allows claude-opus-*'],
    ['addresses', { allowedAddresses: ['10.0.0.0/8'] }, 'may not be used from 127.0.0.1'],
    ['hours', { activeHours: { days: [1], from: 540, until: 1_080, timeZone: 'UTC' } }, 'may not be used now'],
    ['bodies', { maxBodyBytes: 50 }, 'takes bodies of at most 50 bytes'],
  ])('%s', async (_, policy, sentence) => {
    await open(policy);
    const { status, error, sent } = await call({ max_tokens: 10 });
    expect([status, sent]).toEqual([403, null]);
    expect(error).toContain(sentence);
  });

  test('models that answer if the one before declines', async () => {
    await open({ deniedModels: ['claude-opus-*'] });
    expect((await call({ max_tokens: 10, fallbacks: [{ model: 'claude-opus-4-8' }] })).status).toBe(403);
  });

  test('tags are checked before anything is spent', async () => {
    await open({ requiredTags: { team: ['a', 'b'], user: null } });
    const tagged = (tags: string) => call({ max_tokens: 10 }, { 'x-svc-tags': tags });
    expect(await tagged('team=a')).toMatchObject({ status: 400, sent: null, error: /requires the tag user/ });
    expect(await tagged('team=c,user=ann')).toMatchObject({ status: 400, error: expect.stringContaining('a, b') });
    expect((await tagged('team=a,user=ann')).status).toBe(200);
  });

  test('free requests are checked for who and when, not for spend', async () => {
    const free = async (path: string) =>
      (await fetch(`${gateway.url}/api/proxy${path}`, { headers: { authorization: `Bearer ${TEST_GATEWAY_SECRET}` } }))
        .status;
    await open({ allowedAddresses: ['10.0.0.0/8'] });
    expect([await free('/anthropic/v1/models'), await free('/limits')]).toEqual([403, 403]);
    await gateway.gateway.close(0);
    await open({ deniedModels: ['*'] }, [dollars(0)]);
    expect([await free('/anthropic/v1/models'), await free('/limits')]).toEqual([200, 200]);
  });
});

describe('a call that is routed to an endpoint', () => {
  const fields = { max_tokens: 9, provider: { sort: 'throughput' } };

  test('carries the prices of its hold, under a blocking dollar limit', async () => {
    await open({}, [dollars(30_000_000)], 'openrouter');
    const { status, sent } = await call(fields, {}, OPENROUTER);
    expect(status).toBe(200);
    expect(sent?.['provider']).toEqual({
      require_parameters: true,
      max_price: { prompt: expect.any(Number), completion: expect.any(Number), request: 0 },
      sort: 'throughput',
    });
    // With these prices the words of the prompt and nine tokens come to the hold.
    const { prompt, completion } =
      (sent?.['provider'] as { max_price: Record<string, number> } | undefined)?.max_price ?? {};
    const { usd, inputTokens, outputTokens } = gateway.entries()[0]?.hold ?? {};
    expect(usd).toBe(
      Math.ceil((inputTokens ?? 0) * (prompt ?? 0) * 1_000 + (outputTokens ?? 0) * (completion ?? 0) * 1_000),
    );
  });

  test.each<[string, readonly Limit[]]>([
    ['no limit', []],
    ['a limit by tokens', [tokens(500)]],
    ['a limit that only warns', [{ ...dollars(15_000_000), action: 'warn' }]],
  ])('goes as it is under %s', async (_, limits) => {
    await open({}, limits, 'openrouter');
    expect((await call(fields, {}, OPENROUTER)).sent?.['provider']).toEqual({ sort: 'throughput' });
  });
});

describe('a model that creates images unasked', () => {
  const drawing = (model: string): typeof OPENROUTER => ({ ...OPENROUTER, model });

  test.each(['google/gemini-3-pro-image-preview', 'openai/gpt-5-image', 'openai/gpt-audio-mini'])(
    'is not held at the price of text: %s',
    async (model) => {
      await open({}, [dollars(9_000_000_000)], 'openrouter');
      const refused = await call({ max_tokens: 4_000 }, {}, drawing(model));
      expect(refused).toMatchObject({ status: 402, sent: null, error: expect.stringContaining('has no known price') });
      const { status } = await call({ max_tokens: 4_000, modalities: ['text'] }, {}, drawing(model));
      expect(status).toBe(200);
    },
  );
});
