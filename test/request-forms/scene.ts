import type { RateCard } from '../../src/domain/pricing/price.ts';
import { createPriceBook } from '../../src/prices/price-book.ts';

/** A route and a model that forms are sent to. */
export interface Scene {
  readonly address: string;
  readonly dialect: 'anthropic' | 'google' | 'chat' | 'responses' | 'embeddings';
  readonly priceProvider: string;
  readonly model: string;
}

const AT_MS = Date.parse('2026-11-22T12:00:00Z');
const prices = createPriceBook();

export function cardOf({ priceProvider }: Scene, model: string): RateCard | null {
  return prices.resolve('ws_default', priceProvider, model, AT_MS);
}

const anthropic = (model: string): Scene => ({
  address: 'anthropic/v1/messages',
  dialect: 'anthropic',
  priceProvider: 'anthropic',
  model,
});
const google = (model: string): Scene => ({
  address: `google/v1beta/models/${model}:generateContent`,
  dialect: 'google',
  priceProvider: 'google',
  model,
});
const openai = (dialect: 'chat' | 'responses' | 'embeddings', model: string): Scene => ({
  address: { chat: 'openai/v1/chat/completions', responses: 'openai/v1/responses', embeddings: 'openai/v1/embeddings' }[
    dialect
  ],
  dialect,
  priceProvider: 'openai',
  model,
});
const compatible = (id: string, priceProvider: string, model: string): Scene => ({
  address: `${id}/chat/completions`,
  dialect: 'chat',
  priceProvider,
  model,
});

/** Models whose prices differ by class, length, speed, tier and geography; and one that has no price. */
export const SCENES: readonly Scene[] = [
  anthropic('claude-opus-4-8'),
  anthropic('claude-opus-4-5'),
  anthropic('claude-sonnet-4-5'),
  google('gemini-2.5-flash'),
  google('gemini-2.5-flash-image'),
  google('gemini-3-pro-image-preview'),
  google('gemini-3.8-flash'),
  google('gemini-2.5-pro'),
  openai('chat', 'gpt-4o'),
  openai('chat', 'gpt-4o-audio-preview'),
  openai('chat', 'gpt-audio'),
  openai('chat', 'gpt-5.4'),
  openai('chat', 'gpt-4o-mini-search-preview'),
  openai('responses', 'gpt-5.4'),
  openai('responses', 'gpt-5.6-sol'),
  openai('embeddings', 'text-embedding-3-small'),
  compatible('openrouter', 'openrouter', 'google/gemini-2.5-flash-image'),
  compatible('openrouter', 'openrouter', 'anthropic/claude-opus-4.8'),
  compatible('groq', 'groq', 'llama-3.3-70b-versatile'),
  compatible('mistral', 'mistral', 'mistral-large-latest'),
];
