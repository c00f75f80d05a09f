import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger, usageOf } from '../../test/test-ledger.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import { OVERRIDES } from '../prices/overrides.ts';
import { PROVIDERS } from '../providers/providers.ts';
import type { WrappedKeyDetail } from '../contract/keys.ts';
import type { PriceCoverage, PriceShape } from '../contract/prices.ts';
import type { UsageValues } from '../contract/usage.ts';
import type { EntriesPage, EntryDetail } from '../contract/entries.ts';
import { HOUR_MS } from '../domain/time/units.ts';

const SESSION = '0c1f7a52-6d0e-4f2b-9a8b-1f2e3d4c5b6a';
const SESSION_HASH = hash('sha256', `claude_code:${SESSION}`);

let it: TestLedger;

beforeAll(async () => {
  it = await openTestLedger();
  await it.ship([
    it.entry({ callId: 'call_dear', cost: 2_000_000_000, requestId: 'req_dear', tags: { team: 'web' } }),
    it.entry({ callId: 'call_session_1', sessionHash: SESSION_HASH, startedAt: NOW - 3 * HOUR_MS, requestId: 'req_2' }),
    it.entry({ callId: 'call_session_2', sessionHash: SESSION_HASH, responseId: 'msg_2', requestId: 'req_3' }),
    it.entry({ callId: 'call_lost', outcome: 'broken', uncertainReason: 'timeout', cost: null, requestId: null }),
    it.entry({ callId: 'call_unpriced', model: 'nobody-knows', provider: 'anthropic', requestId: 'req_4' }),
    it.entry({ callId: 'call_ancient', startedAt: NOW - 300 * 24 * HOUR_MS, requestId: 'req_ancient' }),
  ]);
});
afterAll(() => it.close());

async function idsOf(query: string): Promise<string[]> {
  const { entries } = await it.json<EntriesPage>(`/api/mcp/entries?${query}`);
  return entries.map(({ id }) => id);
}

test.each([
  ['find=call_dear', ['call_dear']],
  ['find=req_ancient', ['call_ancient']],
  ['find=msg_2', ['call_session_2']],
  [`find=${SESSION}`, ['call_session_2', 'call_session_1']],
  [`find=${SESSION_HASH}`, ['call_session_2', 'call_session_1']],
  ['find=nothing', []],
  [`session=${SESSION_HASH}`, ['call_session_2', 'call_session_1']],
  ['outcome=broken', ['call_lost']],
  ['minCost=1.5', ['call_dear']],
  ['minCost=1.5&tag=team%3Dmobile', []],
  ['unpriced=true', ['call_unpriced']],
])('entries are found by %s', async (query, expected) => {
  expect(await idsOf(query)).toEqual(expected);
});

test.each(['find=', `find=${'x'.repeat(300)}`, 'minCost=-1', 'minCost=much', 'outcome=whatever'])(
  'an unusable filter is refused (%s)',
  async (query) => {
    expect((await it.ask(`/api/mcp/entries?${query}`)).status).toBe(400);
  },
);

test('an entry explains the source of its cost, and lists prices only if the cost comes from them', async () => {
  const version = it.ledger.prices.resolve('ws_default', 'anthropic', 'claude-sonnet-4-5', NOW)?.version ?? '';
  const cases: [CostProvenance | null, number | null, string, number, string | null][] = [
    [{ from: 'price', versions: [version] }, 1, 'Usage of this call, priced line by line.', 2, version],
    [{ from: 'report', versions: [] }, 1, 'Usage and cost are from the provider report.', 0, null],
    [{ from: 'person' }, 1, 'A person entered the cost of this call.', 0, null],
    [{ from: 'provider' }, 1, "The provider's response contained the cost.", 0, null],
    [null, null, 'The cost of this call is unknown.', 0, null],
    [null, 0, 'The provider did not charge for this call.', 0, null],
  ];
  const unknown = { outcome: 'broken', uncertainReason: 'timeout' } as const;
  await it.ship(
    cases.map(([provenance, cost], at) =>
      it.entry({ callId: `call_from_${at}`, provenance, cost, uncertainReason: null, ...(cost === null && unknown) }),
    ),
  );
  for (const [at, [provenance, , explanation, lines, priceVersion]] of cases.entries()) {
    const found = await it.json<EntryDetail>(`/api/mcp/entries/call_from_${at}`);
    expect(found).toMatchObject({ costSource: provenance?.from ?? null, priceVersion, explanation });
    expect(found.lines).toHaveLength(lines);
  }
});

test('the entries of a session are listed by page', async () => {
  const first = await it.json<EntriesPage>(`/api/mcp/entries?find=${SESSION}&limit=1`);
  expect([first.entries.length, typeof first.nextCursor]).toEqual([1, 'string']);
  const rest = await it.json<EntriesPage>(`/api/mcp/entries?find=${SESSION}&limit=1&cursor=${first.nextCursor}`);
  expect([rest.entries.map(({ id }) => id), rest.nextCursor]).toEqual([['call_session_1'], null]);
});

test('only entries of the caller’s workspace are found', async () => {
  const { id } = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  for (const find of ['call_dear', 'req_dear', SESSION]) {
    const asked = { headers: { 'x-svc-workspace': id } };
    expect((await it.json<EntriesPage>(`/api/mcp/entries?find=${find}`, asked)).entries).toEqual([]);
  }
});

test('an entry names its limits in words, with what each counts of it', async () => {
  const { id: keyId } = await it.createKey('web');
  const limit = await it.json<{ id: string }>('/api/manage/limits', {
    method: 'POST',
    body: { scope: { kind: 'key', keyId }, unit: 'usd', amount: 5, window: 'day', action: 'block', label: 'daily cap' },
  });
  const counter = it.ledger.records.limits.get('ws_default', limit.id).then((one) => one.counter);
  const windowStart = Date.parse('2026-03-15T00:00:00Z');
  await it.ship([
    it.entry({
      callId: 'call_touching',
      keyId,
      outcome: 'broken',
      uncertainReason: 'timeout',
      cost: null,
      usage: usageOf(10, 5),
      hold: { usd: 3_000_000_000, inputTokens: 100, outputTokens: 50 },
      counted: { usd: 3_000_000_000, inputTokens: 100, outputTokens: 50 },
      touched: [{ counter: await counter, unit: 'usd', windowStart, value: '' }],
    }),
  ]);
  const found = await it.json<EntryDetail>('/api/mcp/entries/call_touching');
  expect(found.keyName).toBe('web');
  expect(found.limits).toEqual([
    {
      id: limit.id,
      label: 'daily cap',
      scope: 'key web',
      action: 'block',
      window: 'day',
      unit: 'usd',
      windowStart: '2026-03-15T00:00:00.000Z',
      value: null,
      held: 3,
      counted: 3,
      uncertain: 3,
    },
  ]);
});

test('a key has the time of its first call, or none', async () => {
  const { id } = await it.createKey('waiting');
  const ask = () => it.json<WrappedKeyDetail>(`/api/manage/keys/${id}`);
  expect(await ask()).toMatchObject({ firstCallAt: null, lastCallAt: null });
  await it.ship([it.entry({ keyId: id, startedAt: NOW + 5 }), it.entry({ keyId: id, startedAt: NOW + 9_000 })]);
  expect(await ask()).toMatchObject({
    firstCallAt: '2026-03-15T12:00:00.005Z',
    lastCallAt: '2026-03-15T12:00:09.000Z',
  });
});

test('used models are listed with the source of their prices, those without a price first', async () => {
  const found = await it.json<PriceCoverage>('/api/mcp/pricing/coverage');
  expect(found.unpricedCalls).toBe(1);
  expect(found.models[0]).toMatchObject({
    provider: 'anthropic',
    model: 'nobody-knows',
    unpricedCalls: 1,
    price: null,
  });
  const priced = found.models.find(({ model }) => model === 'claude-sonnet-4-5');
  expect(priced?.price).toMatchObject({ model: expect.stringContaining('claude-sonnet-4-5') as string });
  await it.json('/api/manage/prices', {
    method: 'POST',
    body: { provider: 'anthropic', model: 'nobody-knows', usdPerMillion: { input: '1', output: '2' } },
  });
  const after = await it.json<PriceCoverage>('/api/mcp/pricing/coverage');
  expect(after.models.find(({ model }) => model === 'nobody-knows')?.price).toMatchObject({ source: 'user' });
});

test('prices are listed for providers that always publish them; for others, and for unused ones, only if they are named', async () => {
  const providersOf = async (query: string): Promise<string[]> => [
    ...new Set((await it.json<PriceShape[]>(`/api/mcp/pricing${query}`)).map(({ provider }) => provider)),
  ];
  const listed = PROVIDERS.filter(({ pricesListed }) => pricesListed === 'always').map((one) => one.priceProvider);
  expect((await providersOf('')).toSorted()).toEqual(listed.toSorted());
  expect(OVERRIDES.map(({ file }) => file.provider)).toContain('perplexity');
  expect(await providersOf('?provider=perplexity')).toEqual(['perplexity']);
});

test('filter values are listed with names, highest cost first', async () => {
  const found = await it.json<UsageValues>('/api/mcp/usage/values?tagKey=Team');
  expect(found.models[0]).toMatchObject({ value: 'claude-sonnet-4-5' });
  expect(found.keys.map(({ name }) => name)).toContain('web');
  expect(found.tagKeys).toEqual(['team']);
  expect(found.tags).toEqual([{ value: 'web', cost: 2, calls: 1 }]);
  expect(found.statuses.map(({ value }) => value)).toEqual(['200']);
});
