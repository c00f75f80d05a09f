import { expect, test } from 'vitest';
import type { PriceShape } from '../../../../src/contract/prices.ts';
import { findPrices, findRate } from './rates.ts';

function price(provider: string, model: string): PriceShape {
  return {
    provider,
    model,
    from: null,
    until: null,
    usdPerMillion: {},
    longPrompts: [],
    speeds: {},
    tierMultipliers: {},
    geoMultipliers: {},
    fees: {},
    contextWindow: null,
    version: 'v',
    source: 's',
  };
}

test('a class without a price is unknown and never 0, and a price of 0 is 0', () => {
  expect(findRate({ input: 3 }, 'output')).toBeNull();
  expect(findRate({ input: 0 }, 'input')).toBe(0);
  expect(findRate({ cacheWrite: 4 }, 'cacheWrite5m', 'cacheWrite')).toBe(4);
});

test('prices are found by provider and by part of the name, in any letter case', () => {
  const prices = [price('anthropic', 'claude-opus-4-8'), price('openai', 'gpt-5-mini'), price('google', 'gemini-mini')];
  expect(findPrices(prices, { find: 'MINI' }).map(({ model }) => model)).toEqual(['gpt-5-mini', 'gemini-mini']);
  expect(findPrices(prices, { provider: 'google', find: 'mini' })).toHaveLength(1);
  expect(findPrices(prices, {})).toHaveLength(3);
});
