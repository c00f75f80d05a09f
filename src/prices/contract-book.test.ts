import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundCall } from '../domain/limits/cost-bound.ts';
import { NO_DEMAND } from '../domain/limits/demand.ts';
import type { PriceContract } from '../domain/pricing/contract.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import type { Usage } from '../domain/usage/usage.ts';
import { rateCard } from '../../test/support/temporary-records.ts';
import { ContractBook } from './contract-book.ts';
import { readContract } from './price-schema.ts';

const CALL = { workspaceId: 'ws', provider: 'openai', keyId: 'key_1', tags: { team: 'a' } };
const NOW = Date.UTC(2026, 10, 1);
const card = rateCard('gpt-5', {
  tiers: [{ above: -1, rates: { input: 1_250_000, cacheRead: 125_000, output: 10_000_000 } }],
  fees: { webSearch: 10_000_000_001 },
});
let made = 0;
const contract = (input: object): PriceContract => {
  made += 1;
  return { ...readContract(input), id: `contract_${String(made).padStart(4, '0')}`, workspaceId: 'ws' };
};
const bookOf = (...inputs: object[]): ContractBook => {
  const book = new ContractBook();
  book.set(inputs.map(contract));
  return book;
};
const multiplierAt = (book: ContractBook, call = CALL, model = 'gpt-5', at = NOW): number => {
  const { num, den } = book.at(call, model, card, at)?.contractMultiplier ?? { num: 1, den: 1 };
  return num / den;
};

describe('a contract is about', () => {
  test.each<[string, object, number]>([
    ['every call without a scope', {}, 0.5],
    ['a provider', { provider: 'openai' }, 0.5],
    ['no other provider', { provider: 'google' }, 1],
    ['models of a pattern', { model: 'gpt-*' }, 0.5],
    ['no other model', { model: 'gpt-4*' }, 1],
    ['a key', { keyId: 'key_1' }, 0.5],
    ['no other key', { keyId: 'key_2' }, 1],
    ['a tag', { tag: 'TEAM=a' }, 0.5],
    ['no other value of a tag', { tag: 'team=b' }, 1],
    ['calls from its start on', { from: '2026-11-01' }, 0.5],
    ['no earlier calls', { from: '2026-11-02' }, 1],
    ['calls before its end', { until: '2026-11-02' }, 0.5],
    ['no later calls', { until: '2026-11-01' }, 1],
  ])('%s', (_what, scope, multiplier) => {
    expect(multiplierAt(bookOf({ ...scope, multiplier: '0.5' }))).toBe(multiplier);
  });

  test('no call of another workspace', () => {
    expect(multiplierAt(bookOf({ multiplier: '0.5' }), { ...CALL, workspaceId: 'other' })).toBe(1);
  });

  test('a snapshot of its model', () => {
    expect(multiplierAt(bookOf({ model: 'gpt-5', multiplier: '0.5' }), CALL, 'gpt-5-2026-01-01')).toBe(0.5);
  });
});

test('the narrowest contract applies alone, and of two alike the one that starts later', () => {
  const all = [
    { multiplier: '0.9' },
    { provider: 'openai', multiplier: '0.8' },
    { model: 'gpt-5', multiplier: '0.7' },
    { tag: 'team=a', multiplier: '0.6' },
    { keyId: 'key_1', from: '2026-10-01', multiplier: '0.5' },
    { keyId: 'key_1', multiplier: '0.4' },
  ];
  for (let count = all.length; count > 0; count -= 1) {
    const wanted = Number(all[count - 1]?.multiplier);
    expect(multiplierAt(bookOf(...all.slice(0, count)))).toBe(count === all.length ? 0.5 : wanted);
  }
});

test('fixed rates hold at every length; other classes and fees stay as listed', () => {
  const long = { above: 200_000, rates: { input: 2_500_000, output: 15_000_000 } };
  const listed = { ...card, tiers: [...card.tiers, long] };
  const own = bookOf({ usdPerMillion: { input: '1' } }).at(CALL, 'gpt-5', listed, NOW);
  expect(own?.tiers.map(({ rates }) => rates)).toEqual([
    { input: 1_000_000, cacheRead: 125_000, output: 10_000_000 },
    { input: 1_000_000, output: 15_000_000 },
  ]);
  expect(own?.fees).toEqual(card.fees);
});

test('a model that no list has gets a price from fixed rates only', () => {
  expect(bookOf({ multiplier: '0.5' }).at(CALL, 'own-model', null, NOW)).toBeNull();
  const own = bookOf({ usdPerMillion: { input: '1', output: '2' } }).at(CALL, 'own-model', null, NOW);
  expect(own?.tiers[0]?.rates).toEqual({ input: 1_000_000, output: 2_000_000 });
});

test('a fee is rounded half up to a whole pico-dollar', () => {
  expect(bookOf({ multiplier: '0.5' }).at(CALL, 'gpt-5', card, NOW)?.fees).toEqual({ webSearch: 5_000_000_001 });
});

test('while a contract begins or ends, the prices before and after may both be paid', () => {
  const book = bookOf({ from: '2026-11-02', until: '2026-11-03', multiplier: '0.5' });
  const multipliers = (fromMs: number, untilMs: number): number[] =>
    book.between(CALL, 'gpt-5', [card], { fromMs, untilMs }).map((each) => each.contractMultiplier?.num ?? 2);
  const [begin, end] = [Date.UTC(2026, 10, 2), Date.UTC(2026, 10, 3)];
  expect(multipliers(begin - 2, begin - 1)).toEqual([2]);
  expect(multipliers(begin - 1, begin)).toEqual([2, 1]);
  expect(multipliers(begin, end - 1)).toEqual([1]);
  expect(multipliers(end - 1, end + 1)).toEqual([1, 2]);
});

test('cards are remembered, so that repeated calls of a model make no new ones', () => {
  const book = bookOf({ multiplier: '0.5' });
  expect(book.at(CALL, 'gpt-5', card, NOW)).toBe(book.at(CALL, 'gpt-5', card, NOW));
});

const rate = fc.nat(50_000_000);
const count = fc.nat(300_000);
const usages = fc.record({ input: count, cacheRead: count, output: fc.integer({ min: 1, max: 100_000 }) });
const factors = fc.tuple(fc.nat(10_000), fc.integer({ min: 1, max: 10_000 }));
const usageOf = (tokens: Usage['inferences'][number]['tokens']): Usage => {
  const promptTokens = (tokens.input ?? 0) + (tokens.cacheRead ?? 0);
  const terms = { tier: null, speed: null, geo: null };
  return { inferences: [{ model: null, tokens, promptTokens }], uses: {}, thinking: 0, terms };
};

test('a contracted cost is the exact multiple of the list price, rounded half up once', () => {
  fc.assert(
    fc.property(usages, fc.tuple(rate, rate, rate), factors, (tokens, [input, cacheRead, output], [num, den]) => {
      const listed: RateCard = { ...card, tiers: [{ above: -1, rates: { input, cacheRead, output } }] };
      const own = bookOf({ multiplier: `${num}/${den}` }).at(CALL, 'gpt-5', listed, NOW);
      const pico = BigInt(tokens.input * input) + BigInt(tokens.cacheRead * cacheRead) + BigInt(tokens.output * output);
      const [above, below] = [pico * BigInt(num), BigInt(den) * 1_000n];
      const exact = (above * 2n + below) / (below * 2n);
      const { cost } = priceUsage(usageOf(tokens), 'gpt-5', () => own);
      expect(cost).toBe(exact > 9_000_000_000_000_000n ? null : Number(exact));
    }),
  );
});

test('a hold by contracted prices is never below the contracted cost', () => {
  fc.assert(
    fc.property(usages, fc.tuple(rate, rate, rate), factors, (tokens, [input, cacheRead, output], [num, den]) => {
      const listed: RateCard = { ...card, tiers: [{ above: -1, rates: { input, cacheRead, output } }] };
      const book = bookOf({ multiplier: `${num}/${den}` });
      const cards = book.between(CALL, 'gpt-5', [listed], { fromMs: NOW, untilMs: NOW });
      const prompt = tokens.input + tokens.cacheRead;
      const { hold } = boundCall(
        { ...NO_DEMAND, outputMax: tokens.output },
        [{ cards, outputMax: null }],
        { geo: null, tier: null },
        {
          inputTokens: prompt,
        },
      );
      const { cost } = priceUsage(usageOf(tokens), 'gpt-5', () => cards[0] ?? null);
      expect(hold.usd).toBeGreaterThanOrEqual(cost ?? 0);
    }),
  );
});
