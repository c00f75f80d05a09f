import { expect, test } from 'vitest';
import { PROVIDERS } from '../providers/providers.ts';
import { createPriceBook, soldByUnit } from './price-book.ts';
import { parseFetched } from './refresh-cards.ts';

const NOW = Date.parse('2026-11-28');
const LISTS = [...new Set(PROVIDERS.map(({ priceProvider }) => priceProvider))];
/**
 * Least share of models sold by unit that have a price, in percent. Alibaba charges more for the output of models that think, and for
 * some cached tokens, which one rate per class can't tell.
 */
const LEAST: Readonly<Record<string, number>> = { openai: 99, google: 99, anthropic: 99, qwen: 78 };

test.each(LISTS)('most models that %s lists have a price', (provider) => {
  const listed = soldByUnit(createPriceBook().listed(provider, NOW));
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
  const count = () => soldByUnit(book.listed('openai', NOW)).length;
  const before = count();
  book.setRefreshed(fetched.files);
  expect(count()).toBe(before - 1);
  expect(book.resolve('ws', 'openai', 'gpt-4o', NOW)).toBeNull();
});
