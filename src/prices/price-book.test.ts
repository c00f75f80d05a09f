import { describe, expect, it } from 'vitest';
import { createPriceBook } from './price-book.ts';
import { userCard } from './price-schema.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const input = (book: ReturnType<typeof createPriceBook>, workspace: string, model: string, at = NOW) =>
  book.resolve(workspace, 'openai', model, at)?.tiers[0]?.rates.input;

const contract = (model: string, price: string, more: object = {}) =>
  userCard({ provider: 'openai', model, usdPerMillion: { input: price, output: '1' }, ...more });

describe('a price book', () => {
  it('prefers a workspace’s custom price, which no other workspace sees', () => {
    const book = createPriceBook({ userCards: [{ workspaceId: 'a', card: contract('gpt-4o', '2') }] });
    expect(input(book, 'a', 'gpt-4o')).toBe(2_000_000);
    expect(input(book, 'b', 'gpt-4o')).toBe(2_500_000);
  });

  it('applies a custom price to the model’s snapshots, but not to one with its own list price', () => {
    const book = createPriceBook({ userCards: [{ workspaceId: 'a', card: contract('gpt-4o', '2') }] });
    expect(input(book, 'a', 'gpt-4o-2024-11-20')).toBe(2_000_000);
    expect(input(book, 'a', 'gpt-4o-2024-05-13')).toBe(5_000_000);
    expect(input(book, 'a', 'gpt-4o-mini')).toBe(150_000);
  });

  it('applies a custom price only in its period', () => {
    const card = contract('gpt-4o', '2', { from: '2026-11-01', until: '2026-12-01' });
    const book = createPriceBook({ userCards: [{ workspaceId: 'a', card }] });
    expect(input(book, 'a', 'gpt-4o', Date.parse('2026-10-31T23:59:59.999Z'))).toBe(2_500_000);
    expect(input(book, 'a', 'gpt-4o', Date.parse('2026-11-01'))).toBe(2_000_000);
    expect(input(book, 'a', 'gpt-4o', Date.parse('2026-12-01'))).toBe(2_500_000);
  });

  it('prices a model and a provider that only the workspace has', () => {
    const card = userCard({ provider: 'cellar', model: 'llama-home', usdPerMillion: { input: '0', output: '0' } });
    const book = createPriceBook({ userCards: [{ workspaceId: 'a', card }] });
    expect(book.resolve('a', 'cellar', 'llama-home', NOW)).toBe(card);
    expect(book.resolve('b', 'cellar', 'llama-home', NOW)).toBeNull();
  });

  it('clears its cache when custom prices change', () => {
    const book = createPriceBook();
    expect(input(book, 'a', 'gpt-4o')).toBe(2_500_000);
    book.setUserCards([{ workspaceId: 'a', card: contract('gpt-4o', '2') }]);
    expect(input(book, 'a', 'gpt-4o')).toBe(2_000_000);
    book.setUserCards([]);
    expect(input(book, 'a', 'gpt-4o')).toBe(2_500_000);
  });

  it('prefers refreshed prices to built-in ones, and custom prices to both', () => {
    const book = createPriceBook({ userCards: [{ workspaceId: 'a', card: contract('gpt-4o', '2') }] });
    const row = {
      models: ['gpt-4o'],
      usdPerMillion: { input: '3', output: '9' },
      source: 'https://example.com/prices',
    };
    book.setRefreshed([{ provider: 'openai', prices: [row] }]);
    expect(input(book, 'b', 'gpt-4o')).toBe(3_000_000);
    expect(input(book, 'a', 'gpt-4o')).toBe(2_000_000);
    expect(book.resolve('b', 'openai', 'gpt-4o', NOW)?.tierMultipliers['flex']).toEqual({ num: 1, den: 2 });
    expect(book.resolve('b', 'openai', 'gpt-4o', NOW)?.version).toMatch(/^refreshed\/gpt-4o\/always#[0-9a-f]{8}$/);
  });

  it('returns the same card for a repeated lookup', () => {
    const book = createPriceBook();
    expect(book.resolve('a', 'openai', 'gpt-4o', NOW)).toBe(book.resolve('b', 'openai', 'gpt-4o-2024-11-20', NOW));
  });

  it('stays correct after more invented names than it caches', () => {
    const book = createPriceBook();
    for (let index = 0; index < 25_000; index += 1)
      expect(book.resolve('a', 'openai', `invented-${index}`, NOW)).toBeNull();
    expect(input(book, 'a', 'gpt-4o')).toBe(2_500_000);
  });

  it('follows prices that change by the hour of the day', () => {
    const book = createPriceBook();
    const at = (time: string) =>
      book.resolve('a', 'deepseek', 'deepseek-v4-pro', Date.parse(`2026-11-${time}Z`))?.tiers[0]?.rates.input;
    expect([at('20T00:59:59'), at('20T01:00:00'), at('20T03:59:59'), at('20T04:00:00')]).toEqual([
      660_000, 1_320_000, 1_320_000, 660_000,
    ]);
    // A Saturday.
    expect(at('21T01:00:00')).toBe(660_000);
  });

  it('names model, start and origin of a price in its version', () => {
    const book = createPriceBook();
    const version = (provider: string, model: string) => book.resolve('a', provider, model, NOW)?.version;
    expect(version('anthropic', 'claude-sonnet-4-6')).toMatch(
      /^genai-prices-[\d.]+\/claude-sonnet-4-6\/2026-03-13#[0-9a-f]{8}$/,
    );
    expect(version('anthropic', 'claude-sonnet-5-5')).toMatch(/^tollbook\/claude-sonnet-5-5\/2026-10-07#[0-9a-f]{8}$/);
    expect(createPriceBook().resolve('b', 'openai', 'gpt-5', NOW)?.version).toBe(version('openai', 'gpt-5'));
  });
});

describe('a price list', () => {
  it('has one card per model, including custom prices', () => {
    const cards = [contract('gpt-4o', '2'), contract('house-model', '1')].map((card) => ({ workspaceId: 'a', card }));
    const list = createPriceBook({ userCards: cards }).list('a', 'openai', NOW);
    expect(list.filter((card) => card.model === 'gpt-4o').map((card) => card.source)).toEqual(['user']);
    expect(list.some((card) => card.model === 'house-model')).toBe(true);
    expect(new Set(list.map((card) => card.model)).size).toBe(list.length);
  });

  it('covers only the named providers at the requested time', () => {
    const book = createPriceBook();
    const list = book.list('a', new Set(['anthropic', 'google']), NOW);
    expect(new Set(list.map((card) => card.provider))).toEqual(new Set(['anthropic', 'google']));
    const argon = (at: string) =>
      book.list('a', 'google', Date.parse(at)).find((card) => card.model === 'gemini-4-argon');
    expect(argon('2026-11-30')?.tiers[0]?.rates.input).toBe(2_000_000);
    expect(argon('2026-12-01')?.tiers[0]?.rates.input).toBe(4_000_000);
  });
});
