import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sampleBudget } from '../../src/limits/contract/sample-limits.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { TEST_GATEWAY_SECRET, startTestGateway } from '../gateway.ts';
import bodies from './bodies.json' with { type: 'json' };

// Assistants with their defaults under one dollar. The provider does as much as each request lets it do.

const DOLLAR = 1_000_000_000;
let double: ProviderDouble;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterEach(() => gateway.gateway.close(0));
afterAll(() => double.close());

type Body = Readonly<Record<string, unknown>>;

/** Returns a recorded body, with a prompt of a usual length. */
function recorded(client: string, index: number): { readonly address: string; readonly body: Body } {
  const found = bodies.filter((each) => each.client === client)[index];
  if (!found) throw new Error(`no body of ${client}`);
  return JSON.parse(JSON.stringify(found).replace('"text":"x"', `"text":"${'word '.repeat(2_000)}"`)) as typeof found;
}

const CLAUDE_CODE = recorded('Claude Code 2.1', 0);
const WEB_SEARCH = recorded('Claude Code 2.1', 1);
const CODEX = recorded('Codex 0.169', 1);
const CODEX_SEARCH = { ...CODEX, body: { ...CODEX.body, tools: [{ type: 'web_search', external_web_access: true }] } };
const COUNTER = /count_tokens|input_tokens/;

interface Answered {
  readonly status: number;
  readonly output: string | null;
  readonly uses: string | null;
  readonly sent: Body | null;
}

async function call({ address, body }: { readonly address: string; readonly body: Body }): Promise<Answered> {
  const from = double.requests.length;
  const answer = await fetch(`${gateway.url}/api/proxy/${address}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_GATEWAY_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.text();
  const seen = double.requests.slice(from).findLast(({ path }) => !COUNTER.test(path));
  return {
    status: answer.status,
    output: answer.headers.get('x-svc-clamped-max-tokens'),
    uses: answer.headers.get('x-svc-clamped-tool-uses'),
    sent: seen ? (JSON.parse(seen.body.toString()) as Body) : null,
  };
}

async function open(address: string): Promise<void> {
  const provider = address.split('/')[0] ?? '';
  const limits = [sampleBudget('lim_1', DOLLAR, { workspaceId: 'ws_default', window: 'day' })];
  gateway = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }), { provider, limits });
}

test.each([
  ['Claude Code', CLAUDE_CODE, 'max_tokens'],
  ['Codex', CODEX, 'max_output_tokens'],
])('%s works under a dollar, call after call, and never passes it', async (_client, request, field) => {
  await open(request.address);
  let calls = 0;
  for (;;) {
    // One for the count of the prompt, and one for the call.
    for (const _ of [1, 2]) double.plan({ tokens: { input: 8_000, output: 2_000 } });
    const { status, output, sent } = await call(request);
    if (status !== 200) break;
    calls++;
    expect(Number(output)).toBeGreaterThan(4_095);
    expect(sent?.[field]).toBe(Number(output));
    const { service_tier: _tier, ...rest } = { ...sent };
    expect({ ...rest, [field]: request.body[field] }).toEqual({ ...request.body, [field]: request.body[field] });
  }
  const entries = gateway.entries();
  expect(entries.map(({ shortenedTo }) => shortenedTo?.toolUses)).toEqual(Array.from({ length: calls }, () => null));
  const spent = entries.reduce((sum, { cost }) => sum + (cost ?? Number.NaN), 0);
  expect(spent).toBeLessThanOrEqual(DOLLAR);
  expect(spent).toBeGreaterThan(DOLLAR * 0.8);
});

test('a web search of Claude Code is limited to the searches that fit', async () => {
  await open(WEB_SEARCH.address);
  const { status, output, uses, sent } = await call({
    ...WEB_SEARCH,
    body: JSON.parse(JSON.stringify(WEB_SEARCH.body).replaceAll('word ', '')) as Body,
  });
  expect([status, output, uses]).toEqual([200, '4096', '1']);
  expect(sent).toMatchObject({ max_tokens: 4_096, tools: [{ type: 'web_search_20250305', max_uses: 1 }] });
  expect(gateway.entries()[0]).toMatchObject({ shortenedTo: { outputTokens: 4_096, toolUses: 1 } });
  expect(gateway.entries()[0]?.hold.usd).toBeLessThanOrEqual(DOLLAR);
});

test('the default web search of Codex gets a maximum', async () => {
  await open(CODEX.address);
  const { status, uses, sent } = await call(CODEX_SEARCH);
  expect([status, uses]).toEqual([200, String(sent?.['max_tool_calls'])]);
  expect(Number(uses)).toBeGreaterThan(0);
  expect(gateway.entries()[0]?.hold.usd).toBeLessThanOrEqual(DOLLAR);
});
