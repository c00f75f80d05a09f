import { describe, expect, it, test } from 'vitest';
import { atBatchPrice } from '../domain/pricing/batch-card.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import {
  inputTokens,
  NO_TERMS,
  type ServiceTerms,
  type TokenCounts,
  type Usage,
  type UseCounts,
} from '../domain/usage/usage.ts';
import { createPriceBook } from './price-book.ts';

const book = createPriceBook();
const NOW = Date.parse('2026-11-21T12:00:00Z');

interface Call {
  readonly provider: string;
  readonly model: string;
  readonly tokens: TokenCounts;
  readonly uses?: UseCounts;
  readonly terms?: Partial<ServiceTerms>;
  readonly at?: string;
}

/** nano-USD */
function cost({ provider, model, tokens, uses = {}, terms, at }: Call): number | null {
  const usage: Usage = {
    inferences: [{ model: null, tokens, promptTokens: inputTokens(tokens) }],
    uses,
    thinking: 0,
    terms: { ...NO_TERMS, ...terms },
  };
  return priceUsage(usage, model, (name) => book.resolve('ws', provider, name, at ? Date.parse(at) : NOW)).cost;
}

const SONNET: TokenCounts = { input: 2_000, cacheWrite5m: 1_000, cacheWrite1h: 500, cacheRead: 10_000, output: 800 };
const READS: TokenCounts = { cacheRead: 1_000_000 };

describe('worked examples', () => {
  it.each<[string, Call, number]>([
    [
      'cache writes of both lifetimes, reads and searches',
      { provider: 'anthropic', model: 'claude-sonnet-4-5', tokens: SONNET, uses: { webSearch: 2 } },
      47_750_000,
    ],
    [
      'batch halves tokens, not searches',
      {
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        tokens: SONNET,
        uses: { webSearch: 2 },
        terms: { tier: 'batch' },
      },
      33_875_000,
    ],
    [
      'batch halves tokens of Gemini, not cached ones',
      {
        provider: 'google',
        model: 'gemini-2.5-pro',
        tokens: { input: 2_000, cacheRead: 10_000, output: 800 },
        terms: { tier: 'batch' },
      },
      6_500_000,
    ],
    [
      'fast speed in the United States',
      {
        provider: 'anthropic',
        model: 'claude-opus-5',
        tokens: { input: 1_000, cacheRead: 4_000, output: 500 },
        terms: { speed: 'fast', geo: 'us' },
      },
      42_900_000,
    ],
    [
      'cache reads count for the length of the prompt',
      { provider: 'anthropic', model: 'claude-haiku-5-5', tokens: { input: 20_000, cacheRead: 90_000, output: 1_000 } },
      17_000_000,
    ],
    [
      'audio apart, tool results as input, thoughts as output',
      {
        provider: 'google',
        model: 'gemini-2.5-flash',
        tokens: { input: 330, inputAudio: 100, cacheRead: 600, output: 250 },
      },
      842_000,
    ],
    [
      'a long prompt',
      { provider: 'google', model: 'gemini-2.5-pro', tokens: { input: 250_000, output: 1_000 } },
      640_000_000,
    ],
    [
      'a prompt exactly at the step',
      { provider: 'google', model: 'gemini-2.5-pro', tokens: { input: 200_000, output: 1_000 } },
      260_000_000,
    ],
    [
      'a prompt one token above the step',
      { provider: 'google', model: 'gemini-2.5-pro', tokens: { input: 200_001, output: 1_000 } },
      515_002_500,
    ],
    [
      'a long prompt, mostly cached',
      { provider: 'openai', model: 'gpt-5.4', tokens: { input: 100_000, cacheRead: 200_000, output: 2_000 } },
      645_000_000,
    ],
    [
      'the last day of a price',
      { provider: 'anthropic', model: 'claude-sonnet-5-5', tokens: READS, at: '2026-10-06T23:59:59.999Z' },
      200_000_000,
    ],
    [
      'the first day of the next',
      { provider: 'anthropic', model: 'claude-sonnet-5-5', tokens: READS, at: '2026-10-07T00:00:00Z' },
      100_000_000,
    ],
  ])('%s', (_, call, nano) => {
    expect(cost(call)).toBe(nano);
  });

  it('an advisor is charged at its own model', () => {
    const usage: Usage = {
      inferences: [
        { model: null, tokens: { input: 1_000, output: 100 }, promptTokens: 1_000 },
        { model: 'claude-opus-5', tokens: { input: 2_000, output: 50 }, promptTokens: 2_000 },
      ],
      uses: {},
      thinking: 0,
      terms: NO_TERMS,
    };
    const resolve = (model: string) => book.resolve('ws', 'anthropic', model, NOW);
    expect(priceUsage(usage, 'claude-fable-5-1', resolve).cost).toBe(26_250_000);
  });
});

describe('what the base list lacks', () => {
  it.each<[string, Call, number]>([
    [
      'the surcharge for the United States not before 4.6',
      { provider: 'anthropic', model: 'claude-opus-4-5', tokens: { input: 1_000 }, terms: { geo: 'us' } },
      5_000_000,
    ],
    [
      'priority of Anthropic as an estimate at standard price',
      { provider: 'anthropic', model: 'claude-opus-5', tokens: { input: 1_000 }, terms: { tier: 'priority' } },
      5_000_000,
    ],
    [
      'cache multipliers relative to the fast price',
      { provider: 'anthropic', model: 'claude-opus-5-5', tokens: { cacheWrite1h: 1_000 }, terms: { speed: 'fast' } },
      16_000_000,
    ],
    [
      'searches on every Claude',
      { provider: 'anthropic', model: 'claude-3-haiku-20240307', tokens: {}, uses: { webSearch: 1 } },
      10_000_000,
    ],
    [
      'OpenAI cache writes before 5.6 as plain input',
      { provider: 'openai', model: 'gpt-5.4', tokens: { cacheWrite: 1_000 } },
      2_500_000,
    ],
    [
      'OpenAI cache writes from 5.6 on',
      { provider: 'openai', model: 'gpt-5.6-sol', tokens: { cacheWrite: 1_000 } },
      5_000_000,
    ],
    [
      'twelve-hour cache writes at twice the others',
      { provider: 'openai', model: 'gpt-5.6-sol', tokens: { cacheWrite12h: 1_000 } },
      10_000_000,
    ],
    [
      'twelve-hour cache writes at the price of their day',
      { provider: 'openai', model: 'gpt-5.6-sol', tokens: { cacheWrite12h: 1_000 }, at: '2026-08-20T00:00:00Z' },
      12_500_000,
    ],
    [
      'audio of gpt-4o',
      { provider: 'openai', model: 'gpt-4o-audio-preview', tokens: { inputAudio: 1_000, outputAudio: 1_000 } },
      120_000_000,
    ],
    [
      'audio of the smaller gpt-4o',
      { provider: 'openai', model: 'gpt-4o-mini-audio-preview-2024-12-17', tokens: { outputAudio: 1_000 } },
      20_000_000,
    ],
    [
      'cached input of a fine-tuned gpt-4o',
      { provider: 'openai', model: 'ft:gpt-4o-2024-08-06:acme::id', tokens: { cacheRead: 1_000 } },
      1_875_000,
    ],
    [
      'cached input of a fine-tuned gpt-4o-mini',
      { provider: 'openai', model: 'ft:gpt-4o-mini-2024-07-18:acme::id', tokens: { cacheRead: 1_000 } },
      150_000,
    ],
    [
      'priority on the first gpt-4o',
      { provider: 'openai', model: 'gpt-4o-2024-05-13', tokens: { input: 1_000 }, terms: { tier: 'priority' } },
      8_750_000,
    ],
    ['nothing for Gemma', { provider: 'google', model: 'gemma-4-31b-it', tokens: { input: 1_000, output: 1_000 } }, 0],
    [
      'the alias of a large Mistral by what it names now',
      { provider: 'mistral', model: 'mistral-large-latest', tokens: { input: 1_000, cacheRead: 1_000, output: 1_000 } },
      2_050_000,
    ],
    [
      'the alias of a medium Mistral by what it names now',
      { provider: 'mistral', model: 'mistral-medium-latest', tokens: { output: 1_000 } },
      7_500_000,
    ],
    [
      'the alias of a small Mistral by what it names now',
      { provider: 'mistral', model: 'mistral-small-latest', tokens: { input: 1_000, cacheRead: 1_000, output: 1_000 } },
      765_000,
    ],
    [
      'the alias of a Ministral by what it names now',
      { provider: 'mistral', model: 'ministral-3b-latest', tokens: { input: 1_000, cacheRead: 1_000 } },
      110_000,
    ],
    [
      'DeepSeek in a peak hour of a working day',
      { provider: 'deepseek', model: 'deepseek-flash', tokens: { output: 1_000 }, at: '2026-11-20T02:00:00Z' },
      1_200_000,
    ],
    [
      'DeepSeek after the peak hours',
      { provider: 'deepseek', model: 'deepseek-v4-flash', tokens: { output: 1_000 }, at: '2026-11-20T04:00:00Z' },
      600_000,
    ],
    [
      'DeepSeek at the same hour of a Sunday',
      { provider: 'deepseek', model: 'deepseek-v4-pro', tokens: { output: 1_000 }, at: '2026-11-22T02:00:00Z' },
      1_980_000,
    ],
    [
      'Grok by one of its names',
      { provider: 'x-ai', model: 'grok-4.20-reasoning-latest', tokens: { input: 1_000 } },
      1_250_000,
    ],
    ['GLM', { provider: 'zai', model: 'glm-4.6', tokens: { input: 1_000, cacheRead: 1_000 } }, 710_000],
    [
      'a model that Together serves',
      { provider: 'together', model: 'zai-org/GLM-5.2', tokens: { output: 1_000 } },
      4_400_000,
    ],
    [
      'no discount where no cached price is listed',
      { provider: 'openai', model: 'gpt-5-pro', tokens: { cacheRead: 1_000 } },
      15_000_000,
    ],
    ['flex', { provider: 'openai', model: 'gpt-5', tokens: { output: 1_000 }, terms: { tier: 'flex' } }, 5_000_000],
    [
      'priority as a factor of its own',
      { provider: 'openai', model: 'gpt-5-mini', tokens: { output: 1_000 }, terms: { tier: 'priority' } },
      3_600_000,
    ],
    [
      'priority as printed prices',
      {
        provider: 'openai',
        model: 'o4-mini',
        tokens: { input: 1_000_000, cacheRead: 1_000_000, output: 1_000_000 },
        terms: { tier: 'priority' },
      },
      10_500_000_000,
    ],
    [
      'grounded prompts of Gemini 2',
      { provider: 'google', model: 'gemini-2.5-pro', tokens: {}, uses: { groundedPrompt: 1 } },
      35_000_000,
    ],
    [
      'prompts of Gemini 2 grounded with Google Maps',
      { provider: 'google', model: 'gemini-2.5-flash', tokens: {}, uses: { mapsPrompt: 1 } },
      25_000_000,
    ],
    [
      'search queries of Gemini 3',
      { provider: 'google', model: 'gemini-3.8-flash', tokens: {}, uses: { groundingQuery: 2 } },
      28_000_000,
    ],
    [
      'audio at the input rate where it has none of its own',
      { provider: 'google', model: 'gemini-2.5-pro', tokens: { inputAudio: 1_000 } },
      1_250_000,
    ],
    [
      'speech as output audio',
      { provider: 'google', model: 'gemini-2.5-flash-preview-tts', tokens: { outputAudio: 1_000 } },
      10_000_000,
    ],
  ])('%s', (_, call, nano) => {
    expect(cost(call)).toBe(nano);
  });

  it.each<[string, Call]>([
    [
      'an experimental model without a list price',
      { provider: 'google', model: 'gemini-2.0-pro-exp-02-05', tokens: { input: 1 } },
    ],
    [
      'a twelve-hour cache write where writes have no price',
      { provider: 'openai', model: 'gpt-5.4', tokens: { cacheWrite12h: 1 } },
    ],
    [
      'priority where none is sold',
      { provider: 'openai', model: 'gpt-5-nano', tokens: { input: 1 }, terms: { tier: 'priority' } },
    ],
    ...(
      [
        ['deepseek', 'deepseek-chat'],
        ['deepseek', 'deepseek-reasoner'],
        ['mistral', 'magistral-medium'],
        ['x-ai', 'grok-4-fast'],
        ['together', 'meta-llama/Llama-2-70b-chat-hf'],
      ] as const
    ).map(([provider, model]): [string, Call] => [
      `${model}, which is retired`,
      { provider, model, tokens: { input: 1 } },
    ]),
    ['ultrafast', { provider: 'openai', model: 'gpt-5', tokens: { input: 1 }, terms: { tier: 'ultrafast' } }],
    [
      'fast speed where none is sold',
      { provider: 'anthropic', model: 'claude-sonnet-5', tokens: { input: 1 }, terms: { speed: 'fast' } },
    ],
    [
      'audio of a snapshot whose audio price is not listed',
      { provider: 'openai', model: 'gpt-4o-audio-preview-2024-10-01', tokens: { inputAudio: 1 } },
    ],
  ])('%s has no price', (_, call) => {
    expect(cost(call)).toBeNull();
  });
});

test('the price of batches is the same as a card of its own, from which bounds are made', () => {
  const card = book.resolve('ws', 'google', 'gemini-2.5-pro', NOW);
  const [own] = atBatchPrice(card ? [card] : []);
  const tokens = { input: 2_000, cacheRead: 10_000, cacheReadAudio: 300, output: 800 };
  const costOf = (tier: string | null, of: RateCard | null = null) =>
    priceUsage(
      {
        inferences: [{ model: null, tokens, promptTokens: 12_300 }],
        uses: {},
        thinking: 0,
        terms: { ...NO_TERMS, tier },
      },
      'gemini-2.5-pro',
      () => of,
    ).cost;
  expect(costOf(null, own ?? null)).toBe(costOf('batch', card));
});

test('batches that are free except for cached tokens have no bound, so dollar limits refuse them', () => {
  const card = book.resolve('ws', 'google', 'gemini-2.5-pro', NOW);
  const free = { batch: { num: 0, den: 1 } };
  expect(atBatchPrice(card ? [{ ...card, tierMultipliers: free }] : [])).toEqual([]);
});
