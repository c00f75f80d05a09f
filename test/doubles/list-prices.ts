import type { ProviderName } from '../../src/demo/answers/answer.ts';

/**
 * Public prices in USD per million tokens, copied from the vendors' pages by hand and used by nothing but the bill of
 * the double. Left out is every model whose price is announced to change, so that a bill is the same on any day.
 *
 * - Anthropic: https://platform.claude.com/docs/en/about-claude/pricing, and on the same site
 *   build-with-claude/fast-mode and build-with-claude/data-residency
 * - OpenAI: https://developers.openai.com/api/docs/pricing
 * - Google: https://ai.google.dev/gemini-api/docs/pricing
 */
export interface ListRates {
  readonly input: number;
  readonly output: number;
  /** Classes that are not named cost what `input` costs. */
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  readonly inputAudio?: number;
}

export interface ListPrice {
  /** The model's name and its snapshot's. */
  readonly models: readonly string[];
  readonly rates: ListRates;
  /** Rates of the whole request when its prompt is longer than so many tokens. */
  readonly long?: { readonly above: number; readonly rates: ListRates };
  /** Rates at speed `fast`. */
  readonly fast?: ListRates;
  /** In hundredths of the price. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly geos?: Readonly<Record<string, number>>;
  /** USD per thousand web searches. */
  readonly search?: { readonly perThousand: number; readonly per: 'search' | 'answer' };
}

const claude = (input: number, output: number, cacheRead: number): ListRates => ({
  input,
  output,
  cacheRead,
  cacheWrite5m: input * 1.25,
  cacheWrite1h: input * 2,
});
const CLAUDE_SEARCH = { perThousand: 10, per: 'search' } as const;
const US = { us: 110 };

const ANTHROPIC: readonly ListPrice[] = [
  { models: ['claude-opus-4-5'], rates: claude(5, 25, 0.5), search: CLAUDE_SEARCH },
  {
    models: ['claude-opus-4-8'],
    rates: claude(5, 25, 0.5),
    fast: claude(10, 50, 1),
    geos: US,
    search: CLAUDE_SEARCH,
  },
  { models: ['claude-opus-5'], rates: claude(5, 25, 0.5), fast: claude(10, 50, 1), geos: US, search: CLAUDE_SEARCH },
  { models: ['claude-opus-5-5'], rates: claude(4, 20, 0.2), fast: claude(8, 40, 0.4), geos: US, search: CLAUDE_SEARCH },
  {
    models: ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    rates: claude(3, 15, 0.3),
    long: { above: 200_000, rates: claude(6, 22.5, 0.6) },
    search: CLAUDE_SEARCH,
  },
  { models: ['claude-sonnet-5'], rates: claude(2, 10, 0.2), geos: US, search: CLAUDE_SEARCH },
  { models: ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'], rates: claude(1, 5, 0.1), search: CLAUDE_SEARCH },
  { models: ['claude-fable-5'], rates: claude(10, 50, 1), geos: US, search: CLAUDE_SEARCH },
];

const BY_ANSWER = { perThousand: 35, per: 'answer' } as const;
const BY_QUERY = { perThousand: 14, per: 'search' } as const;
const FLEX = { flex: 50 };

const GOOGLE: readonly ListPrice[] = [
  {
    models: ['gemini-2.5-pro'],
    rates: { input: 1.25, output: 10, cacheRead: 0.125 },
    long: { above: 200_000, rates: { input: 2.5, output: 15, cacheRead: 0.25 } },
    tiers: FLEX,
    search: BY_ANSWER,
  },
  {
    models: ['gemini-2.5-flash'],
    rates: { input: 0.3, output: 2.5, cacheRead: 0.03, inputAudio: 1 },
    tiers: FLEX,
    search: BY_ANSWER,
  },
  {
    models: ['gemini-2.5-flash-lite'],
    rates: { input: 0.1, output: 0.4, cacheRead: 0.01, inputAudio: 0.3 },
    tiers: FLEX,
    search: BY_ANSWER,
  },
  {
    models: ['gemini-3-pro-preview'],
    rates: { input: 2, output: 12, cacheRead: 0.2 },
    long: { above: 200_000, rates: { input: 4, output: 18, cacheRead: 0.4 } },
    tiers: FLEX,
    search: BY_QUERY,
  },
  {
    models: ['gemini-3.1-flash-lite'],
    rates: { input: 0.25, output: 1.5, cacheRead: 0.025, inputAudio: 0.5 },
    tiers: FLEX,
    search: BY_QUERY,
  },
];

const OPENAI_SEARCH = { perThousand: 10, per: 'search' } as const;
/** The preview of web search, on models that don't reason: no request of the tests names a search tool, so the dearest is billed. */
const OPENAI_PREVIEW_SEARCH = { perThousand: 25, per: 'search' } as const;
const tiers = (priority: number) => ({ flex: 50, priority });

const OPENAI: readonly ListPrice[] = [
  {
    models: ['gpt-5.4', 'gpt-5.4-2026-03-05'],
    rates: { input: 2.5, output: 15, cacheRead: 0.25 },
    long: { above: 272_000, rates: { input: 5, output: 22.5, cacheRead: 0.5 } },
    tiers: tiers(200),
    search: OPENAI_SEARCH,
  },
  {
    models: ['gpt-6-sol'],
    rates: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 2.5 },
    long: { above: 272_000, rates: { input: 4, output: 15, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 5 } },
    tiers: FLEX,
    search: OPENAI_SEARCH,
  },
  {
    models: ['gpt-6-luna'],
    rates: { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite5m: 0.125, cacheWrite1h: 0.125 },
    long: {
      above: 272_000,
      rates: { input: 0.2, output: 0.75, cacheRead: 0.02, cacheWrite5m: 0.25, cacheWrite1h: 0.25 },
    },
    tiers: FLEX,
    search: OPENAI_SEARCH,
  },
  { models: ['gpt-5'], rates: { input: 1.25, output: 10, cacheRead: 0.125 }, tiers: tiers(200), search: OPENAI_SEARCH },
  {
    models: ['gpt-5-mini'],
    rates: { input: 0.25, output: 2, cacheRead: 0.025 },
    tiers: tiers(180),
    search: OPENAI_SEARCH,
  },
  {
    models: ['gpt-4.1'],
    rates: { input: 2, output: 8, cacheRead: 0.5 },
    tiers: tiers(175),
    search: OPENAI_PREVIEW_SEARCH,
  },
  {
    models: ['gpt-4o', 'gpt-4o-2024-08-06'],
    rates: { input: 2.5, output: 10, cacheRead: 1.25 },
    tiers: tiers(170),
    search: OPENAI_PREVIEW_SEARCH,
  },
  { models: ['gpt-4o-2024-05-13'], rates: { input: 5, output: 15 }, search: OPENAI_PREVIEW_SEARCH },
  { models: ['text-embedding-3-small'], rates: { input: 0.02, output: 0 } },
  { models: ['text-embedding-3-large'], rates: { input: 0.13, output: 0 } },
];

export const LIST_PRICES: Readonly<Record<ProviderName, readonly ListPrice[]>> = {
  anthropic: ANTHROPIC,
  google: GOOGLE,
  openai: OPENAI,
};
