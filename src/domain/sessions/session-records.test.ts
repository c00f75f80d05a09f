import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPriceBook } from '../../prices/price-book.ts';
import { userCard } from '../../prices/price-schema.ts';
import { type LocalCall, type LocalSource, readSourceModel, sessionText } from './local-call.ts';
import type { RateCard } from '../pricing/price.ts';
import { priceRecord } from '../pricing/price-record.ts';
import { priceUsage } from '../pricing/pricing.ts';
import { buildSessionRecords } from './session-records.ts';
import { recordFault, type SessionRecord } from './session-record.ts';
import { NO_TERMS, inputTokens, type TokenCounts } from '../usage/usage.ts';
import { HOUR_MS } from '../time/units.ts';

/** Rates that are no whole nano-dollars, so that rounding shows. */
const odd = {
  usdPerMillion: {
    input: '0.012345',
    cacheRead: '0.001111',
    cacheWrite5m: '0.0173',
    cacheWrite1h: '0.0271',
    output: '0.077777',
  },
  tierMultipliers: { priority: '5/3' },
  geoMultipliers: { us: '1.1' },
  fees: { webSearch: '0.0000012345' },
};
const prices = createPriceBook({
  userCards: [{ workspaceId: 'w', card: userCard({ provider: 'anthropic', model: 'claude-odd', ...odd }) }],
});
const START = Date.UTC(2026, 2, 12, 22);

const MODELS = {
  claude_code: [
    'claude-opus-4-6',
    'claude-sonnet-4-5',
    'claude-haiku-5-5',
    'claude-odd',
    'claude-odd',
    'claude-odd',
    'no-such-model',
    'a b',
  ],
  codex: ['gpt-5', 'gpt-5.4', 'gpt-5.6-luna', 'nobody-knows'],
  gemini_cli: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  // For all assistants with several providers.
  opencode: ['anthropic/claude-sonnet-4-5', 'openai/gpt-5', 'nobody/knows', 'unheard'],
} as const satisfies Partial<Record<LocalSource, readonly string[]>>;
type TestedSource = keyof typeof MODELS;
const TESTED = Object.keys(MODELS) as TestedSource[];

function resolve(source: LocalSource, model: string, at: number): RateCard | null {
  const { provider, name } = readSourceModel(source, model);
  return prices.resolve('w', provider, name, at);
}

const amount = fc.oneof({ weight: 3, arbitrary: fc.nat(90_000) }, fc.constantFrom(0, 1, 7, 300_000));

/** Cache writes that have a price. */
const WRITES: Readonly<Record<TestedSource, Record<string, typeof amount>>> = {
  claude_code: { cacheWrite5m: amount, cacheWrite1h: amount },
  codex: { cacheWrite: amount },
  gemini_cli: {},
  opencode: {},
};

const call: fc.Arbitrary<LocalCall> = fc.constantFrom(...TESTED).chain((source) => {
  const writes: Record<string, typeof amount> = WRITES[source];
  const tokens: fc.Arbitrary<TokenCounts> = fc.record(
    { input: amount, cacheRead: amount, ...writes, output: amount },
    { requiredKeys: [] },
  );
  const inference = tokens.map((one) => ({ model: null, tokens: one, promptTokens: inputTokens(one) }));
  return fc.record({
    source: fc.constant(source),
    sessionId: fc.constantFrom('s1', 's2'),
    project: fc.constantFrom(null, '/p/a', '/p/b'),
    model: fc.constantFrom(...MODELS[source]),
    at: fc.integer({ min: START, max: START + 2 * HOUR_MS }),
    usage: fc.record({
      inferences: fc.array(inference, { minLength: 1, maxLength: 2 }),
      uses: source === 'claude_code' ? fc.constantFrom({}, { webSearch: 2 }) : fc.constant({}),
      thinking: fc.constant(0),
      terms: fc.record({
        tier: fc.constantFrom(null, null, null, 'standard', 'priority', 'batch', 'strange'),
        speed: fc.constantFrom(null, null, 'standard', 'fast'),
        geo: fc.constantFrom(null, 'global', 'us', 'not_available'),
      }),
    }),
  });
});

function toRecords(calls: readonly LocalCall[]): SessionRecord[] {
  return buildSessionRecords(calls, {
    sessionId: ({ source, sessionId }) => hash('sha256', sessionText(source, sessionId)),
    projectId: ({ project }) => hash('sha256', project ?? ''),
    cardOf: ({ source, at }, model) => resolve(source, model, at),
  });
}

function localCost({ source, usage, model, at }: LocalCall): number | null {
  return priceUsage(usage, model, (name) => resolve(source, name, at)).cost;
}

function priced(record: SessionRecord): ReturnType<typeof priceRecord> {
  const source = TESTED.find((one) => (MODELS[one] as readonly string[]).includes(record.model)) ?? 'claude_code';
  return priceRecord(record, source, (model) => resolve(source, model, Date.parse(record.timestamp)));
}

function hasTokens({ usage }: LocalCall): boolean {
  return usage.inferences.some(({ tokens }) => Object.values(tokens).some((count) => count > 0));
}

/** Gemini has no price at this speed. */
function fastGeminiCall(tokens: TokenCounts): LocalCall {
  return {
    source: 'gemini_cli',
    sessionId: 's1',
    project: null,
    model: 'gemini-2.5-pro',
    at: START,
    usage: {
      inferences: [{ model: null, tokens, promptTokens: inputTokens(tokens) }],
      uses: {},
      thinking: 0,
      terms: { ...NO_TERMS, speed: 'fast' },
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

describe('session records', () => {
  test('have the same cost as the calls one by one, to the nano-dollar, and as many without a price', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
        const records = toRecords(calls);
        const costs = calls.map(localCost);
        const all = records.map(priced);
        expect(sum(all.map(({ cost }) => cost))).toBe(sum(costs.map((cost) => cost ?? 0)));
        expect(all.some(({ missing }) => missing !== null)).toBe(costs.includes(null));
        // Of an advisor or a search, no call is counted. A record doesn't tell calls without tokens from others.
        expect(sum(all.map(({ unpricedCalls }) => unpricedCalls))).toBeLessThanOrEqual(
          calls.filter((each, index) => costs[index] === null || !hasTokens(each)).length,
        );
        for (const { missing, unpricedCalls, unpricedUsage } of all)
          expect(unpricedCalls > 0 || unpricedUsage).toBe(missing !== null);
        expect(records.map(recordFault)).toEqual(records.map(() => null));
      }),
      { numRuns: 400, examples: [[[{}, { output: 1 }].map(fastGeminiCall)]] },
    );
  });

  const one: LocalCall = {
    source: 'claude_code',
    sessionId: 's',
    project: '/secret/project',
    model: 'claude-opus-4-6',
    at: START,
    usage: {
      inferences: [{ model: null, tokens: { input: 3, output: 5 }, promptTokens: 3 }],
      uses: {},
      thinking: 2,
      terms: NO_TERMS,
    },
  };
  const read = (tokens: TokenCounts, changes: Partial<LocalCall> = {}): LocalCall => {
    const inferences = [{ model: null, tokens, promptTokens: inputTokens(tokens) }];
    return { ...one, ...changes, usage: { ...one.usage, inferences } };
  };

  test('are the same in any order of the calls', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 20 }), (calls, keys) => {
        const shuffled = calls
          .map((each, index) => ({ each, key: keys[index] ?? 0 }))
          .toSorted((a, b) => a.key - b.key);
        expect(toRecords(shuffled.map(({ each }) => each))).toEqual(toRecords(calls));
      }),
    );
  });

  test('cover one UTC hour each, and have the time of its first use', () => {
    const records = toRecords(
      [0, 59 * 60_000, HOUR_MS].map((later) => Object.assign({}, one, { at: START + 1 + later })),
    );
    expect(records.map(({ timestamp, calls, inputTokens: input }) => [timestamp, calls, input])).toEqual([
      ['2026-03-12T22:00:00.001Z', 2, 6],
      ['2026-03-12T23:00:00.001Z', 1, 3],
    ]);
  });

  test('keep one-hour cache writes and long prompts separate', () => {
    const [record, ...others] = toRecords([read({ cacheWrite5m: 10, cacheWrite1h: 20 }), read({ input: 250_000 })]);
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      cacheCreationTokens: 30,
      cacheCreation1hTokens: 20,
      inputTokens: 250_000,
      calls: 2,
    });
    // The longer price of this model ended the next day.
    expect(record?.shares).toEqual([
      {
        promptTokens: 250_000,
        calls: 1,
        inputTokens: 250_000,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
      },
    ]);
    const later = toRecords([read({ input: 250_000 }, { at: START + 24 * HOUR_MS })]);
    expect(later[0]?.shares).toBeUndefined();
  });

  test('of a pass by another model are listed under that model, without a call', () => {
    const advisor = { model: 'claude-haiku-5-5', tokens: { input: 7, output: 11 }, promptTokens: 7 };
    const usage = { ...one.usage, inferences: [...one.usage.inferences, advisor] };
    const calls = [1, 2, 3].map((later) => Object.assign({}, one, { at: START + later, usage }));
    const records = toRecords(calls);
    expect(records.map(({ model, calls: count, outputTokens }) => [model, count, outputTokens])).toEqual([
      ['claude-haiku-5-5', 0, 33],
      ['claude-opus-4-6', 3, 15],
    ]);
    expect(sum(records.map((record) => priced(record).cost))).toBe(sum(calls.map((each) => localCost(each) ?? 0)));
  });

  test('contain only hashes, a model, numbers and words from closed lists', () => {
    const text = JSON.stringify(toRecords([one, { ...one, model: 'a prompt in place of a model' }]));
    expect(text).not.toMatch(/secret|prompt in|"s"/);
    expect(text).toContain('"model":"(other)"');
  });
});
