import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPriceBook } from '../src/prices/price-book.ts';
import { userCard } from '../src/prices/price-schema.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import { TEST_GATEWAY_SECRET, startTestGateway } from './gateway.ts';

let double: ProviderDouble;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterAll(() => double.close());

const HEADERS = { authorization: `Bearer ${TEST_GATEWAY_SECRET}` };
const BODY = JSON.stringify({
  contents: [{ parts: [{ text: 'Hi' }] }],
  generationConfig: { maxOutputTokens: 1_000, responseModalities: ['TEXT'] },
});

async function startHolding(prices = createPriceBook()) {
  const providers = buildProviders({ urls: double.urls, custom: [] });
  const { gateway, entries, time, url } = await startTestGateway(providers, { provider: 'google', prices });
  const path = `${url}/api/proxy/google/v1beta/models/gemini-4-argon:generateContent`;
  const hold = async (at: string) => {
    time.now = Date.parse(at);
    expect((await fetch(path, { method: 'POST', headers: HEADERS, body: BODY })).status).toBe(200);
    const entry = entries().at(-1);
    return { held: entry?.hold.usd ?? Number.NaN, cost: entry?.cost ?? Number.NaN, priced: entry?.priced };
  };
  return { gateway, hold };
}

test('a call that may end after a price rise is held at the higher price', async () => {
  const { gateway, hold } = await startHolding();
  const before = await hold('2026-11-30T22:59:00Z');
  const near = await hold('2026-11-30T23:01:00Z');
  const after = await hold('2026-12-01T00:01:00Z');
  expect(near.held).toBe(after.held);
  expect(near.held).toBeGreaterThan(before.held);
  await gateway.close(0);
});

test('a call is held at the highest price while it may run, and recorded at the price of its start', async () => {
  const dear = (from?: string, until?: string) => ({
    workspaceId: 'ws_default',
    card: userCard({
      provider: 'google',
      model: 'gemini-4-argon',
      usdPerMillion: { input: '90', output: '900' },
      from,
      until,
    }),
  });
  const usual = await startHolding();
  const short = await startHolding(
    createPriceBook({ userCards: [dear('2026-11-20T10:15:00Z', '2026-11-20T10:30:00Z')] }),
  );
  const always = await startHolding(createPriceBook({ userCards: [dear()] }));
  const [cheap, near, most] = await Promise.all([usual, short, always].map(({ hold }) => hold('2026-11-20T10:00:00Z')));
  expect(near?.held).toBe(most?.held);
  expect(near?.held).toBeGreaterThan(cheap?.held ?? Number.NaN);
  expect(near?.cost).toBe(cheap?.cost);
  expect(most?.cost).toBeGreaterThan(cheap?.cost ?? Number.NaN);
  await Promise.all([usual, short, always].map(({ gateway }) => gateway.close(0)));
});

test('a call is held and recorded at the price of its contract, and keeps its list cost', async () => {
  const prices = createPriceBook();
  const terms = { scope: { provider: 'google', model: 'gemini-*', keyId: null, tag: null }, from: null, until: null };
  const half = { kind: 'multiplier', multiplier: { num: 1, den: 2 } } as const;
  prices.contracts.set([{ ...terms, id: 'contract_1', workspaceId: 'ws_default', terms: half }]);
  const [usual, contracted] = [await startHolding(), await startHolding(prices)];
  const [listed, own] = await Promise.all([usual, contracted].map(({ hold }) => hold('2026-11-20T10:00:00Z')));
  expect(own?.held).toBe(Math.ceil((listed?.held ?? 0) / 2));
  expect(own?.cost).toBe((listed?.cost ?? 0) / 2);
  expect(own?.priced).toEqual({ list: listed?.cost, contracted: own?.cost });
  expect(listed?.priced).toBeUndefined();
  await Promise.all([usual, contracted].map(({ gateway }) => gateway.close(0)));
});
