import { describe, expect, it } from 'vitest';
import { listedModels } from './base-prices.ts';
import { createPriceBook } from './price-book.ts';

const book = createPriceBook();
const NOW = Date.parse('2026-11-21T12:00:00Z');
const listed = (provider: string, model: string) => book.resolve('ws', provider, model, NOW)?.model ?? null;

describe('a model is found by', () => {
  it.each([
    ['anthropic', 'claude-opus-5', 'claude-opus-5'],
    ['anthropic', 'Claude-Opus-5', 'claude-opus-5'],
    ['anthropic', 'claude-opus-4', 'claude-opus-4-0'],
    ['anthropic', 'claude-opus-4-20250514', 'claude-opus-4-0'],
    ['anthropic', 'claude-opus-4-5-20251101', 'claude-opus-4-5'],
    ['anthropic', 'claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['anthropic', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['anthropic', 'anthropic/claude-opus-4.6', 'claude-opus-4-6'],
    ['anthropic', 'claude-opus-4-6[1m]', 'claude-opus-4-6'],
    ['anthropic', 'claude-3-5-sonnet-latest', 'claude-3-5-sonnet'],
    ['anthropic', 'claude-sonnet-5-5-20261001', 'claude-sonnet-5-5'],
    ['google', 'models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['google', 'gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro'],
    ['google', 'gemini-2.0-flash-001', 'gemini-2.0-flash'],
    ['google', 'gemini-1.5-flash-8b-001', 'gemini-1.5-flash-8b'],
    ['google', 'gemini-pro-latest', 'gemini-pro-latest'],
    ['google', 'models/gemini-flash-latest', 'gemini-flash-latest'],
    ['google', 'gemini-flash-lite-latest', 'gemini-flash-lite-latest'],
    ['google', 'gemini-3.1-pro-preview-customtools', 'gemini-3.1-pro-preview'],
    ['google', 'gemini-2.5-flash-preview-09-2025', 'gemini-2.5-flash'],
    ['openai', 'gpt-5.4-2026-03-05', 'gpt-5.4'],
    ['openai', 'gpt-5.4-mini-2026-03-17', 'gpt-5.4-mini'],
    ['openai', 'gpt-5-nano-2025-08-07', 'gpt-5-nano'],
    ['openai', 'gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['openai', 'gpt-4o-2024-11-20', 'gpt-4o'],
    ['openai', 'openai/o3', 'o3'],
    ['openai', 'ft:gpt-4o-2024-08-06:acme::id', 'ft:gpt-4o'],
    ['openrouter', 'openai/gpt-4o', 'openai/gpt-4o'],
  ])('%s %s', (provider, name, model) => {
    expect(listed(provider, name)).toBe(model);
  });
});

describe('an unlisted model does not get the price of a similar name', () => {
  it.each([
    ['anthropic', 'claude-sonnet-5-7'],
    ['anthropic', 'claude-opus-4-9'],
    ['anthropic', 'claude-opus-5-1'],
    ['anthropic', 'claude-opus-55'],
    ['anthropic', 'claude-fable-5-3'],
    ['anthropic', 'claude-nova-9'],
    ['google', 'gemini-2.0-pro'],
    ['google', 'gemini-3.5-flash-mini'],
    ['google', 'gemini-3.8-flash-preview'],
    ['google', 'gemini-pro-preview'],
    ['google', 'gemini-2.5-flash-preview-05-20'],
    ['google', 'gemini-3.5-flash-lite-latest'],
    ['anthropic', 'claude-opus-5-newest'],
    ['anthropic', 'claude-opus-5-v2'],
    ['mistral', 'mistral-nemo-latest'],
    ['deepseek', 'deepseek-v4-pro-latest'],
    ['google', 'claude-opus-4-6'],
    ['openai', 'gpt-5.4-tiny'],
    ['openai', 'gpt-5.44'],
    ['openai', 'gpt-6.3-sol'],
    ['openai', 'ft:gpt-5.4:acme::id'],
    ['openai', 'constructor'],
    ['openai', ''],
    ['nobody', 'gpt-4o'],
    ['openai', `gpt-4o${' '.repeat(300)}`],
  ])('%s %s', (provider, name) => {
    expect(listed(provider, name)).toBeNull();
  });
});

describe('no suffix leads to the price of a similar name', () => {
  const SUFFIXES = [
    '-latest',
    '@latest',
    '-preview',
    '-preview-05-06',
    '-preview-09-2025',
    '-exp',
    '-beta',
    '-v2',
    '-pro',
    '-high',
  ];
  const PROVIDERS = ['anthropic', 'google', 'openai', 'openrouter', 'groq', 'mistral', 'deepseek', 'x-ai', 'together'];

  it.each(PROVIDERS)('of %s', (provider) => {
    const named = JSON.stringify(listedModels(provider).map(({ match }) => match)).toLowerCase();
    const reached = listedModels(provider).flatMap(({ id }) =>
      SUFFIXES.filter((suffix) => {
        const name = `${id}${suffix}`.toLowerCase();
        const found = listed(provider, name);
        // A list may have the longer name itself.
        return found !== null && !name.endsWith(found.toLowerCase()) && !named.includes(`"${name}"`);
      }).map((suffix) => `${id}${suffix}`),
    );
    expect(reached.filter((name) => !NAMED_BY_OVERRIDES.has(name))).toEqual([]);
  });

  const NAMED_BY_OVERRIDES = new Set([
    'gemini-2.5-pro-preview-05-06',
    'gemini-2.5-flash-lite-preview-09-2025',
    'claude-3-5-sonnet-latest',
    'grok-4.20-beta',
    'magistral-medium-latest',
    'magistral-small-latest',
    'ministral-3b-latest',
    // The list of OpenRouter has it among the names of o1.
    'openai/o1-preview',
  ]);
});
