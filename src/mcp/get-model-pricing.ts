import { z } from 'zod';
import type { PriceShape } from '../contract/prices.ts';
import { text } from './parameters.ts';
import { cell, page, table } from './render.ts';
import { defineTool } from './tool.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatDollars } from '../domain/text/money.ts';

/** Bounds an answer that an assistant has to read whole. */
const PRICES_MAX = 300;

const row = z.object({
  provider: z.string(),
  model: z.string(),
  input: z.number().nullable(),
  output: z.number().nullable(),
  cacheRead: z.number().nullable(),
  cacheWrite: z.number().nullable().meta({ description: 'Kept for five minutes' }),
  cacheWrite1h: z.number().nullable().meta({ description: 'Kept for an hour' }),
  longPromptsAbove: z.number().nullable().meta({ description: 'Longer prompts cost more: all tokens of the call' }),
  contextWindow: z.number().nullable(),
});

export const getModelPricing = defineTool({
  name: 'svc_get_model_pricing',
  title: 'Prices of models',
  description:
    'Current prices in US dollars per million tokens, with cache prices and context windows. Name a provider (anthropic, openai, google, …) to get its models only.',
  input: {
    provider: text('a provider id, for example anthropic, openai or google')
      .optional()
      .describe('Only this provider, for example anthropic, openai or google'),
  },
  output: z.object({
    usdPer: z.literal('million tokens'),
    prices: z.array(row),
    left: z.int().meta({ description: 'Prices left out because there are so many; name a provider' }),
  }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run({ provider }, { client, signal }) {
    const query = { provider: provider?.trim().toLowerCase() };
    const prices = await client.call('GET /api/mcp/pricing', { query, signal });
    const shown = prices.slice(0, PRICES_MAX).map(pricingRow);
    return { usdPer: 'million tokens' as const, prices: shown, left: prices.length - shown.length };
  },
  markdown({ prices, left }) {
    if (prices.length === 0) return 'No prices for this provider. Omit `provider` to list all.';
    return page(
      'US dollars per million tokens',
      table(
        ['Provider', 'Model', '>Input', '>Output', '>Cache read', '>Cache write 5m', '>1h', '>Context'],
        prices.map((one) => [
          one.provider,
          one.longPromptsAbove === null ? one.model : `${one.model} ¹`,
          ...[one.input, one.output, one.cacheRead, one.cacheWrite, one.cacheWrite1h].map(rate),
          one.contextWindow === null ? '' : formatCount(one.contextWindow),
        ]),
      ),
      longNote(prices),
      left > 0 && `${formatCount(left)} more are not shown: name a provider.`,
    );
  },
});

function pricingRow({ provider, model, usdPerMillion, longPrompts, contextWindow }: PriceShape): z.output<typeof row> {
  return {
    provider,
    model,
    input: usdPerMillion.input ?? null,
    output: usdPerMillion.output ?? null,
    cacheRead: usdPerMillion.cacheRead ?? null,
    cacheWrite: usdPerMillion.cacheWrite5m ?? null,
    cacheWrite1h: usdPerMillion.cacheWrite1h ?? null,
    longPromptsAbove: longPrompts[0]?.above ?? null,
    contextWindow,
  };
}

function rate(amount: number | null): string {
  return amount === null ? '' : formatDollars(amount);
}

function longNote(prices: readonly z.output<typeof row>[]): string {
  const long = prices.filter(({ longPromptsAbove }) => longPromptsAbove !== null);
  const lengths = [...new Set(long.map(({ longPromptsAbove }) => formatCount(longPromptsAbove ?? 0)))].join(' or ');
  return long.length === 0 ? '' : cell(`¹ higher price for the whole call above ${lengths} prompt tokens`);
}
