import { describe, expect, it } from 'vitest';
import { OVERRIDES } from './overrides.ts';
import { createPriceBook } from './price-book.ts';

describe('the built-in overrides', () => {
  it('patch only models that have a price', () => {
    const book = createPriceBook();
    const strangers = OVERRIDES.flatMap(({ file: { provider, patches = [] } }) =>
      patches.flatMap(({ models }) =>
        models.filter((name) => name !== '*' && !book.resolve('ws', provider, name, Date.parse('2026-11-21'))),
      ),
    );
    expect(strangers).toEqual([]);
  });

  it('name a source for every row', () => {
    for (const { prices, patches = [], withdrawn = [] } of OVERRIDES.map(({ file }) => file))
      for (const { source } of [...prices, ...patches, ...withdrawn])
        expect(source).toMatch(/https:\/\/|release notes of \S+\/\S+/);
  });

  it.each([
    ['openai', 'gpt-4.1', 1_047_576],
    ['openai', 'gpt-4.1-nano-2025-04-14', 1_047_576],
    ['openai', 'gpt-5.5', 1_050_000],
    ['openai', 'gpt-4-32k', 32_768],
    ['openai', 'gpt-4o', 128_000],
    ['anthropic', 'claude-opus-5', 1_000_000],
    ['google', 'gemini-3.5-flash', 1_048_576],
    ['google', 'gemini-2.5-flash-lite', 1_048_576],
    ['google', 'gemini-2.5-flash-preview-tts', 32_768],
    ['perplexity', 'sonar', 131_072],
    ['openrouter', 'deepseek/deepseek-r1', 163_840],
  ])('give %s %s a window that is not smaller than the provider’s', (provider, model, tokens) => {
    expect(createPriceBook().resolve('ws', provider, model, Date.parse('2026-11-21'))?.contextWindow).toBe(tokens);
  });

  it('leave no listed model of Google with a window that was rounded down', () => {
    const cards = createPriceBook().list('ws', 'google', Date.parse('2026-11-21'));
    const rounded = cards.filter(({ contextWindow }) => contextWindow !== null && contextWindow % 1_000 === 0);
    expect(rounded.map(({ model }) => model)).toEqual([]);
  });

  /** USD per million: input, cache read, cache write (5 minutes where it has a lifetime), 1-hour write, output. */
  type Figures = readonly [number, number, number | null, number | null, number];

  it.each<[string, string, string, number, Figures]>([
    ['anthropic', 'claude-fable-5-2', '2026-11-21', 1, [8, 0.2, 10, 16, 40]],
    ['anthropic', 'claude-mythos-5-1', '2026-11-21', 1, [10, 0.25, 12.5, 20, 50]],
    ['anthropic', 'claude-mythos-5', '2026-11-21', 1, [10, 1, 12.5, 20, 50]],
    ['anthropic', 'claude-sonnet-5-5', '2026-10-06', 1, [2, 0.2, 2.5, 4, 10]],
    ['anthropic', 'claude-sonnet-5-5', '2026-10-07', 1, [2, 0.1, 2.5, 4, 10]],
    ['anthropic', 'claude-haiku-5-5', '2026-11-21', 100_000, [0.1, 0.01, 0.125, 0.2, 0.5]],
    ['anthropic', 'claude-haiku-5-5', '2026-11-21', 100_001, [0.5, 0.05, 0.625, 1, 2.5]],
    ['anthropic', 'claude-sonnet-4-20250514', '2025-10-01', 200_000, [3, 0.3, 3.75, 6, 15]],
    ['anthropic', 'claude-sonnet-4-20250514', '2025-10-01', 200_001, [6, 0.6, 7.5, 12, 22.5]],
    ['google', 'gemini-4-argon', '2026-11-30', 1, [2, 0.1, null, null, 10]],
    ['google', 'gemini-4-argon', '2026-12-01', 1, [4, 0.2, null, null, 20]],
    ['google', 'gemini-1.5-flash-8b', '2025-01-01', 128_000, [0.0375, 0.01, null, null, 0.15]],
    ['google', 'gemini-1.5-flash-8b', '2025-01-01', 128_001, [0.075, 0.02, null, null, 0.3]],
    ['google', 'gemini-1.5-pro-002', '2025-01-01', 128_000, [1.25, 0.3125, null, null, 5]],
    ['google', 'gemini-1.5-pro-002', '2025-01-01', 128_001, [2.5, 0.625, null, null, 10]],
    ['openai', 'gpt-6.1-sol', '2026-11-21', 272_000, [2, 0.1, 2.5, null, 10]],
    ['openai', 'gpt-6.1-sol', '2026-11-21', 272_001, [4, 0.2, 5, null, 15]],
    ['openai', 'gpt-6.1-terra', '2026-11-21', 272_000, [1, 0.05, 1.25, null, 5]],
    ['openai', 'gpt-6.1-terra', '2026-11-21', 272_001, [2, 0.1, 2.5, null, 7.5]],
    ['openai', 'o3', '2025-06-09', 1, [10, 2.5, 10, null, 40]],
    ['openai', 'o3', '2025-06-10', 1, [2, 0.5, 2, null, 8]],
  ])('give %s %s on %s at %i prompt tokens its published figures', (provider, model, date, prompt, figures) => {
    const card = createPriceBook().resolve('ws', provider, model, Date.parse(date));
    const rates = card?.tiers.findLast((tier) => prompt > tier.above)?.rates ?? {};
    const write = rates.cacheWrite5m ?? rates.cacheWrite;
    const shown = [rates.input, rates.cacheRead, write, rates.cacheWrite1h, rates.output];
    expect(shown.map((rate) => (rate === undefined ? null : rate / 1e6))).toEqual(figures);
  });

  it.each([
    ['claude-opus-5', [10, 1, 12.5, 20, 50]],
    ['claude-opus-4-8', [10, 1, 12.5, 20, 50]],
    ['claude-opus-5-5', [8, 0.4, 10, 16, 40]],
    ['claude-opus-4-6', [30, 3, 37.5, 60, 150]],
  ])('give %s its fast price, cache multipliers applied to it', (model, figures) => {
    const rates = createPriceBook().resolve('ws', 'anthropic', model, Date.parse('2026-11-21'))?.speeds['fast'] ?? {};
    const shown = [rates.input, rates.cacheRead, rates.cacheWrite5m, rates.cacheWrite1h, rates.output];
    expect(shown.map((rate) => (rate ?? Number.NaN) / 1e6)).toEqual(figures);
  });

  it.each([
    [
      2,
      [
        'gpt-5',
        'gpt-5-codex',
        'gpt-5.1',
        'gpt-5.1-codex-max',
        'gpt-5.2',
        'gpt-5.2-codex',
        'gpt-5.3-codex',
        'gpt-5.4',
        'gpt-5.4-mini',
        'gpt-5.6-sol',
        'gpt-5.6-terra',
        'gpt-5.6-luna',
        'gpt-6-astra',
        'gpt-6.1-sol',
        'gpt-4.1-nano',
      ],
    ],
    [2.5, ['gpt-5.5']],
    [1.8, ['gpt-5-mini', 'gpt-5.1-codex-mini']],
    [1.75, ['gpt-4.1', 'gpt-4.1-mini', 'o3']],
    [1.7, ['gpt-4o', 'gpt-4o-2024-11-20']],
  ])('multiply by %d at OpenAI priority', (factor, models) => {
    const book = createPriceBook();
    for (const model of models) {
      const { num, den } = book.resolve('ws', 'openai', model, Date.parse('2026-11-21'))?.tierMultipliers[
        'priority'
      ] ?? { num: 0, den: 1 };
      expect([model, num / den]).toEqual([model, factor]);
    }
  });

  const now = Date.parse('2026-11-24');
  const inputRate = (provider: string, model: string) =>
    createPriceBook().resolve('ws', provider, model, now)?.tiers[0]?.rates.input ?? null;

  it('list every newer Claude at Bedrock: at the price of its vendor in the global profile, 10% more elsewhere', () => {
    const newer = createPriceBook()
      .list('ws', 'anthropic', now)
      .map(({ model }) => model)
      .filter((model) => /^claude-[a-z]+-(?:4-[5-9]|[5-9])/.test(model));
    expect(newer.length).toBeGreaterThan(15);
    for (const model of newer) {
      const own = inputRate('anthropic', model) ?? Number.NaN;
      const there = ['global.', '', 'us.', 'eu.', 'jp.'].map((place) => inputRate('aws', `${place}anthropic.${model}`));
      expect([model, ...there]).toEqual([model, own, ...Array.from({ length: 4 }, () => (own * 11) / 10)]);
    }
  });

  it('have 10% more for every Gemini since 3 and every Claude since 4.5 in the regions of Vertex AI', () => {
    const newer = createPriceBook()
      .list('ws', 'vertex', now)
      .filter(({ model }) => /^(?:gemini-[3-9]|claude-[a-z]+-(?:4-[5-9]|[5-9]))/.test(model));
    expect(newer.length).toBeGreaterThan(25);
    for (const { model, geoMultipliers } of newer)
      expect([model, geoMultipliers['regional']]).toEqual([model, { num: 11, den: 10 }]);
  });
});
