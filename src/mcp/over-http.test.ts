import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { callTool, connectInProcess, type Era, ERAS } from '../../test/tool-host.ts';
import { tools } from './tools.ts';
import { HOUR_MS } from '../domain/time/units.ts';

let it: TestLedger;
let host: Client;

beforeAll(async () => {
  it = await openTestLedger();
  await it.json('/api/manage/workspaces/ws_default', { method: 'PATCH', body: { timeZone: 'Europe/Berlin' } });
  await it.ship([
    it.entry({ tags: { project: 'a|b\n# c' } }),
    it.entry({ tags: { project: 'search' }, model: 'claude-opus-4-8' }),
    it.entry({ tags: { env: 'test' }, model: 'nobody-knows', startedAt: NOW - 30 * HOUR_MS }),
  ]);
  await it.ledger.raise({
    type: 'BUDGET_WARNING',
    severity: 'warning',
    workspaceId: 'ws_default',
    title: 'Budget nearly spent',
    message: '80 % of 5.00 USD a day are spent.',
    episode: 'one',
    createdAt: NOW,
    scope: {},
    value: 4,
    threshold: 4,
    period: null,
    evidence: {},
  });
  host = await hostWith(await it.createToken());
});
afterAll(async () => {
  await host.close();
  await it.close();
});

function hostWith(token: string, era?: Era): Promise<Client> {
  return connectInProcess((request) => it.ledger.fetch(request, { caller: 'public' }), token, era);
}

function post(headers: Record<string, string>, body = '{}'): Promise<Response> {
  const request = new Request('http://localhost:4700/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  });
  return Promise.resolve(it.ledger.fetch(request, { caller: 'public' }));
}

describe.each(ERAS)('a host of the %s era', (era) => {
  test('gets the tools that need no local files, each with title, hints and schemas', async () => {
    const own = await hostWith(await it.createToken(), era);
    const listed = (await own.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(
      tools.filter(({ needsFiles }) => !needsFiles).map(({ name }) => name),
    );
    for (const { name, title, description, annotations, outputSchema } of listed) {
      expect(annotations?.readOnlyHint, name).toBe(tools.find((tool) => tool.name === name)?.hints.readOnly);
      expect([title, description, outputSchema].every(Boolean), name).toBe(true);
    }
    expect(own.getInstructions()).toMatch(/^Tollbook records what AI models cost(?!.*svc_get_local)/s);
    await own.close();
  });

  test('gets a result whose structure matches the declared schema', async () => {
    const own = await hostWith(await it.createToken(), era);
    await own.listTools();
    const { data, text } = await callTool(own, 'svc_get_usage_summary', { period: 'last_24h' });
    expect(data).toMatchObject({ totalCalls: 2, totalCost: 0.028 });
    expect(text).toContain('**$0.028** for 2 calls');
    await own.close();
  });

  test.each(['constructor', '__proto__', 'toString', 'svc_nothing', 'svc_list_codex_sessions'])(
    'that calls %s gets the error that there is no such tool, and no such prompt',
    async (name) => {
      const own = await hostWith(await it.createToken(), era);
      await expect(own.callTool({ name })).rejects.toMatchObject({ code: -32_602, message: `Tool ${name} not found` });
      await expect(own.getPrompt({ name })).rejects.toMatchObject({
        code: -32_602,
        message: `Prompt ${name} not found`,
      });
      await own.close();
    },
  );
});

describe('a tool without required parameters', () => {
  const asking = tools.filter(({ needsFiles, input }) => !needsFiles && input.safeParse({}).success);

  test.each(asking)('$name returns text, and the same data as structure', async ({ name }) => {
    const read = await callTool(host, name);
    const parsed = await callTool(host, name, { format: 'json' });
    expect({ name, isError: read.isError, hasText: /\S/.test(read.text) }).toEqual({
      name,
      isError: false,
      hasText: true,
    });
    expect(JSON.parse(parsed.text)).toEqual(parsed.data);
    expect(Object.keys(parsed.data ?? {})).toEqual(Object.keys(read.data ?? {}));
  });
});

describe('svc_get_usage_summary', () => {
  test('uses days of the workspace for today and yesterday, and sends instants', async () => {
    const today = await callTool(host, 'svc_get_usage_summary', { period: 'today' });
    const yesterday = await callTool(host, 'svc_get_usage_summary', { period: 'yesterday' });
    const midnight = new Date(NOW).toISOString().slice(0, 11);
    const start = (today.data?.['period'] as { start: string } | undefined)?.start ?? '';
    expect(new Date(Date.parse(start)).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('00:00:00');
    expect(start.startsWith(midnight)).toBe(false);
    expect(yesterday.data?.['period']).toMatchObject({ end: start });
    expect(today.text).toContain('(Europe/Berlin)');
  });

  test('prefers dates to a period, and ignores null parameters', async () => {
    const asked = { period: 'today', startDate: '2026-01-01', endDate: '2026-01-31', format: null };
    const { data, text } = await callTool(host, 'svc_get_usage_summary', asked);
    expect(data?.['period']).toEqual({ start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' });
    expect(text).toBe('No usage to pay for from 1 Jan 2026, 01:00 to 1 Feb 2026, 01:00 (Europe/Berlin).');
  });

  test('reports usage without a price, and its JSON is its structure', async () => {
    const markdown = await callTool(host, 'svc_get_usage_summary');
    expect(markdown.text).toContain('1 call without a price');
    expect(markdown.text).toMatch(/^\*\*≥ \$/);
    const json = await callTool(host, 'svc_get_usage_summary', { format: 'json' });
    expect(JSON.parse(json.text)).toEqual(json.data);
    expect(json.data).toEqual(markdown.data);
  });
});

test('svc_get_usage_by_tag shows shares, and a tag cannot break the table', async () => {
  const { text, data } = await callTool(host, 'svc_get_usage_by_tag', { tagKey: 'project' });
  expect(data?.['rows']).toHaveLength(2);
  expect(text.split('\n').filter((line) => line.startsWith('|'))).toEqual([
    '| project | Cost | Share | Calls |',
    '| --- | ---: | ---: | ---: |',
    '| search | $0.0175 | 63% | 1 |',
    String.raw`| a\|b # c | $0.0105 | 38% | 1 |`,
  ]);
  expect((await callTool(host, 'svc_get_usage_by_tag', { tagKey: 'project', limit: 1 })).data?.['rows']).toHaveLength(
    1,
  );
  expect((await callTool(host, 'svc_get_usage_by_tag', { tagKey: 'team' })).text).toContain('No call has the tag');
});

test('svc_get_usage_by_tag reports calls without a price, which are in no cost', async () => {
  const { text, data } = await callTool(host, 'svc_get_usage_by_tag', { tagKey: 'env' });
  expect(data?.['rows']).toMatchObject([{ value: 'test', cost: 0, unpricedCalls: 1 }]);
  expect(text).toContain('| test | ≥ $0.00 | 0% | 1 |');
  expect(text).toContain('1 call without a price: their cost is unknown and not included.');
});

test('svc_detect_anomalies never reports that all is usual with too little history', async () => {
  const { text, data } = await callTool(host, 'svc_detect_anomalies');
  expect(data).toMatchObject({ enabled: true, anomalies: [] });
  expect(text).toMatch(/^Not enough history: usage began/);
  expect(text).toContain('Not enough history to judge: the workspace, ');
  expect(text).toContain('sensitivity normal, at least $1.00 above normal');
});

test('svc_list_alerts lists stored alerts, and leaves them unread', async () => {
  const { text, data } = await callTool(host, 'svc_list_alerts', { unreadOnly: true });
  expect(data?.['alerts']).toMatchObject([{ type: 'BUDGET_WARNING', read: false }, { type: 'UNPRICED_MODEL' }]);
  expect(text).toContain(
    '| warning | BUDGET_WARNING | Budget nearly spent: 80 % of 5.00 USD a day are spent. |  | no | no |',
  );
  expect((await callTool(host, 'svc_list_alerts', { limit: 1 })).data?.['alerts']).toMatchObject([{ read: false }]);
});

test('svc_create_webhook accepts lower-case words, and svc_list_webhooks shows it', async () => {
  const asked = {
    name: 'team',
    url: 'https://hooks.slack.com/services/T/B/x',
    type: 'slack',
    events: ['budget_alert', 'anomaly'],
  };
  const { text, data } = await callTool(host, 'svc_create_webhook', asked);
  const events = ['BUDGET_WARNING', 'BUDGET_EXCEEDED', 'UNUSUAL_ACTIVITY'];
  expect(data?.['webhook']).toMatchObject({ type: 'SLACK', events, enabled: true });
  expect(text).toContain('budget_warning, budget_exceeded, unusual_activity');
  const listed = await callTool(host, 'svc_list_webhooks');
  expect(listed.data?.['webhooks']).toMatchObject([{ name: 'team', events }]);
  expect(listed.text).toContain('| team | slack |');
});

test('svc_create_webhook passes on the errors of the service', async () => {
  const asked = { name: 'inside', url: 'https://127.0.0.1/x', type: 'custom', events: ['rate_limit'] };
  const { isError, text } = await callTool(host, 'svc_create_webhook', asked);
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(/private address/) });
});

test('svc_get_model_pricing is in dollars per million tokens, for one provider or all', async () => {
  const { data, text } = await callTool(host, 'svc_get_model_pricing', { provider: 'Anthropic' });
  const prices = data?.['prices'] as { provider: string; model: string }[];
  expect(new Set(prices.map(({ provider }) => provider))).toEqual(new Set(['anthropic']));
  expect(prices.find(({ model }) => model === 'claude-opus-4-8')).toMatchObject({
    input: 5,
    output: 25,
    cacheRead: 0.5,
  });
  expect(text).toContain('| anthropic | claude-opus-4-8 |');
  expect((await callTool(host, 'svc_get_model_pricing')).text).toContain('| openai |');
  expect((await callTool(host, 'svc_get_model_pricing', { provider: 'nobody' })).text).toContain('No prices');
});

test('svc_get_limits shows what is left of each limit of the workspace, until when', async () => {
  expect((await callTool(host, 'svc_get_limits')).text).toBe(
    'No figures for the workspace. Limits on each session, agent or run appear here once a call has used them; other limits do not apply.',
  );
  const body = { unit: 'usd', amount: 5, window: 'day', label: 'Team' };
  const { id } = await it.json<{ id: string }>('/api/manage/limits', { method: 'POST', body });
  const { data, text } = await callTool(host, 'svc_get_limits', { of: 'workspace' });
  expect(data).toMatchObject({ of: 'workspace', key: null, limits: [{ id, amount: 5, value: null, window: 'day' }] });
  expect(text).toMatch(
    /^Limits of the workspace, the tightest first\n\n- \*\*Team\*\*: .* of \$5\.00 a day for all calls\./,
  );
  await it.json(`/api/manage/limits/${id}`, { method: 'DELETE' });
});

describe('with a plan and a synced session', () => {
  const month = { period: 'monthly', date: '2026-03-15' };

  beforeAll(async () => {
    const plan = { plan: 'max_5x', startedAt: '2026-03-01' };
    await it.json('/api/manage/subscriptions', { method: 'POST', body: plan });
    const record = {
      sessionId: 'a'.repeat(64),
      projectId: 'b'.repeat(64),
      model: 'claude-opus-4-8',
      inputTokens: 1_000_000,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheCreationTokens: 0,
      timestamp: '2026-03-14T12:00:00Z',
      calls: 3,
    };
    const token = await it.createToken(['sync:write']);
    await it.json('/api/mcp/sync/claude-code', { method: 'POST', body: { sessions: [record] }, token });
  });

  test('svc_list_subscriptions lists it', async () => {
    const { data, text } = await callTool(host, 'svc_list_subscriptions');
    expect(data?.['subscriptions']).toMatchObject([{ plan: 'max_5x', monthlyCost: 100, active: true }]);
    expect(text).toContain('| Claude Max 5x | anthropic | max_5x | $100.00 |');
  });

  test('svc_get_savings compares the cost at list price with the cost of the plan', async () => {
    const { data, text } = await callTool(host, 'svc_get_savings', month);
    expect(data).toMatchObject({ retailCost: 5, fullPeriodCost: 100, status: 'Below Breakeven', inProgress: true });
    expect(data?.['timeZone']).toBe('Europe/Berlin');
    expect(text).toMatch(/\*\*Below Breakeven: -\$\d+\.\d+\*\*/);
    expect(text).toContain('1 Mar 2026, 00:00 to 1 Apr 2026, 00:00 (Europe/Berlin)');
    const before = await callTool(host, 'svc_get_savings', { period: 'daily', date: '2026-01-01' });
    expect(before.text).toContain('No subscription in this period');
  });

  test('svc_get_usage_summary shows covered usage separately from what is owed', async () => {
    const { data, text } = await callTool(host, 'svc_get_usage_summary');
    expect(data).toMatchObject({ totalCost: 0.028, covered: { cost: 5, calls: 3 } });
    expect(text).toContain('sessions covered by a plan: $5.00 at retail for 3 calls');
  });

  test('svc_get_savings_breakdown has a row for each model', async () => {
    const { data, text } = await callTool(host, 'svc_get_savings_breakdown', month);
    expect(data?.['rows']).toMatchObject([{ model: 'claude-opus-4-8', calls: 3, retailCost: 5, covered: true }]);
    expect(text).toContain('| claude-opus-4-8 | anthropic | $5.00 | 100% | 3 | 1,000,000 | 0 | 0 | 0 | covers it |');
    const empty = await callTool(host, 'svc_get_savings_breakdown', { period: 'daily', date: '2026-01-01' });
    expect(empty.text).toContain('No synced sessions');
  });
});

describe('a token', () => {
  test.each([
    ['svc_get_usage_summary', 'alerts:read', 'usage:read'],
    ['svc_list_alerts', 'usage:read', 'alerts:read'],
    ['svc_list_webhooks', 'usage:read', 'webhooks:write'],
  ])('for %s that has only %s gets the error that it lacks %s', async (name, has, lacks) => {
    const own = await hostWith(await it.createToken([has]));
    const { isError, text } = await callTool(own, name);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(`no scope "${lacks}"`) });
    expect(text).toContain('tollbook tokens create');
    // What keeps secrets out of answers leaves advice whole.
    expect(text).not.toContain('[hidden]');
    await own.close();
  });

  test('that may not see the workspace gets times in UTC', async () => {
    const own = await hostWith(await it.createToken(['alerts:read']));
    expect((await callTool(own, 'svc_list_alerts')).text).toContain('times in UTC');
    await own.close();
  });

  test.each([
    ['is missing', {}, 401, 'needs an access token'],
    ['is unknown', { authorization: 'Bearer svc_sk_nothing' }, 401, 'unknown, expired or revoked'],
  ])('that %s gets an error', async (_, headers, status, sentence) => {
    const answer = await post(headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await answer.text()).toContain(sentence);
  });

  test('that is a wrapped key gets an error with what is needed', async () => {
    const { key } = await it.createKey('for the proxy');
    const answer = await post({ authorization: `Bearer ${key}` });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('wrapped key');
  });
});

describe('the URL of the tools', () => {
  test.each([
    ['origin', 'https://evil.example', 403],
    ['origin', 'null', 403],
    ['origin', 'http://localhost:6274', 200],
    ['origin', 'http://[::1]:3000', 200],
    ['host', 'evil.example', 403],
    ['host', 'localhost.evil.example:4700', 403],
    ['host', '127.0.0.1:4700', 200],
    ['host', '[::1]:4700', 200],
  ])('with the %s %s answers %i', async (name, value, status) => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const answer = await post({ authorization: `Bearer ${await it.createToken()}`, [name]: value }, ping);
    expect(answer.status).toBe(status);
  });

  test('can have a host name that the operator allows, and no other', async () => {
    const named = await openTestLedger({ SVC_ALLOWED_HOSTS: 'Tollbook.lan' });
    const authorization = `Bearer ${await named.createToken()}`;
    const ping = { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'ping' }, token: null };
    const statusAt = async (name: string) => {
      const headers = { authorization, host: name, accept: 'application/json, text/event-stream' };
      return (await named.ask('/mcp', { ...ping, headers })).status;
    };
    expect([await statusAt('tollbook.lan:4700'), await statusAt('other.lan:4700')]).toEqual([200, 403]);
    await named.close();
  });

  test('refuses long bodies and other methods', async () => {
    const authorization = `Bearer ${await it.createToken()}`;
    expect((await post({ authorization }, JSON.stringify('x'.repeat(65_536)))).status).toBe(413);
    const get = new Request('http://localhost:4700/mcp', { headers: { authorization } });
    expect((await it.ledger.fetch(get, { caller: 'public' })).status).toBe(405);
  });
});

test('the current month is a resource, and frequent questions are prompts', async () => {
  const { resources } = await host.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['tollbook://ledger/current-month']);
  const { contents } = await host.readResource({ uri: 'tollbook://ledger/current-month' });
  expect(contents).toMatchObject([
    { mimeType: 'text/markdown', text: expect.stringContaining("# This month's usage") },
  ]);
  const { prompts } = await host.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['where_did_my_spend_go', 'is_my_plan_worth_it']);
  const { messages } = await host.getPrompt({ name: 'where_did_my_spend_go', arguments: { period: 'last_24h' } });
  expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('last_24h') } }]);
  const asked = (name: string, given: Record<string, string>) => host.getPrompt({ name, arguments: given });
  await expect(asked('where_did_my_spend_go', { period: 'year' })).rejects.toThrow('period must be one of last_24h,');
  await expect(asked('is_my_plan_worth_it', { plan: 'gold' })).rejects.toThrow('plan must be one of pro, max_5x');
  // No local files are read over HTTP.
  for (const plan of ['', 'pro'])
    expect(JSON.stringify(await asked('is_my_plan_worth_it', { plan }))).not.toContain('svc_get_local');
});

test('each call counts against the request limit of its token', async () => {
  const small = await openTestLedger({ SVC_TOKEN_REQUESTS_PER_MINUTE: '2' });
  const own = await connectInProcess(
    (request) => small.ledger.fetch(request, { caller: 'public' }),
    await small.createToken(),
  );
  await callTool(own, 'svc_detect_anomalies');
  await callTool(own, 'svc_detect_anomalies', { format: 'json' });
  const { isError, text } = await callTool(own, 'svc_detect_anomalies');
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(/Wait \d+ s/) });
  await own.close();
  await small.close();
});

test('requests that use no API are limited by token and minute as well, and those of other tokens pass', async () => {
  const few = await openTestLedger({ SVC_TOKEN_REQUESTS_PER_MINUTE: '3' });
  const [mine, other] = [await few.createToken(), await few.createToken()];
  const list = async (token: string, batched?: number) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const body = batched === undefined ? message : Array.from({ length: batched }, (_, id) => ({ ...message, id }));
    const { status, headers: answered } = await few.ask('/mcp', { method: 'POST', headers, body, token: null });
    return [status, answered.get('retry-after') !== null];
  };
  for (let count = 0; count < 4; count += 1) expect(await list(mine)).toEqual([200, false]);
  expect(await list(mine, 8)).toEqual([200, false]);
  expect(await list(mine)).toEqual([429, true]);
  expect(await list(other)).toEqual([200, false]);
  expect(await list(other, 12)).toEqual([429, true]);
  await few.close();
});
