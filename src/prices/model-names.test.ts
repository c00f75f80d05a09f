import { describe, expect, it } from 'vitest';
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
    ['google', 'gemini-3.8-flash-preview', 'gemini-3.8-flash'],
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

describe('a model that is not listed takes no neighbour’s price', () => {
  it.each([
    ['anthropic', 'claude-sonnet-5-7'],
    ['anthropic', 'claude-opus-4-9'],
    ['anthropic', 'claude-opus-5-1'],
    ['anthropic', 'claude-opus-55'],
    ['anthropic', 'claude-fable-5-3'],
    ['anthropic', 'claude-nova-9'],
    ['google', 'gemini-2.0-pro'],
    ['google', 'gemini-3.5-flash-mini'],
    ['google', 'claude-opus-4-6'],
    ['openai', 'gpt-5.4-tiny'],
    ['openai', 'gpt-5.44'],
    ['openai', 'gpt-6.2-sol'],
    ['openai', 'ft:gpt-5.4:acme::id'],
    ['openai', 'constructor'],
    ['openai', ''],
    ['nobody', 'gpt-4o'],
    ['openai', `gpt-4o${' '.repeat(300)}`],
  ])('%s %s', (provider, name) => {
    expect(listed(provider, name)).toBeNull();
  });
});
