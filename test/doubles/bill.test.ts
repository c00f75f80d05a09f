import { expect, test } from 'vitest';
import { charge } from './bill.ts';
import type { Plan } from './plan.ts';

const NONE = { input: 0, output: 0 };

/** Sums by hand, in millionths of a dollar. */
const CASES: readonly (readonly [string, Parameters<typeof charge>[0], string, string, Plan, number])[] = [
  [
    'every class of Claude, and searches',
    'anthropic',
    'messages',
    'claude-sonnet-4-5',
    {
      tokens: { input: 2_000, cacheWrite5m: 1_000, cacheWrite1h: 500, cacheRead: 10_000, output: 800 },
      searches: 2,
    },
    6_000 + 3_750 + 3_000 + 3_000 + 12_000 + 20_000,
  ],
  [
    'fast in the US',
    'anthropic',
    'messages',
    'claude-opus-5',
    { tokens: { input: 1_000, cacheRead: 4_000, output: 500 }, speed: 'fast', geo: 'us' },
    (10_000 + 4_000 + 25_000) * 1.1,
  ],
  [
    'an advisor at its own price',
    'anthropic',
    'messages',
    'claude-fable-5',
    {
      tokens: { input: 1_000, output: 100 },
      passes: [{ type: 'advisor_message', model: 'claude-opus-5', input: 2_000, output: 50 }],
    },
    15_000 + 11_250,
  ],
  ['Gemini at the step', 'google', 'generate', 'gemini-2.5-pro', { tokens: { ...NONE, input: 200_000 } }, 250_000],
  ['Gemini beyond it', 'google', 'generate', 'gemini-2.5-pro', { tokens: { ...NONE, input: 200_001 } }, 500_002.5],
  [
    'audio and flex',
    'google',
    'generate',
    'gemini-2.5-flash',
    { tokens: { input: 300, inputAudio: 100, cacheRead: 600, output: 250 }, tier: 'flex' },
    (90 + 100 + 18 + 625) / 2,
  ],
  ['searches by answer', 'google', 'generate', 'gemini-2.5-pro', { tokens: NONE, searches: 3 }, 35_000],
  ['searches by query', 'google', 'generate', 'gemini-3-pro-preview', { tokens: NONE, searches: 3 }, 42_000],
  [
    'a long prompt of GPT',
    'openai',
    'responses',
    'gpt-5.4',
    { tokens: { input: 100_000, cacheRead: 200_000, output: 2_000 } },
    500_000 + 100_000 + 45_000,
  ],
  ['embeddings', 'openai', 'embeddings', 'text-embedding-3-small', { tokens: { input: 1_000, output: 9 } }, 20],
];

test.each(CASES)('the bill of %s', (_, provider, operation, model, plan, micro) => {
  const asked = { operation: operation as 'messages', model };
  expect(charge(provider, asked, plan)).toEqual({ nano: BigInt(Math.round(micro * 1_000)), unsure: false });
});

test('the bill rounds half a nano-dollar up, and only once', () => {
  const asked = { operation: 'generate', model: 'gemini-2.5-flash-lite' } as const;
  // 100 nano-dollars a token of input, 10 of the cache: the half makes 5.
  expect(charge('google', asked, { tokens: { ...NONE, cacheRead: 1 }, tier: 'flex' }).nano).toBe(5n);
  const embeddings = { operation: 'embeddings', model: 'text-embedding-3-small' } as const;
  expect(charge('openai', embeddings, { tokens: { input: 3 } }).nano).toBe(60n);
  const mini = { operation: 'chat', model: 'gpt-5-mini' } as const;
  // 25 nano-dollars, halved.
  expect(charge('openai', mini, { tokens: { ...NONE, cacheRead: 1 }, tier: 'flex' }).nano).toBe(13n);
});

test('a model without a public price has no bill, and a response that hides its longest pass is billed as long', () => {
  expect(charge('openai', { operation: 'chat', model: 'nova-9' }, {}).nano).toBeNull();
  const long = { tokens: { ...NONE, input: 200_001 }, searches: 1 };
  const asked = { operation: 'messages', model: 'claude-sonnet-4-5' } as const;
  expect(charge('anthropic', asked, long)).toEqual({ nano: 1_210_006_000n, unsure: true });
});
