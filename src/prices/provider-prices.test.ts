import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
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
      const output = maxima.of(priceProvider, model) ?? 0;
      expect([model, output]).toEqual([model, Math.min(output, largest.outputTokens ?? Infinity)]);
    }
  },
);

test('every file of overrides is read', () => {
  const files = globSync('src/prices/overrides/*.json').map((path) => basename(path, '.json'));
  expect(OVERRIDES.map(({ file }) => file.provider).toSorted()).toEqual(files.toSorted());
});

test('output maxima are of price lists that a provider has', () => {
  const known = new Set(PROVIDERS.map(({ priceProvider }) => priceProvider));
  expect(table.rows.map(({ provider }) => provider).filter((name) => !known.has(name))).toEqual([]);
});
