import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TEST_GATEWAY_SECRET, startTestGateway } from '../../../test/gateway.ts';
import type { Alert } from '../../domain/alerts/alert.ts';
import { buildProviders } from '../../providers/providers.ts';
import { RateWatch } from './rate-watch.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 15, 12);
const whose = { workspaceId: 'ws_1', keyId: 'key_1', provider: 'anthropic' };

function watch(): { told: Alert[]; look: (headers: Record<string, string>, at?: number, keyId?: string) => void } {
  const alerts: Alert[] = [];
  const rates = new RateWatch((alert) => alerts.push(alert));
  return { told: alerts, look: (headers, at = NOW, keyId = 'key_1') => rates.look({ ...whose, keyId }, headers, at) };
}

const anthropic = (left: number, limit = 1_000) => ({
  'anthropic-ratelimit-input-tokens-remaining': String(left),
  'anthropic-ratelimit-input-tokens-limit': String(limit),
});

test.each([
  ['no such headers', {}],
  ['much left', anthropic(21)],
  ['a limit that nobody knows', { 'x-ratelimit-remaining-requests': '0' }],
  ['words instead of numbers', { 'x-ratelimit-remaining-requests': 'few', 'x-ratelimit-limit-requests': 'many' }],
  ['nothing instead of a number', { 'x-ratelimit-remaining-requests': '', 'x-ratelimit-limit-requests': '9' }],
  ['less than nothing left', { 'x-ratelimit-remaining-requests': '-1', 'x-ratelimit-limit-requests': '9' }],
])('a response with %s changes nothing', (_, headers) => {
  const { told: alerts, look } = watch();
  look(headers);
  expect(alerts).toEqual([]);
});

test('a low remaining amount is reported with the key, the amount and its kind', () => {
  const { told: alerts, look } = watch();
  look(anthropic(20));
  expect(alerts).toMatchObject([
    {
      type: 'RATE_LIMIT',
      severity: 'info',
      message: expect.stringContaining(
        '20 of 1,000 input tokens are left under its rate limit for the provider key of key key_1',
      ),
      scope: { provider: 'anthropic', key: 'key_1' },
      value: 20,
      threshold: 20,
      period: { start: NOW, end: NOW + HOUR },
    },
  ]);
});

test('OpenAI and compatible providers are understood too', () => {
  const { told: alerts, look } = watch();
  look({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-limit-tokens': '30000' });
  expect(alerts).toMatchObject([{ evidence: { what: 'tokens', left: 0, limit: 30_000 } }]);
});

test('the same warning is repeated after an hour at the earliest, for each key and kind', () => {
  const { told: alerts, look } = watch();
  look(anthropic(0));
  look(anthropic(0), NOW + HOUR - 1);
  expect(alerts).toHaveLength(1);
  look(anthropic(0), NOW, 'key_2');
  look({ 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-limit': '50' });
  expect(alerts).toHaveLength(3);
  look(anthropic(0), NOW + HOUR);
  expect(alerts).toHaveLength(4);
  expect(alerts[3]?.episode).toBe(alerts[0]?.episode);
});

test('the gateway checks the responses that pass it', async () => {
  const headers = { ...anthropic(1), 'content-type': 'application/json' };
  const provider = createServer((req, res) => {
    req.resume().on('end', () => res.writeHead(429, headers).end('{"type":"error"}'));
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  const providers = buildProviders({ urls: { anthropic: `http://127.0.0.1:${port}` }, custom: [] });
  const { gateway, raised, url } = await startTestGateway(providers);
  const answer = await fetch(`${url}/api/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_GATEWAY_SECRET, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.text();
  expect(answer.status).toBe(429);
  expect(raised).toMatchObject([{ type: 'RATE_LIMIT', workspaceId: 'ws_default', scope: { key: 'key_1' } }]);
  await gateway.close(0);
  provider.close();
});
