import { calcPrice } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { priceLines, sumLines } from '../domain/pricing/pricing.ts';
import { inputTokens, NO_TERMS, type TokenClass, type TokenCounts, type UseCounts } from '../domain/usage/usage.ts';
import { createPriceBook } from './price-book.ts';

/** The price package calculates on its own (in floating point): for what it knows, we must agree with it. */

const MODELS: Readonly<Record<string, readonly string[]>> = {
  anthropic: [
    'claude-opus-4-0',
    'claude-opus-4-20250514',
    'claude-opus-4-1',
    'claude-opus-4-1-20250805',
    'claude-opus-4-5',
    'claude-opus-4-5-20251101',
    'claude-opus-4-6',
    'claude-opus-4-7',
    'claude-opus-4-8',
    'claude-opus-5',
    'claude-opus-5-5',
    'claude-sonnet-4-0',
    'claude-sonnet-4-20250514',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-sonnet-4-6',
    'claude-sonnet-5',
    'claude-sonnet-5-5',
    'claude-3-7-sonnet-latest',
    'claude-3-7-sonnet-20250219',
    'claude-3-5-sonnet-20241022',
    'claude-haiku-4-5',
    'claude-haiku-4-5-20251001',
    'claude-haiku-5-5',
    'claude-3-5-haiku-20241022',
    'claude-3-haiku-20240307',
    'claude-fable-5',
    'claude-fable-5-1',
    'claude-fable-5-2',
    'claude-mythos-5',
    'claude-mythos-5-1',
    'claude-3-opus-20240229',
  ],
  google: [
    'gemini-1.5-flash',
    'gemini-1.5-flash-002',
    'gemini-1.5-flash-8b',
    'gemini-1.5-pro',
    'gemini-2.0-flash',
    'gemini-2.0-flash-001',
    'gemini-2.0-flash-lite',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'gemini-3-pro-preview',
    'gemini-3-flash-preview',
    'gemini-3.1-pro-preview',
    'gemini-3.1-flash-lite',
    'gemini-3.5-flash',
    'gemini-3.5-flash-lite',
    'gemini-3.6-flash',
    'gemini-3.7-flash',
    'gemini-3.8-flash',
    'gemini-4-argon',
    'gemini-2.0-pro',
  ],
  openai: [
    'gpt-4o',
    'gpt-4o-2024-08-06',
    'gpt-4o-2024-11-20',
    'gpt-4o-2024-05-13',
    'gpt-4o-mini',
    'gpt-4o-mini-2024-07-18',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'o1',
    'o3',
    'o3-2025-04-16',
    'o3-mini',
    'o4-mini',
    'gpt-5',
    'gpt-5-2025-08-07',
    'gpt-5-codex',
    'gpt-5-mini',
    'gpt-5-nano',
    'gpt-5-nano-2025-08-07',
    'gpt-5-pro',
    'gpt-5.1',
    'gpt-5.1-codex',
    'gpt-5.1-codex-max',
    'gpt-5.1-codex-mini',
    'gpt-5.2',
    'gpt-5.2-codex',
    'gpt-5.3-codex',
    'gpt-5.4',
    'gpt-5.4-2026-03-05',
    'gpt-5.4-mini',
    'gpt-5.4-nano',
    'gpt-5.5',
    'gpt-5.6',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-6-astra',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'text-embedding-3-small',
    'text-embedding-3-large',
    'text-embedding-ada-002',
  ],
};

const CLASSES: Readonly<Record<string, readonly TokenClass[]>> = {
  anthropic: ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output'],
  google: ['input', 'inputAudio', 'cacheRead', 'cacheReadAudio', 'output'],
  openai: ['input', 'cacheRead', 'cacheWrite', 'output'],
};

const DATES = [
  '2025-01-01',
  '2025-06-09',
  '2025-06-10',
  '2026-03-12',
  '2026-03-13',
  '2026-07-29',
  '2026-07-30',
  '2026-08-20',
  '2026-08-21',
  '2026-10-06',
  '2026-10-07',
  '2026-11-30',
  '2026-12-01',
  '2026-12-31',
  '2027-01-01',
];
const LENGTHS = [1, 99_999, 100_001, 128_000, 128_001, 200_000, 200_001, 271_999, 272_000, 272_001, 900_000];

interface Case {
  readonly provider: string;
  readonly model: string;
  readonly item: TokenClass;
  readonly date: string;
  readonly length: number;
}

/** Where the package is wrong or silent. Each row must be met: one that no longer differs has to go. */
const DIFFERENCES: readonly { readonly why: string; readonly is: (at: Case) => boolean }[] = [
  {
    why: 'Sonnet 5.5 reads its cache at half the price since 2026-10-07; the package takes it for Sonnet 5',
    is: ({ model, item, date }) => model === 'claude-sonnet-5-5' && item === 'cacheRead' && date >= '2026-10-07',
  },
  {
    why: 'Sonnet 4 had the long-context price of the 1M beta too',
    is: ({ model, length }) => /^claude-sonnet-4-(0|2025)/.test(model) && length > 200_000,
  },
  {
    why: 'Gemini 1.5 Flash-8B is taken for 1.5 Flash',
    is: ({ model }) => model === 'gemini-1.5-flash-8b',
  },
  {
    why: 'the cached price of Gemini 1.5 Pro stands under another name',
    is: ({ model, item }) => model === 'gemini-1.5-pro' && item.startsWith('cacheRead'),
  },
  {
    why: 'o3 had another cached price before its prices fell',
    is: ({ model, item, date }) => /^o3(-2025|$)/.test(model) && item === 'cacheRead' && date < '2025-06-10',
  },
  {
    why: 'exactly 272,000 tokens: the vendor prints both "< 272K" and "> 272K"',
    is: ({ model, length }) => /^gpt-(5\.4(-2026-03-05)?|5\.5|5\.6(-\w+)?|6-astra)$/.test(model) && length === 272_000,
  },
  {
    why: 'Gemini 2.5 Pro has the dearest rates of itself and of the model that answers its calls',
    is: ({ model, date }) => model === 'gemini-2.5-pro' && date >= '2027-01-01',
  },
  {
    why: 'models that the package lacks',
    is: ({ model }) => /^(claude-(fable-5-2|haiku-5-5|mythos-5.*)|gpt-6\.1-.*|gemini-4-argon)$/.test(model),
  },
];

/** USD by the package, null when it knows no price. Its input counts include cache reads and writes. */
function theirs(
  model: string,
  provider: string,
  tokens: TokenCounts,
  date: string,
  uses: UseCounts = {},
): number | null {
  const {
    cacheRead = 0,
    cacheReadAudio = 0,
    cacheWrite = 0,
    cacheWrite5m = 0,
    cacheWrite1h = 0,
    inputAudio = 0,
    output = 0,
  } = tokens;
  const usage = {
    input_tokens: inputTokens(tokens),
    cache_read_tokens: cacheRead + cacheReadAudio,
    cache_write_tokens: cacheWrite + cacheWrite5m + cacheWrite1h,
    cache_write_1h_tokens: cacheWrite1h,
    input_audio_tokens: inputAudio + cacheReadAudio,
    cache_audio_read_tokens: cacheReadAudio,
    output_tokens: output,
    web_searches: uses.webSearch ?? 0,
  };
  const known = Object.fromEntries(
    Object.entries(usage).filter(([key, count]) => count > 0 || key === 'cache_audio_read_tokens'),
  );
  return (
    calcPrice(known, model, { providerId: provider, timestamp: new Date(`${date}T12:00:00Z`) })?.total_price ?? null
  );
}

const book = createPriceBook();

/** USD by us, to the last pico-dollar. */
function ours(model: string, provider: string, tokens: TokenCounts, date: string, uses: UseCounts = {}): number | null {
  const usage = {
    inferences: [{ model: null, tokens, promptTokens: inputTokens(tokens) }],
    uses,
    thinking: 0,
    terms: NO_TERMS,
  };
  const at = Date.parse(`${date}T12:00:00Z`);
  const { lines, missing } = priceLines(usage, model, (name) => book.resolve('ws', provider, name, at));
  return missing === null ? Number(sumLines(lines).pico) / 1e12 : null;
}

function agree(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(a, b);
}

describe('agreement with the price package', () => {
  const met = new Set<string>();
  const cases = Object.entries(MODELS).flatMap(([provider, models]) => models.map((model) => ({ provider, model })));

  it.each(cases)('$provider $model: every class, date and prompt length', ({ provider, model }) => {
    const surprises: string[] = [];
    for (const item of CLASSES[provider] ?? [])
      for (const date of DATES)
        for (const length of LENGTHS) {
          const tokens: TokenCounts = item === 'output' ? { input: length, output: 1_000 } : { [item]: length };
          if (agree(ours(model, provider, tokens, date), theirs(model, provider, tokens, date))) continue;
          const known = DIFFERENCES.find(({ is }) => is({ provider, model, item, date, length }));
          if (known) met.add(known.why);
          else
            surprises.push(
              `${item} ${date} ${length}: ${ours(model, provider, tokens, date)} ≠ ${theirs(model, provider, tokens, date)}`,
            );
        }
    expect(surprises).toEqual([]);
  });

  it('has no stale exception', () => {
    expect(DIFFERENCES.filter(({ why }) => !met.has(why)).map(({ why }) => why)).toEqual([]);
  });

  it('includes searches, except for models for which the package has no such fee', () => {
    const date = '2026-11-21';
    const differing = cases
      .filter(({ provider }) => provider === 'anthropic')
      .map(({ model }) => model)
      .filter(
        (model) =>
          !agree(
            ours(model, 'anthropic', { input: 1 }, date, { webSearch: 3 }),
            theirs(model, 'anthropic', { input: 1 }, date, { webSearch: 3 }),
          ),
      );
    const lacking = [
      'claude-3-haiku-20240307',
      'claude-3-opus-20240229',
      'claude-fable-5-2',
      'claude-haiku-5-5',
      'claude-mythos-5',
      'claude-mythos-5-1',
    ];
    expect(differing.toSorted()).toEqual(lacking);
  });
});
