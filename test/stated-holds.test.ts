import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NANO_PER_USD } from '../src/domain/money/money.ts';
import { sampleBudget } from '../src/limits/contract/sample-limits.ts';
import { createPriceBook } from '../src/prices/price-book.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { eventually } from './service.ts';
import { startTestGateway, TEST_GATEWAY_SECRET } from './gateway.ts';

// The provider charges 2.50 and 15 dollars for a million tokens, and the price list says 10 % less.

const MODEL = 'grok-of-the-test';
const LISTED = { input: '2.25', output: '13.5' };
const PROMPT_TOKENS = 5;
const OUTPUT_TOKENS_MAX = 10_000;

let outputTokens: number;
let charged: number;
let open = 0;
let released = Promise.resolve();
const provider = createServer((req, res) => {
  open += 1;
  req.resume().on('end', () => void answer(res));
}).listen(0, '127.0.0.1');

async function answer(res: ServerResponse): Promise<void> {
  await released;
  const ticks = 10_000 * (2.5 * PROMPT_TOKENS + 15 * outputTokens);
  charged += ticks / 10;
  const usage = {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: outputTokens,
    total_tokens: PROMPT_TOKENS + outputTokens,
    cost_in_usd_ticks: ticks,
  };
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }];
  res
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ id: 'chat_1', object: 'chat.completion', model: MODEL, choices, usage }));
}
let address: string;
beforeAll(async () => {
  if (!provider.listening) await once(provider, 'listening');
  address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(() => provider.close());

async function startAtLimit(usd: number) {
  const prices = createPriceBook();
  prices.setRefreshed([
    { provider: 'x-ai', prices: [{ models: [MODEL], usdPerMillion: LISTED, source: 'https://example.com/prices' }] },
  ]);
  const limits = [sampleBudget('lim_1', usd * NANO_PER_USD, { workspaceId: 'ws_default' })];
  const providers = buildProviders({ urls: { xai: address }, custom: [] });
  const policy = { whenOverLimit: 'refuse' as const };
  const started = await startTestGateway(providers, { provider: 'xai', policy, limits, prices });
  const call = async () => {
    const response = await fetch(`${started.url}/api/proxy/xai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_GATEWAY_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: MODEL,
        max_tokens: OUTPUT_TOKENS_MAX,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { ...started, call };
}

test('concurrent calls never exceed a limit once the provider has charged more than the price list says', async () => {
  [charged, outputTokens] = [0, 100];
  const { call, gateway, entries, ledger } = await startAtLimit(1);
  expect((await call()).status).toBe(200);
  // Each costs all that its request allows: 15 cents, so that 6 fit into what is left.
  outputTokens = OUTPUT_TOKENS_MAX;
  const { promise, resolve } = Promise.withResolvers<void>();
  [released, open] = [promise, 0];
  const calls = Array.from({ length: 20 }, call);
  await eventually(
    async () => open + ledger.waiting,
    (begun) => begun === 20,
  );
  resolve();
  const replies = await Promise.all(calls);
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(14);
  expect(charged).toBeLessThanOrEqual(NANO_PER_USD);
  expect(entries().reduce((sum, { cost }) => sum + (cost ?? Number.NaN), 0)).toBe(charged);
  expect(refused[0]?.text).toContain(
    `It is held at 1.12 times its bound, because its provider lately charged that much more than the price of ${MODEL}. To end that, correct the price: tollbook prices set x-ai ${MODEL} --input USD --output USD.`,
  );
  await gateway.close(0);
});
