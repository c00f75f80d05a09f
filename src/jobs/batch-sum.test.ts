import { expect, test } from 'vitest';
import { usageOf } from '../../test/test-ledger.ts';
import { BATCH_TIER } from '../domain/pricing/batch-card.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import { createPriceBook } from '../prices/price-book.ts';
import { BatchSum } from './batch-sum.ts';

const MODEL = 'claude-opus-4-6';
const prices = createPriceBook();
const resolve = (model: string) => prices.resolve('ws', 'anthropic', model, Date.parse('2026-10-20'));

/** Adds up results from these geographies. */
function sumOf(...geos: (string | null)[]): BatchSum {
  const sum = new BatchSum();
  for (const geo of geos) {
    const plain = usageOf(1_000, 100);
    const usage = { ...plain, terms: { ...plain.terms, tier: BATCH_TIER, geo } };
    const { versions, ...priced } = priceUsage(usage, MODEL, resolve);
    const cost = priced.cost ?? Number.NaN;
    sum.add(usage, MODEL, { cost, list: cost, contracted: cost, versions }, () => []);
  }
  return sum;
}

test('the usage of a batch has the price of its results in their geography', () => {
  for (const sum of [sumOf('us', 'us'), sumOf(null, 'global'), sumOf(null)])
    expect(priceUsage(sum.usage, MODEL, resolve).cost).toBe(sum.cost);
  expect(sumOf('us').cost).toBeGreaterThan(sumOf('global').cost);
});

test('the usage of a batch with results from several geographies has no price', () => {
  expect(priceUsage(sumOf('us', null, 'us').usage, MODEL, resolve).cost).toBeNull();
});
