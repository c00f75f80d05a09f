import fc from 'fast-check';
import type { Entry } from '../../src/domain/usage/call.ts';
import { NO_CONTEXT } from '../../src/domain/usage/call-context.ts';
import { type CodingAssistant, isSessionSent, type ObservedCall } from '../../src/domain/observed/observed-call.ts';
import type { RateCard } from '../../src/domain/pricing/price.ts';
import { priceUsage } from '../../src/domain/pricing/pricing.ts';
import { type LocalCall, type LocalSource, PROVIDER_OF_SOURCE } from '../../src/domain/sessions/local-call.ts';
import { buildSessionRecords } from '../../src/domain/sessions/session-records.ts';
import type { SessionRecord } from '../../src/domain/sessions/session-record.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/time/units.ts';
import { inputTokens, NO_TERMS, type TokenCounts, type Usage } from '../../src/domain/usage/usage.ts';
import { sumTotals } from '../../src/domain/usage/usage-totals.ts';
import type { LedgerStore } from '../../src/storage/store.ts';
import type { SessionPricing } from '../../src/storage/session-store.ts';
import { entryOf, FIRST_DAY, WHOLE } from './arbitrary-entry.ts';

/** Whole nano-USD per token, so that a sum of calls has no rounding. */
export const CARD: RateCard = {
  provider: 'anthropic',
  model: 'claude-x',
  from: null,
  until: null,
  tiers: [
    {
      above: -1,
      rates: {
        input: 5_000_000,
        cacheRead: 500_000,
        cacheWrite5m: 6_250_000,
        cacheWrite1h: 10_000_000,
        output: 25_000_000,
      },
    },
  ],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: { webSearch: 10_000_000_000 },
  contextWindow: null,
  version: 'v1',
  source: 'test',
};
export const WINDOW_PRICING: SessionPricing = { pricedAs: () => 'claude-x', resolve: () => CARD };

/** One call of an assistant, and the windows through which it is seen. */
export interface SeenCall {
  readonly session: string;
  readonly startedAt: number;
  readonly tokens: TokenCounts;
  readonly searches: number;
  readonly gateway: boolean;
  readonly telemetry: boolean;
  /** The client's clock is ahead by this. */
  readonly skewMs: number;
}

/** What an assistant did, and which windows were open. */
export interface Scenario {
  /** One that has telemetry and session files. */
  readonly source: CodingAssistant & LocalSource;
  readonly calls: readonly SeenCall[];
  readonly sessionFiles: boolean;
  /** Telemetry that comes with traces too, or is sent again. */
  readonly repeats: boolean;
}

const seenCall: fc.Arbitrary<SeenCall> = fc.record({
  session: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
  startedAt: fc.nat(180).map((minute) => FIRST_DAY + HOUR_MS + minute * MINUTE_MS),
  tokens: fc.record({
    input: fc.nat(3_000),
    cacheRead: fc.nat(9_000),
    cacheWrite5m: fc.nat(400),
    cacheWrite1h: fc.nat(400),
    output: fc.integer({ min: 1, max: 999 }),
  }),
  searches: fc.constantFrom(0, 0, 0, 1, 2),
  gateway: fc.boolean(),
  telemetry: fc.boolean(),
  skewMs: fc.integer({ min: -4 * MINUTE_MS, max: 4 * MINUTE_MS }),
});

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    source: fc.constantFrom('claude_code', 'codex', 'gemini_cli'),
    calls: fc.array(seenCall, { minLength: 1, maxLength: 8 }),
    sessionFiles: fc.boolean(),
    repeats: fc.boolean(),
  })
  .map((one): Scenario => {
    if (one.source === 'claude_code') return one;
    const calls = one.calls.map(withoutIds);
    return Object.assign(one, { calls: one.source === 'codex' ? calls : calls.map(withoutSession) });
  });

/** Gemini CLI sends no session to the gateway, so only telemetry shows that a call is in a session file. */
function withoutSession(call: SeenCall): SeenCall {
  return { ...call, telemetry: call.telemetry || call.gateway };
}

/** Codex and Gemini CLI report neither ids nor cache writes. Calls of equal tokens would be possible duplicates. */
function withoutIds(call: SeenCall, index: number): SeenCall {
  const { input = 0, cacheRead = 0, output = 0 } = call.tokens;
  return { ...call, tokens: { input, cacheRead, output: output + 1_000 * index }, searches: 0 };
}

function usageOf({ tokens, searches }: Pick<SeenCall, 'tokens' | 'searches'>): Usage {
  const inferences = [{ model: null, tokens, promptTokens: inputTokens(tokens) }];
  return { inferences, uses: searches > 0 ? { webSearch: searches } : {}, thinking: 0, terms: NO_TERMS };
}

export function costOf(call: Pick<SeenCall, 'tokens' | 'searches'>): number {
  return priceUsage(usageOf(call), 'claude-x', () => CARD).cost ?? 0;
}

/** The bill of all calls that a window shows. */
export function billOf({ calls, sessionFiles }: Scenario): bigint {
  const seen = calls.filter((call) => call.gateway || call.telemetry || sessionFiles);
  return BigInt(seen.reduce((sum, call) => sum + costOf(call), 0));
}

export function providerOf(source: Scenario['source']): string {
  return PROVIDER_OF_SOURCE[source] ?? '';
}

function entryAt(workspaceId: string, source: Scenario['source'], call: SeenCall, index: number): Entry {
  const cost = costOf(call);
  return entryOf(`${workspaceId}_${index}`, {
    workspaceId,
    provider: providerOf(source),
    sessionHash: isSessionSent(source) ? call.session : null,
    context: { ...NO_CONTEXT, session: isSessionSent(source) ? call.session : null },
    startedAt: call.startedAt,
    endedAt: call.startedAt + 900,
    usage: usageOf(call),
    cost,
    counted: { usd: cost, inputTokens: 0, outputTokens: 0 },
    requestId: `req_${index}`,
    responseId: `msg_${index}`,
  });
}

/** Returns what an assistant's telemetry tells of a call: one lifetime for all cache writes, no searches. */
function observations({ source, repeats }: Scenario, call: SeenCall, index: number): ObservedCall[] {
  const { cacheWrite5m = 0, cacheWrite1h = 0, ...tokens } = call.tokens;
  const told = source !== 'claude_code' ? tokens : { ...tokens, cacheWrite: cacheWrite5m + cacheWrite1h };
  const log: ObservedCall = {
    observationId: `log_${index}`,
    source: 'telemetry',
    signal: 'log',
    assistant: source,
    tokenId: 'tok_1',
    providerIds: source !== 'claude_code' ? [] : [`req_${index}`],
    callId: null,
    provider: providerOf(source),
    model: 'claude-x',
    startedAt: call.startedAt + call.skewMs,
    endedAt: call.startedAt + call.skewMs + 900,
    session: call.session,
    context: NO_CONTEXT,
    tags: {},
    usage: usageOf({ ...call, tokens: told, searches: 0 }),
    statedCost: source !== 'claude_code' ? null : costOf(call),
  };
  if (!repeats) return [log];
  if (source !== 'claude_code') return [log, log];
  return [log, log, { ...log, observationId: `span_${index}`, signal: 'span', statedCost: null }];
}

function recordsOf({ source, calls }: Scenario): SessionRecord[] {
  const local = calls.map((call): LocalCall => ({
    source,
    sessionId: call.session,
    project: null,
    model: 'claude-x',
    at: call.startedAt,
    usage: usageOf(call),
  }));
  return buildSessionRecords(local, {
    sessionId: (call) => call.sessionId,
    projectId: () => 'c'.repeat(64),
    cardOf: () => CARD,
  });
}

/** One arrival at the ledger. */
export type Arrival = (store: LedgerStore) => Promise<unknown>;

let mark = 0;

/** Returns everything that arrives of a scenario, one by one. */
export function arrivals(workspaceId: string, given: Scenario): Arrival[] {
  const { source, calls, sessionFiles } = given;
  const all: Arrival[] = [];
  for (const [index, call] of calls.entries()) {
    if (call.gateway)
      all.push((store) =>
        store.entries.append({
          journalId: 'four-windows',
          mark: (mark += 1),
          entries: [entryAt(workspaceId, source, call, index)],
        }),
      );
    if (!call.telemetry) continue;
    for (const one of observations(given, call, index))
      all.push((store) =>
        store.observed.observe({ workspaceId, calls: [one], at: call.startedAt }, () => WINDOW_PRICING),
      );
  }
  if (sessionFiles)
    all.push((store) =>
      store.sessions.upload({ workspaceId, source, tokenId: 'tok_1', records: recordsOf(given) }, WINDOW_PRICING),
    );
  return all;
}

/** Computes what arrivals left to compute. */
export async function computeAll(store: LedgerStore): Promise<void> {
  while ((await store.observed.joinMarked(() => WINDOW_PRICING, FIRST_DAY, 3)) > 0);
  while ((await store.sessions.computeMarked(() => WINDOW_PRICING, 2)) > 0);
}

/** Cost of all usage of a workspace, nano-USD. */
export async function ledgerCost(store: LedgerStore, workspaceId: string): Promise<bigint> {
  const proxied = (await store.reports.summary(workspaceId, WHOLE)).total.cost;
  return proxied + sumTotals(await store.sessions.sums(workspaceId, WHOLE)).cost;
}
