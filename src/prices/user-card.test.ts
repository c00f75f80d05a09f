import { describe, expect, it } from 'vitest';
import { TollbookError } from '../domain/errors.ts';
import { userCard } from './price-schema.ts';

const BASE = { provider: 'openai', model: 'gpt-4o', usdPerMillion: { input: '2.25', output: '9' } };

describe('a custom price', () => {
  it('is read exactly from decimal text', () => {
    const card = userCard({
      ...BASE,
      from: '2026-11-01',
      until: '2027-01-01T00:00:00Z',
      longPrompts: [{ above: 200_000, usdPerMillion: { input: '4.5', output: '13.500001' } }],
      speeds: { fast: { input: '9' } },
      tierMultipliers: { batch: '0.5', priority: '5/3' },
      geoMultipliers: { eu: '1.1' },
      fees: { webSearch: '0.01' },
      contextWindow: 128_000,
    });
    expect(card).toMatchObject({
      from: Date.UTC(2026, 10, 1),
      until: Date.UTC(2027, 0, 1),
      tiers: [
        { above: -1, rates: { input: 2_250_000, output: 9_000_000 } },
        { above: 200_000, rates: { input: 4_500_000, output: 13_500_001 } },
      ],
      speeds: { fast: { input: 9_000_000 } },
      tierMultipliers: { batch: { num: 1, den: 2 }, priority: { num: 5, den: 3 } },
      geoMultipliers: { eu: { num: 11, den: 10 } },
      fees: { webSearch: 10_000_000_000 },
      contextWindow: 128_000,
      source: 'user',
    });
    expect(card.version).toMatch(/^user\/gpt-4o\/2026-11-01#[0-9a-f]{8}$/);
  });

  it('has no price for classes that it does not name', () => {
    expect(userCard(BASE).tiers[0]?.rates).toEqual({ input: 2_250_000, output: 9_000_000 });
    expect(userCard(BASE).fees).toEqual({});
  });

  it('has the same version only for the same content', () => {
    const reordered = { usdPerMillion: { output: '9.0', input: '2.250' }, model: 'gpt-4o', provider: 'openai' };
    expect(userCard(reordered).version).toBe(userCard(BASE).version);
    const others = [
      { ...BASE, provider: 'azure' },
      { ...BASE, usdPerMillion: { input: '2.26', output: '9' } },
      { ...BASE, fees: { webSearch: '0' } },
      { ...BASE, until: '2027-01-01' },
    ];
    expect(new Set([BASE, ...others].map((each) => userCard(each).version)).size).toBe(5);
  });

  it.each<[string, unknown, string]>([
    ['nothing', null, ''],
    ['a number for a price', { ...BASE, usdPerMillion: { input: 2 } }, 'usdPerMillion.input'],
    ['a negative price', { ...BASE, usdPerMillion: { input: '-2' } }, 'usdPerMillion.input'],
    ['a price finer than a pico-dollar', { ...BASE, usdPerMillion: { input: '0.0000001' } }, 'usdPerMillion.input'],
    ['a price beyond reason', { ...BASE, usdPerMillion: { input: '5000.01' } }, 'usdPerMillion.input'],
    ['no class at all', { ...BASE, usdPerMillion: {} }, 'usdPerMillion'],
    ['an unknown class', { ...BASE, usdPerMillion: { inputs: '1' } }, 'usdPerMillion'],
    ['an unknown field', { ...BASE, discount: '10' }, ''],
    // It would apply all day.
    ['hours of the day', { ...BASE, daily: { from: '01:00', until: '05:00' } }, ''],
    [
      'a longer tier with other classes',
      { ...BASE, longPrompts: [{ above: 1, usdPerMillion: { input: '1' } }] },
      'longPrompts',
    ],
    ['a date that is none', { ...BASE, from: '2026-13-01' }, 'from'],
    ['an empty period', { ...BASE, from: '2026-11-02', until: '2026-11-02' }, 'until'],
    ['a multiplier that is none', { ...BASE, tierMultipliers: { batch: 'half' } }, 'tierMultipliers.batch'],
    ['a multiplier by nothing', { ...BASE, tierMultipliers: { batch: '1/0' } }, 'tierMultipliers.batch'],
    ['a model with a space', { ...BASE, model: 'gpt 4o' }, 'model'],
    ['an endless model name', { ...BASE, model: 'x'.repeat(201) }, 'model'],
  ])('is refused with the field’s name: %s', (_, input, param) => {
    let refused: unknown;
    try {
      userCard(input);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(TollbookError);
    expect(refused).toMatchObject({ type: 'invalid', param: param === '' ? undefined : param });
    expect((refused as TollbookError).message).toMatch(/^A price is not valid.*[^.]\.$/);
  });
});

it('of Gemini or any other provider keeps what the price list says of a service tier', () => {
  const input = { ...BASE, tierMultipliers: { batch: '0.5' } };
  const exceptions = { batch: ['cacheRead'] } as const;
  const card = userCard(input, () => exceptions);
  expect(card.tierExceptions).toEqual(exceptions);
  expect(card.version).not.toBe(userCard(input).version);
});
