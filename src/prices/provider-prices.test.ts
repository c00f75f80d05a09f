import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { toContractCall } from '../providers/contract/provider-contract.ts';
import { readFacts } from '../providers/contract/replay.ts';
import { PROVIDERS } from '../providers/providers.ts';
import { OutputMaxima } from './output-maxima.ts';
import table from './output-maxima.json' with { type: 'json' };
import { OVERRIDES } from './overrides.ts';
import { createPriceBook } from './price-book.ts';

const NOW = Date.parse('2026-11-21');
const prices = createPriceBook();
const maxima = new OutputMaxima();

test.each(PROVIDERS.map((provider) => [provider.id, provider] as const))(
  '%s has listed prices, or says that only the user has any',
  (_id, { priceProvider, pricesListed }) => {
    expect(prices.list('ws', priceProvider, NOW).length > 0).toBe(pricesListed !== 'never');
  },
);

test.each(PROVIDERS.map((provider) => [provider.id, provider] as const))(
  'no listed model of %s exceeds what the provider says of its largest',
  (_id, { priceProvider, largest }) => {
    for (const { model, contextWindow } of prices.list('ws', priceProvider, NOW)) {
      expect([model, contextWindow ?? 0]).toEqual([
        model,
        Math.min(contextWindow ?? 0, largest.contextWindow ?? Infinity),
      ]);
      const output = maxima.find(priceProvider, model) ?? 0;
      expect([model, output]).toEqual([model, Math.min(output, largest.outputTokens ?? Infinity)]);
    }
  },
);

test.each(
  PROVIDERS.filter(({ pricesListed }) => pricesListed === 'always').map((provider) => [provider.id, provider] as const),
)('the first call of %s has a price, a window and a largest output', (id, provider) => {
  const { path, body } = toContractCall(provider);
  const { model } = readFacts(provider, path, body);
  const { priceProvider, largest } = provider;
  const card = prices.resolve('ws', priceProvider, model, NOW);
  expect(card, `${model}, the model of ${id}'s firstCall, has no price in the list "${priceProvider}"`).not.toBeNull();
  expect(
    largest.contextWindow ?? card?.contextWindow,
    `${model}, the model of ${id}'s firstCall, has no contextWindow: give the row in src/prices/overrides one, or \`largest\` of the provider`,
  ).toBeTypeOf('number');
  expect(
    largest.outputTokens ?? largest.outputOutsideWindow ?? maxima.find(priceProvider, model),
    `${model}, the model of ${id}'s firstCall, has no largest output: give it a row in src/prices/output-maxima.json, or \`largest\` of the provider`,
  ).toBeTypeOf('number');
});

test('every file of overrides is read', () => {
  const files = globSync('src/prices/overrides/*.json').map((path) => basename(path, '.json'));
  expect(OVERRIDES.map(({ file }) => file.provider).toSorted()).toEqual(files.toSorted());
});

test('output maxima belong to price lists of providers', () => {
  const known = new Set(PROVIDERS.map(({ priceProvider }) => priceProvider));
  expect(table.rows.map(({ provider }) => provider).filter((name) => !known.has(name))).toEqual([]);
});
