import { expect, test } from 'vitest';
import { PROVIDERS } from '../providers/providers.ts';
import { createPriceBook } from './price-book.ts';
import { parseFetched } from './refresh-cards.ts';

const NOW = Date.parse('2026-11-28');
const LISTS = [...new Set(PROVIDERS.map(({ priceProvider }) => priceProvider))];
/**
 * Least share of listed models with a price, in percent. The lists below 95 have models with a charge that one rate per class can't tell
 * or that no response reports.
 */
const LEAST: Readonly<Record<string, number>> = { qwen: 78, 'x-ai': 91 };

test.each(LISTS)('most models that %s lists have a price', (provider) => {
  const listed = createPriceBook().listed(provider, NOW);
  const priced = listed.filter(({ hasPrice }) => hasPrice).length;
  expect((100 * priced) / (listed.length || 1)).toBeGreaterThanOrEqual(
    listed.length === 0 ? 0 : (LEAST[provider] ?? 95),
  );
});

test('models that are retired or have no route have no price and do not count as listed', () => {
  const book = createPriceBook();
  const withdrawn = { models: ['gpt-4o'], reason: 'retired', source: 'test' };
  const fetched = parseFetched(
    JSON.stringify({
      source: 'https://prices.example',
      fetchedAt: NOW,
      files: [{ provider: 'openai', prices: [], withdrawn: [withdrawn] }],
    }),
  );
  const before = book.listed('openai', NOW).length;
  book.setRefreshed(fetched.files);
  expect(book.listed('openai', NOW)).toHaveLength(before - 1);
  expect(book.resolve('ws', 'openai', 'gpt-4o', NOW)).toBeNull();
});
