import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RateCard } from './price.ts';
import { priceLines, priceUsage, roundToNano, sumLines } from './pricing.ts';
import { NO_TERMS, TOKEN_CLASSES, type Inference, type TokenCounts, type Usage } from '../usage/usage.ts';

const CARD: RateCard = {
  provider: 'acme',
  model: 'one',
  from: null,
  until: null,
  tiers: [
    { above: -1, rates: { input: 3_000_000, cacheRead: 300_001, cacheWrite1h: 6_000_000, output: 15_000_000 } },
    { above: 200_000, rates: { input: 6_000_000, cacheRead: 600_001, cacheWrite1h: 12_000_000, output: 22_500_000 } },
  ],
  speeds: { fast: { input: 30_000_000, output: 150_000_000 } },
  tierMultipliers: { batch: { num: 1, den: 2 }, priority: { num: 20, den: 11 } },
  geoMultipliers: { us: { num: 11, den: 10 } },
  fees: { webSearch: 10_000_000_000 },
  contextWindow: 1_000_000,
  version: 'acme/one#1',
  source: 'test',
};
const PLAIN: RateCard = {
  ...CARD,
  model: 'two',
  geoMultipliers: {},
  tierMultipliers: {},
  speeds: {},
  version: 'acme/two#1',
};

const cards: Record<string, RateCard> = { one: CARD, two: PLAIN };
const resolve = (model: string): RateCard | null => cards[model] ?? null;

function inference(tokens: TokenCounts, promptTokens = 1, model: string | null = null): Inference {
  return { model, tokens, promptTokens };
}
function usage(tokens: TokenCounts, more: Partial<Usage> = {}, promptTokens = 1): Usage {
  return { inferences: [inference(tokens, promptTokens)], uses: {}, thinking: 0, terms: NO_TERMS, ...more };
}
const cost = (of: Usage, model = 'one'): number | null => priceUsage(of, model, resolve).cost;

describe('priceUsage', () => {
  it('uses the longer tier strictly above its step, for every token of the request', () => {
    expect(cost(usage({ input: 200_000, output: 1_000 }, {}, 200_000))).toBe(615_000_000);
    expect(cost(usage({ input: 200_001, output: 1_000 }, {}, 200_001))).toBe(1_222_506_000);
  });

  it('chooses the tier by each inference, not by their sum', () => {
    const three = [1, 2, 3].map(() => inference({ input: 90_000 }, 90_000));
    expect(cost(usage({}, { inferences: three }))).toBe(810_000_000);
  });

  it('rounds half up once, over the whole call', () => {
    const half: RateCard = { ...CARD, tiers: [{ above: -1, rates: { input: 1_500, output: 1_400 } }] };
    const price = (tokens: TokenCounts) => priceUsage(usage(tokens), 'x', () => half).cost;
    expect(price({ input: 1 })).toBe(2);
    expect(price({ output: 1 })).toBe(1);
    expect(price({ input: 1, output: 1 })).toBe(3);
  });

  it('multiplies tokens by tier and region together and leaves fees unchanged', () => {
    const terms = { tier: 'batch', speed: null, geo: 'us' };
    expect(cost(usage({ input: 1_000 }, { terms, uses: { webSearch: 2 } }))).toBe(1_650_000 + 20_000_000);
    expect(cost(usage({ input: 1_100 }, { terms: { ...terms, tier: 'priority', geo: null } }))).toBe(6_000_000);
  });

  it('adds the fee of a model that charges per call, whatever the call used', () => {
    const searching: RateCard = { ...PLAIN, fees: { request: 25_000_000_000 } };
    const price = (of: Usage, model = 'x') =>
      priceUsage(of, model, (name) => (name === 'two' ? PLAIN : searching)).cost;
    expect(price(usage({ input: 1_000 }))).toBe(3_000_000 + 25_000_000);
    expect(price(usage({}))).toBe(25_000_000);
    // The fee is of the model that was called, whichever made a pass.
    expect(price(usage({}, { inferences: [inference({ input: 1_000 }, 1, 'two')] }))).toBe(3_000_000 + 25_000_000);
    expect(price(usage({}, { inferences: [inference({ input: 1_000 }, 1, 'x')] }), 'two')).toBe(3_000_000);
    expect(priceLines(usage({ input: 1 }), 'x', () => searching).lines.at(-1)).toMatchObject({
      item: 'request',
      count: 1,
      rate: 25_000_000_000,
    });
    expect(priceLines(usage({ input: 1 }), 'x', () => searching, 3).lines.at(-1)).toMatchObject({ count: 3 });
  });

  it('replaces the rates at a higher speed', () => {
    expect(cost(usage({ input: 1_000 }, { terms: { ...NO_TERMS, speed: 'fast' } }))).toBe(30_000_000);
  });

  it.each(['standard', 'default', 'on_demand', null])('treats tier %s as no change', (tier) => {
    expect(cost(usage({ input: 1_000 }, { terms: { ...NO_TERMS, tier } }))).toBe(3_000_000);
  });

  it('applies a region only if the card has one', () => {
    const terms = { ...NO_TERMS, geo: 'us' };
    expect(cost(usage({ input: 1_000 }, { terms }), 'two')).toBe(3_000_000);
  });

  it('prices each inference at its own model and names both versions', () => {
    const two = [inference({ input: 1_000 }), inference({ output: 1_000 }, 1, 'two')];
    const priced = priceUsage(usage({}, { inferences: two }), 'one', resolve);
    expect(priced.cost).toBe(18_000_000);
    expect(priced.versions).toEqual(['acme/one#1', 'acme/two#1']);
  });

  it.each<[string, Usage, string, string]>([
    ['an unknown model', usage({ input: 1 }), 'three', 'There is no price for "three".'],
    ['a class without a rate', usage({ inputAudio: 1 }), 'one', '"one" has no price for inputAudio.'],
    [
      'an unknown tier',
      usage({ input: 1 }, { terms: { ...NO_TERMS, tier: 'gold' } }),
      'one',
      '"one" has no price at service tier "gold".',
    ],
    [
      'a tier named like a property',
      usage({ input: 1 }, { terms: { ...NO_TERMS, tier: 'constructor' } }),
      'one',
      '"one" has no price at service tier "constructor".',
    ],
    [
      'an unknown speed',
      usage({ input: 1 }, { terms: { ...NO_TERMS, speed: 'fast' } }),
      'two',
      '"two" has no price at speed "fast".',
    ],
    [
      'a speed named like a property',
      usage({ input: 1 }, { terms: { ...NO_TERMS, speed: 'toString' } }),
      'one',
      '"one" has no price at speed "toString".',
    ],
    [
      'an unknown geography',
      usage({ input: 1 }, { terms: { ...NO_TERMS, geo: 'mars' } }),
      'one',
      '"one" has no price in geography "mars".',
    ],
    [
      'a use without a fee',
      usage({ input: 1 }, { uses: { fileSearch: 1 } }),
      'one',
      '"one" has no price for fileSearch.',
    ],
    ['a use of an unknown model', usage({}, { uses: { webSearch: 1 } }), 'three', 'There is no price for "three".'],
    ['a count that is no whole number', usage({ input: 1.5 }), 'one', 'The count of input is not a whole number.'],
    ['a negative count', usage({ input: -1 }), 'one', 'The count of input is not a whole number.'],
    ['more money than there is', usage({ input: 2 ** 53 - 1 }), 'one', 'The usage costs more than an entry can hold.'],
  ])('has no cost, never 0, for %s', (_, of, model, missing) => {
    expect(priceUsage(of, model, resolve)).toMatchObject({ cost: null, versions: [], missing });
  });

  it('costs nothing if nothing was used', () => {
    expect(priceUsage(usage({}), 'one', resolve)).toMatchObject({ cost: 0, versions: ['acme/one#1'], missing: null });
    expect(priceUsage(usage({}), 'three', resolve)).toMatchObject({ cost: 0, versions: [], missing: null });
  });

  it('shortens a long name in a response', () => {
    expect(priceUsage(usage({ input: 1 }), 'x'.repeat(10_000), resolve).missing?.length).toBeLessThan(150);
  });
});

const count = fc.oneof(fc.nat(1_000), fc.nat(2_000_000), fc.constant(1_000_000_000_000));
const tokens = fc.record({ input: count, cacheRead: count, cacheWrite1h: count, output: count });
const terms = fc.record({
  tier: fc.constantFrom(null, 'batch', 'priority'),
  speed: fc.constant(null),
  geo: fc.constantFrom(null, 'us', 'global'),
});
const anyUsage = fc.record({
  inferences: fc.array(fc.record({ model: fc.constant(null), tokens, promptTokens: fc.nat(400_000) }), {
    minLength: 1,
    maxLength: 4,
  }),
  uses: fc.record({ webSearch: fc.nat(100) }),
  thinking: fc.constant(0),
  terms,
});

/** The rule once more, in nothing but bigint. */
function referenceCost({ inferences, uses, terms: { tier, geo } }: Usage): bigint {
  const [num, den] = [
    (tier === 'priority' ? 20n : 1n) * (geo === 'us' ? 11n : 1n),
    (tier === 'priority' ? 11n : tier === 'batch' ? 2n : 1n) * (geo === 'us' ? 10n : 1n),
  ];
  let pico = 0n;
  for (const { tokens: used, promptTokens } of inferences) {
    const rates = CARD.tiers[(promptTokens ?? 0) > 200_000 ? 1 : 0]?.rates ?? {};
    for (const name of TOKEN_CLASSES) pico += BigInt(used[name] ?? 0) * BigInt(rates[name] ?? 0);
  }
  const scaled = pico * num + BigInt(uses.webSearch ?? 0) * 10_000_000_000n * den;
  return (scaled * 2n + den * 1_000n) / (den * 2_000n);
}

describe('the exact sum', () => {
  it('the rounded sum of the lines equals the cost, at any size', () => {
    fc.assert(
      fc.property(anyUsage, (of) => {
        const rounded = BigInt(roundToNano(sumLines(priceLines(of, 'one', resolve).lines)));
        expect(rounded).toBe(referenceCost(of));
        const priced = cost(of);
        if (rounded <= 9_000_000_000_000_000n) expect(priced).toBe(Number(rounded));
        else expect(priced).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order of inferences', () => {
    fc.assert(
      fc.property(anyUsage, (of) => {
        expect(cost({ ...of, inferences: of.inferences.toReversed() })).toBe(cost(of));
      }),
    );
  });

  it('never falls when tokens are added', () => {
    fc.assert(
      fc.property(
        tokens,
        fc.constantFrom('input', 'cacheRead', 'cacheWrite1h', 'output'),
        fc.nat(1_000),
        terms,
        (of, name, more, on) => {
          const before = roundToNano(sumLines(priceLines(usage(of, { terms: on }), 'one', resolve).lines));
          const grown = usage({ ...of, [name]: of[name] + more }, { terms: on });
          const after = roundToNano(sumLines(priceLines(grown, 'one', resolve).lines));
          expect(BigInt(after)).toBeGreaterThanOrEqual(BigInt(before));
        },
      ),
    );
  });
});

it('is the same with and without its lines', () => {
  const anyCount = fc.oneof(fc.nat(300_000), fc.constantFrom(-1, 0.5, NaN, 2 ** 53 - 1, 2 ** 60));
  const someTokens = fc.dictionary(fc.constantFrom(...TOKEN_CLASSES), anyCount, { maxKeys: 4 });
  const word = (...words: string[]) => fc.constantFrom(null, ...words);
  const someTerms = fc.record({
    tier: word('standard', 'batch', 'nothing'),
    speed: word('standard', 'fast', 'nothing'),
    geo: word('global', 'us', 'nothing'),
  });
  const pass = fc.record({
    model: word('one', 'two', 'three'),
    tokens: someTokens,
    promptTokens: fc.constantFrom(null, 1, 200_001),
  });
  fc.assert(
    fc.property(pass, someTerms, fc.constantFrom('one', 'two', 'three'), (one, words, model) => {
      const single: Usage = { inferences: [one], uses: {}, thinking: 0, terms: words };
      // An empty pass of the same model adds nothing but makes it two.
      const double: Usage = { ...single, inferences: [one, { model: one.model, tokens: {}, promptTokens: 1 }] };
      expect(priceUsage(single, model, resolve)).toEqual(priceUsage(double, model, resolve));
    }),
  );
});
