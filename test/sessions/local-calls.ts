import fc from 'fast-check';
import type { LocalCall } from '../../src/domain/sessions/local-call.ts';
import { type Inference, NO_TERMS, type TokenCounts } from '../../src/domain/usage/usage.ts';
import { createPriceBook } from '../../src/prices/price-book.ts';
import type { FindCard } from '../../src/sessions/reports/model-use.ts';

const book = createPriceBook();

/** List prices. */
export const listCards: FindCard = (provider, model, at) => book.resolve('', provider, model, at);

/** A call of Claude Code, but for what is said. */
export function localCall(
  at: string | number,
  tokens: TokenCounts = { input: 1_000, output: 100 },
  more: Partial<LocalCall> = {},
): LocalCall {
  return {
    source: 'claude_code',
    sessionId: 'session-a',
    project: '/code/atlas',
    model: 'claude-opus-5',
    at: typeof at === 'number' ? at : Date.parse(at),
    usage: { inferences: [inference(tokens)], uses: {}, thinking: 0, terms: NO_TERMS },
    ...more,
  };
}

export function inference(tokens: TokenCounts, model: string | null = null): Inference {
  const { input = 0, cacheRead = 0, cacheWrite = 0, cacheWrite5m = 0, cacheWrite1h = 0 } = tokens;
  return { model, tokens, promptTokens: input + cacheRead + cacheWrite + cacheWrite5m + cacheWrite1h };
}

const count = fc.nat(300_000);
const anyTokens = fc.record({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite1h: count,
  cacheWrite5m: count,
});
const claudeModel = fc.constantFrom('claude-opus-5', 'claude-sonnet-4-5-20250929', 'claude-haiku-4-5', 'nobody-knows');
const instant = fc.integer({ min: Date.parse('2025-12-28T00:00:00Z'), max: Date.parse('2026-11-21T00:00:00Z') });

/** Calls of both assistants, of models with and without a price, with advisors and searches. */
export const anyCalls: fc.Arbitrary<LocalCall[]> = fc.array(
  fc
    .record({
      isClaude: fc.boolean(),
      model: claudeModel,
      advisor: fc.option(claudeModel, { freq: 5 }),
      at: instant,
      tokens: anyTokens,
      searches: fc.constantFrom(0, 0, 3),
      sessionId: fc.constantFrom('session-a', 'session-b', 'session-c'),
      project: fc.constantFrom('/code/atlas', '/code/search', null),
    })
    .map(({ isClaude, model, advisor, at, tokens, searches, sessionId, project }): LocalCall => {
      const advised = advisor && isClaude ? [inference({ input: 1_001, output: 333 }, advisor)] : [];
      const { cacheWrite5m, cacheWrite1h, ...plain } = tokens;
      return {
        source: isClaude ? 'claude_code' : 'codex',
        sessionId,
        project,
        model: isClaude ? model : 'gpt-5.4',
        at,
        usage: {
          inferences: [inference(isClaude ? { ...plain, cacheWrite5m, cacheWrite1h } : plain), ...advised],
          uses: isClaude && searches > 0 ? { webSearch: searches } : {},
          thinking: 0,
          terms: NO_TERMS,
        },
      };
    }),
  { maxLength: 60 },
);
