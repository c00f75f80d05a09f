import { NO_CONTEXT } from '../../src/domain/usage/call-context.ts';
import fc from 'fast-check';
import {
  CALL_OUTCOMES,
  type CallAmounts,
  type Entry,
  ENTRY_SOURCES,
  type PricedCosts,
  UNCERTAIN_REASONS,
  type UncertainReason,
} from '../../src/domain/usage/call.ts';
import type { CounterRef, LimitUnit } from '../../src/domain/limits/limit.ts';
import type { CostProvenance } from '../../src/domain/pricing/provenance.ts';
import { inputTokens, outputTokens, totalTokens, type Usage } from '../../src/domain/usage/usage.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time/units.ts';
import type { Period } from '../../src/domain/time/period.ts';

/** Start of a UTC day; the entries of these tests begin in the four days from here. */
export const FIRST_DAY = Date.UTC(2026, 9, 30);
const DAYS = 4;
export const WHOLE: Period = { start: FIRST_DAY, end: FIRST_DAY + DAYS * DAY_MS };
export const WORKSPACES = ['ws_default', 'ws_other'] as const;

/** Texts that break careless queries, cursors, caches or maps. */
export const HOSTILE = [
  '',
  '__proto__',
  'constructor',
  '(other)',
  '(none)',
  "'; DROP TABLE entries; --",
  '$."a"',
  'a"b\\c',
  '%_*?',
  '0',
  'null',
  'nul\u0000inside',
  'half \ud800 pair',
  '\u202egnp.exe',
  '🧾',
  'x'.repeat(256),
];

const model = fc.constantFrom('claude-x', 'gemini-y', 'gpt-z', ...HOSTILE);
const tags = fc
  .dictionary(fc.constantFrom('team', 'env', ...HOSTILE), fc.constantFrom('a', 'b', ...HOSTILE), { maxKeys: 3 })
  .map((set) => Object.assign({}, set));
const tokens = fc.record(
  {
    input: fc.nat(5_000),
    cacheRead: fc.nat(900),
    cacheWrite1h: fc.nat(90),
    output: fc.nat(700),
    outputAudio: fc.nat(9),
  },
  { requiredKeys: [] },
);
const usage: fc.Arbitrary<Usage> = fc.record({
  inferences: fc.array(fc.record({ model: fc.constantFrom(null, 'inner'), tokens, promptTokens: fc.nat(9_000) }), {
    maxLength: 2,
  }),
  uses: fc.constantFrom({}, { webSearch: 2 }),
  thinking: fc.nat(50),
  terms: fc.constantFrom({ tier: null, speed: null, geo: null }, { tier: 'batch', speed: 'fast', geo: 'us' }),
});
const PRICED_MAX = 50_000_000;
const money = fc.oneof(fc.nat(50_000_000), fc.constant(Number.MAX_SAFE_INTEGER));
const amounts = fc.record({ usd: fc.option(money), inputTokens: fc.nat(9_999), outputTokens: fc.nat(9_999) });
const instant = fc.oneof(
  fc.integer({ min: WHOLE.start, max: WHOLE.end - 1 }),
  // Many on the edges, where a range or an hour begins or ends.
  fc.nat(DAYS * 48 - 1).map((half) => FIRST_DAY + half * (HOUR_MS / 2)),
);

/** The units that the counters of these tests count in, by their number. */
const COUNTER_UNITS: readonly LimitUnit[] = ['usd', 'calls', 'tokens', 'input_tokens', 'output_tokens', 'usd'];
const touched: fc.Arbitrary<CounterRef[]> = fc
  .uniqueArray(fc.nat(COUNTER_UNITS.length - 1), { maxLength: 3 })
  .chain((counters) =>
    fc.tuple(
      ...counters.map((counter) =>
        fc.record({
          counter: fc.constant(counter + 1),
          unit: fc.constant(COUNTER_UNITS[counter] ?? 'usd'),
          windowStart: fc.constantFrom(0, FIRST_DAY, FIRST_DAY + DAY_MS),
          value: fc.constantFrom('', 'a', ...HOSTILE.filter((text) => text.isWellFormed())),
        }),
      ),
    ),
  );

const outcome = fc.constantFrom(
  ...CALL_OUTCOMES.flatMap((name) =>
    [null, ...UNCERTAIN_REASONS].map((uncertainReason) => ({ outcome: name, uncertainReason })),
  ),
);

/** Costs as in the ledger: known without an `uncertainReason`, unknown without a price, else either. */
function costOf(uncertainReason: UncertainReason | null, cost: number | null): number | null {
  if (uncertainReason === 'no_price') return null;
  return uncertainReason === null ? (cost ?? 0) : cost;
}

/** A call counts at least its known tokens. */
function countedOf(more: CallAmounts, used: Usage | null): CallAmounts {
  const total = used ? totalTokens(used) : {};
  return {
    usd: more.usd,
    inputTokens: inputTokens(total) + more.inputTokens,
    outputTokens: outputTokens(total) + more.outputTokens,
  };
}

/** Costs by prices, of which few equal the cost. */
export const arbitraryPriced: fc.Arbitrary<PricedCosts> = fc.record({
  list: fc.nat(PRICED_MAX),
  contracted: fc.nat(PRICED_MAX),
});

/** Costs by prices are absent where the cost is unknown, or the same. */
export function pricedOf(priced: PricedCosts | null, cost: number | null): { priced?: PricedCosts } {
  if (!priced || cost === null || cost > PRICED_MAX) return {};
  return priced.list === cost && priced.contracted === cost ? {} : { priced };
}

const provenance = fc.constantFrom<CostProvenance>(
  { from: 'price', versions: ['v1'] },
  { from: 'price', versions: ['v1', 'v2'] },
  { from: 'report', versions: [] },
  { from: 'report', versions: ['v2'] },
  { from: 'person' },
  { from: 'provider' },
);

/** Names from a client; the session may have only a hash. */
const name = fc.constantFrom(null, null, 'a', 'b', ...HOSTILE.filter((text) => text !== ''));
const context = fc.oneof(
  fc.constant(NO_CONTEXT),
  fc.record({ session: name, agent: name, parentAgent: name, run: name, requestClass: name }),
);

/** Entries with few call IDs, so that IDs repeat. */
export const arbitraryEntry: fc.Arbitrary<Entry> = fc
  .record({
    callId: fc.nat(200).map((number) => `call_${number}`),
    workspaceId: fc.constantFrom(...WORKSPACES),
    keyId: fc.constantFrom('key_1', 'key_2', 'key_3'),
    provider: fc.constantFrom('anthropic', 'google', 'openai'),
    operation: fc.constantFrom('messages', 'chat'),
    requestedModel: fc.option(model),
    stream: fc.boolean(),
    tags,
    sessionHash: fc.option(fc.constant('hash')),
    context,
    shortenedTo: fc.option(fc.record({ outputTokens: fc.option(fc.nat(9_999)), toolUses: fc.nat(9) })),
    startedAt: instant,
    hold: amounts,
    touched,
    endedAt: instant,
    status: fc.constantFrom(0, 200, 429, 500),
    usageSource: fc.constantFrom('reported', 'counted', 'none'),
    usage: fc.option(usage),
    model: fc.option(model),
    counted: amounts,
    provenance: fc.option(provenance),
    requestId: fc.option(fc.constantFrom(...HOSTILE)),
    responseId: fc.option(fc.constant('resp')),
    firstByteMs: fc.option(fc.nat(60_000)),
    source: fc.constantFrom(...ENTRY_SOURCES),
    cost: fc.option(money),
    priced: fc.option(arbitraryPriced),
    errorType: fc.option(fc.constantFrom('overloaded_error', 'RESOURCE_EXHAUSTED')),
    ended: outcome,
  })
  .map(({ ended, cost, priced, errorType, counted, ...entry }) =>
    Object.assign(entry, ended, ended.outcome !== 'not_sent' && pricedOf(priced, costOf(ended.uncertainReason, cost)), {
      ...(errorType !== null && { errorType }),
      context: { ...entry.context, session: entry.context.session ?? entry.sessionHash },
      cost: costOf(ended.uncertainReason, cost),
      counted: countedOf(counted, entry.usage),
    }),
  );

/** Any range: arbitrary edges, whole hours, half hours, empty ones. */
export const arbitraryRange: fc.Arbitrary<Period> = fc
  .tuple(instant, instant)
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

/** An ordinary entry, with what a test wants to be different. */
export function entryOf(callId: string, changes: Partial<Entry> = {}): Entry {
  const session = changes.sessionHash ?? null;
  return {
    callId,
    workspaceId: 'ws_default',
    keyId: 'key_1',
    provider: 'anthropic',
    operation: 'messages',
    requestedModel: 'claude-x',
    stream: false,
    tags: { team: 'a' },
    sessionHash: null,
    context: session === null ? NO_CONTEXT : { ...NO_CONTEXT, session },
    shortenedTo: null,
    startedAt: FIRST_DAY,
    hold: { usd: 2_000, inputTokens: 200, outputTokens: 100 },
    touched: [],
    endedAt: FIRST_DAY + 900,
    outcome: 'completed',
    uncertainReason: null,
    status: 200,
    usageSource: 'reported',
    usage: {
      inferences: [{ model: null, tokens: { input: 100, output: 50 }, promptTokens: 100 }],
      uses: {},
      thinking: 0,
      terms: { tier: 'standard', speed: null, geo: null },
    },
    model: 'claude-x',
    cost: 1_000,
    counted: { usd: 1_000, inputTokens: 100, outputTokens: 50 },
    provenance: { from: 'price', versions: ['v1'] },
    requestId: 'req_1',
    responseId: 'msg_1',
    firstByteMs: 300,
    source: 'proxy',
    ...changes,
  };
}
