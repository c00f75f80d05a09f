import { expect, test } from 'vitest';
import { NO_CONTEXT } from '../usage/call-context.ts';
import { NO_TERMS, type TokenCounts } from '../usage/usage.ts';
import type { RateCard } from '../pricing/price.ts';
import type { ObservedCall } from './observed-call.ts';
import { priceObserved } from './price-observed.ts';

const card: RateCard = {
  provider: 'anthropic',
  model: 'claude-opus-4-8',
  from: null,
  until: null,
  tiers: [
    {
      above: -1,
      rates: {
        input: 5_000_000,
        output: 25_000_000,
        cacheRead: 500_000,
        cacheWrite5m: 6_250_000,
        cacheWrite1h: 10_000_000,
      },
    },
  ],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: { webSearch: 10_000_000_000 },
  contextWindow: null,
  version: 'v1',
  source: 'test',
};

function observed(tokens: TokenCounts, changes: Partial<ObservedCall> = {}): ObservedCall {
  return {
    observationId: 'one',
    source: 'telemetry',
    signal: 'log',
    assistant: 'claude_code',
    tokenId: 'tok_1',
    providerIds: [],
    callId: null,
    provider: 'anthropic',
    model: 'claude-opus-4-8',
    startedAt: 0,
    endedAt: 0,
    session: null,
    context: NO_CONTEXT,
    tags: {},
    usage: { inferences: [{ model: null, tokens, promptTokens: null }], uses: {}, thinking: 0, terms: NO_TERMS },
    statedCost: null,
    ...changes,
  };
}

// Figures of a real api_request of Claude Code 2.1.197 and of its bill.
test('the stated cost of Claude Code tells how long cache writes last', () => {
  const call = observed({ input: 1_520, output: 50, cacheWrite: 2_300 }, { statedCost: 30_725_000 });
  const { usage, ...cost } = priceObserved(call, () => card);
  expect(cost).toEqual({ cost: 30_725_000, uncertainUpTo: 0, priceVersion: 'v1' });
  expect(usage?.inferences[0]?.tokens).toEqual({ input: 1_520, output: 50, cacheWrite5m: 300, cacheWrite1h: 2_000 });
});

test('the stated cost of Claude Code tells how many web searches there were', () => {
  const call = observed({ input: 3_920, output: 38, cacheRead: 17_505, cacheWrite: 90 }, { statedCost: 49_865_000 });
  const { usage, cost } = priceObserved(call, () => card);
  expect(cost).toBe(49_865_000);
  expect(usage?.uses).toEqual({ webSearch: 2 });
  expect(usage?.inferences[0]?.tokens).toMatchObject({ cacheWrite5m: 90 });
});

test('a stated cost at other prices is not taken: the longer lifetime of cache writes stays uncertain', () => {
  const call = observed({ input: 1_000, cacheWrite: 1_000 }, { statedCost: 1 });
  expect(priceObserved(call, () => card)).toMatchObject({ cost: 11_250_000, uncertainUpTo: 3_750_000 });
});

test('a model without a price has the stated cost, and none is unknown, never 0', () => {
  const tokens = { input: 1_000 };
  expect(priceObserved(observed(tokens, { statedCost: 77 }), () => null)).toMatchObject({ cost: 77 });
  expect(priceObserved(observed(tokens), () => null)).toMatchObject({ cost: null });
});

test('an event costs what it states', () => {
  const call = observed({ input: 1_000 }, { source: 'usage_event', assistant: null, statedCost: 123 });
  expect(priceObserved(call, () => card)).toMatchObject({ cost: 123, uncertainUpTo: 0, priceVersion: null });
});
