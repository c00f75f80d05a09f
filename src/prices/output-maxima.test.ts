import { describe, expect, it } from 'vitest';
import { OutputMaxima } from './output-maxima.ts';
import table from './output-maxima.json' with { type: 'json' };
import { createPriceBook } from './price-book.ts';

const maxima = new OutputMaxima();

describe('the largest output of a model', () => {
  it.each<[string, string, number | null]>([
    ['anthropic', 'claude-opus-5', 128_000],
    ['anthropic', 'claude-sonnet-4-5-20250929', 64_000],
    ['anthropic', 'us.anthropic.claude-opus-4-1-20250805-v1:0', 32_000],
    ['anthropic', 'claude-opus-4-8[1m]', 128_000],
    ['anthropic', 'claude-3-7-sonnet-latest', 128_000],
    ['google', 'models/gemini-2.5-flash', 65_536],
    ['google', 'gemini-3.8-flash', 65_536],
    ['google', 'gemini-2.5-flash-preview-tts', 16_384],
    ['google', 'gemini-2.5-pro-preview-tts', 16_384],
    ['openai', 'gpt-4o-2024-11-20', 16_384],
    ['openai', 'gpt-4o-2024-05-13', 4_096],
    ['openai', 'gpt-5.4-mini-2026-03-17', 128_000],
  ])('%s %s: %d', (provider, model, tokens) => {
    expect(maxima.find(provider, model)).toBe(tokens);
    expect(maxima.find(provider, model)).toBe(tokens);
  });

  it.each([
    ['anthropic', 'claude-opus-5-7'],
    ['anthropic', 'gpt-4o'],
    ['openai', 'gpt-5.4-tiny'],
    ['openai', 'constructor'],
    ['google', 'gemini-4-argon'],
    ['google', 'g'.repeat(500)],
    ['groq', 'llama-3.3-70b'],
  ])('is not guessed for %s %s', (provider, model) => {
    expect(maxima.find(provider, model)).toBeNull();
  });

  it('is cached for a bounded number of names', () => {
    const small = new OutputMaxima();
    for (let index = 0; index < 25_000; index++) small.find('openai', `made-up-${index}`);
    expect(small.find('openai', 'gpt-4o')).toBe(16_384);
  });
});

describe('the table', () => {
  it('has a date, a source for every row, and each model once', () => {
    expect(Date.parse(table.read)).not.toBeNaN();
    const names = table.rows.flatMap(({ provider, models }) => models.map((model) => `${provider}/${model}`));
    expect(new Set(names).size).toBe(names.length);
    for (const { source, tokens } of table.rows) {
      expect(source).toMatch(/^https:\/\//);
      expect(tokens).toBeGreaterThan(0);
    }
  });

  it('never exceeds the context window', () => {
    const prices = createPriceBook();
    for (const { provider, models, tokens } of table.rows)
      for (const model of models) {
        const card = prices.resolve('ws', provider, model, Date.parse('2026-11-21'));
        expect(tokens, model).toBeLessThanOrEqual(card?.contextWindow ?? Number.MAX_SAFE_INTEGER);
      }
  });
});
