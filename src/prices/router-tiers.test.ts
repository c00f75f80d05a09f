import { describe, expect, it } from 'vitest';
import type { LengthTier } from '../domain/pricing/price.ts';
import { createPriceBook } from './price-book.ts';

const book = createPriceBook();
const AT_MS = Date.parse('2026-11-22T12:00:00Z');
const resolve = (provider: string, model: string) => book.resolve('ws', provider, model, AT_MS);
/** Names of vendors at OpenRouter that price lists write in another way. */
const VENDORS: Readonly<Record<string, string>> = { mistralai: 'mistral', 'z-ai': 'zai' };

/** Times by which the rates of a prompt of so many tokens exceed those of a short one. */
function factors(tiers: readonly LengthTier[], prompt: number): { input: number; output: number } {
  const long = tiers.findLast(({ above }) => prompt > above)?.rates ?? {};
  const short = tiers[0]?.rates ?? {};
  const factor = (name: 'input' | 'output') => (long[name] ?? 0) / (short[name] || 1);
  return { input: factor('input'), output: factor('output') };
}

it.each(['openai/gpt-6-sol-pro', 'openai/gpt-6-luna-pro'])('%s, whose passes nothing bounds, has no price', (model) => {
  expect(resolve('openrouter', model)).toBeNull();
});

describe('a long prompt at OpenRouter', () => {
  const models = book.list('ws', 'openrouter', AT_MS).flatMap((card) => {
    const [, vendor = '', name = ''] = /^~?([\w-]+)\/(.+)$/.exec(card.model) ?? [];
    const own = [name, name.replaceAll('.', '-')].map((each) => resolve(VENDORS[vendor] ?? vendor, each));
    const tiers = own.find((each) => each !== null)?.tiers ?? [];
    return tiers.length > 1 ? [{ model: card.model, card, tiers }] : [];
  });

  it.each(models)('costs for $model at least as much more as at its vendor', ({ card, tiers }) => {
    for (const { above } of tiers) {
      const vendor = factors(tiers, above + 1);
      const router = factors(card.tiers, above + 1);
      expect(router.input).toBeGreaterThanOrEqual(vendor.input);
      expect(router.output).toBeGreaterThanOrEqual(vendor.output);
    }
  });

  it('is compared for all models with known length tiers', () => {
    const names = models.map(({ model }) => model);
    expect(names).toEqual(
      expect.arrayContaining(['google/gemini-3.1-pro-preview', 'x-ai/grok-4.20', 'openai/gpt-5.4']),
    );
  });

  it.each([
    ['google/gemini-3.1-pro-preview', 200_000, [2, 0.2, 12]],
    ['google/gemini-3.1-pro-preview', 200_001, [4, 0.4, 18]],
    ['x-ai/grok-4.20', 200_000, [2.5, 0.4, 5]],
    ['qwen/qwen3-coder-plus', 256_001, [3.9, 0.78, 39]],
    ['openai/gpt-5.4', 272_001, [5, 0.5, 22.5]],
  ])('of %s has its price at %i tokens', (model, prompt, figures) => {
    const rates = resolve('openrouter', model)?.tiers.findLast(({ above }) => prompt > above)?.rates ?? {};
    expect([rates.input, rates.cacheRead, rates.output].map((rate) => (rate ?? Number.NaN) / 1e6)).toEqual(figures);
  });
});
