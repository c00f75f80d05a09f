import { describe, expect, it } from 'vitest';
import { NO_DEMAND } from '../domain/limits/demand.ts';
import { boundCall } from '../domain/limits/cost-bound.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import { NO_TERMS } from '../domain/usage/usage.ts';
import { listedModels } from './base-prices.ts';
import { createPriceBook } from './price-book.ts';

const book = createPriceBook();
const NOW = Date.parse('2026-11-22T12:00:00Z');
const priceOf = (provider: string, model: string) => book.resolve('ws', provider, model, NOW);

describe('a model that searches on every call', () => {
  it.each([
    ['openai', 'gpt-4o-search-preview', 0.025],
    ['openai', 'gpt-4o-search-preview-2025-03-11', 0.025],
    ['openai', 'gpt-4o-mini-search-preview', 0.025],
    ['openai', 'gpt-4o-mini-search-preview-2025-03-11', 0.025],
    ['openrouter', 'openai/gpt-4o-search-preview', 0.035],
    ['openrouter', 'perplexity/sonar', 0.005],
    ['openrouter', 'perplexity/sonar-pro', 0.005],
    ['perplexity', 'sonar', 0.012],
    ['perplexity', 'sonar-pro', 0.014],
    ['perplexity', 'sonar-reasoning-pro', 0.014],
  ])('is held and recorded with its fee: %s %s', (provider, model, usd) => {
    const card = priceOf(provider, model);
    const plain = card && { ...card, fees: {} };
    const hold = (of: typeof card) =>
      boundCall({ ...NO_DEMAND, textBytes: 100, outputMax: 10 }, [{ cards: of ? [of] : [], outputMax: null }], {
        geo: null,
        tier: null,
      }).hold.usd ?? Number.NaN;
    const charge = (of: typeof card) =>
      priceUsage(
        {
          inferences: [{ model: null, tokens: { input: 100 }, promptTokens: 100 }],
          uses: {},
          thinking: 0,
          terms: NO_TERMS,
        },
        model,
        () => of,
      ).cost ?? Number.NaN;
    expect([hold(card) - hold(plain), charge(card) - charge(plain)]).toEqual([usd * 1e9, usd * 1e9]);
  });

  it.each([
    ['openai', 'gpt-5-search-api'],
    ['openrouter', 'openai/gpt-4o-mini-search-preview'],
    ['openrouter', 'openai/o4-mini-deep-research'],
    ['openrouter', 'perplexity/sonar-reasoning-pro'],
    ['openrouter', 'perplexity/sonar-deep-research'],
    ['openrouter', 'perplexity/sonar-pro-search'],
    ['openrouter', 'x-ai/grok-4.20-multi-agent'],
    ['perplexity', 'sonar-deep-research'],
    ['perplexity', 'sonar-pro-search'],
    ['groq', 'groq/compound'],
    ['x-ai', 'grok-4.20-multi-agent'],
  ])('has no price if its fee is unknown: %s %s', (provider, model) => {
    expect(priceOf(provider, model)).toBeNull();
  });

  /** Named like one, yet it charges for no search of its own accord. */
  const SEARCHES_ON_REQUEST = new Set([
    // The request must name the search tools, and each search is counted in the answer.
    'openai o3-deep-research',
    'openai o4-mini-deep-research',
    // Searches files through tools that run at the client's.
    'openrouter relace/relace-search',
    // No cost but tokens: it has no access to the web.
    'openrouter alibaba/tongyi-deepresearch-30b-a3b',
  ]);
  it.each([
    'openai',
    'google',
    'anthropic',
    'openrouter',
    'groq',
    'mistral',
    'deepseek',
    'x-ai',
    'together',
    'perplexity',
  ])('is not in the list of %s without a fee', (provider) => {
    const without = listedModels(provider)
      .map(({ id }) => id)
      .filter((id) => /(?:^|[/-])search|sonar|online|deep-?research|compound|multi-agent/.test(id))
      .filter((id) => !SEARCHES_ON_REQUEST.has(`${provider} ${id.replace(/:free$/, '')}`))
      .filter((id) => {
        const card = priceOf(provider, id);
        return card !== null && card.fees.request === undefined;
      });
    expect(without).toEqual([]);
  });
});
