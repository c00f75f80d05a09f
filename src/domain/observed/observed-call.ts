import { NAMES_SESSION } from '../sessions/local-call.ts';
import type { CallContext } from '../usage/call-context.ts';
import { DAY_MS } from '../time/units.ts';
import { EMPTY_TOTALS, type UsageTotals } from '../usage/usage-totals.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  inputTokens,
  outputTokens,
  sumClasses,
  totalTokens,
  type Usage,
} from '../usage/usage.ts';

/** Ways in which a call outside the gateway is observed one by one. */
export const OBSERVED_SOURCES = ['telemetry', 'usage_event'] as const;
export type ObservedSource = (typeof OBSERVED_SOURCES)[number];

/** Coding assistants whose telemetry is read. */
export const ASSISTANTS = ['claude_code', 'codex', 'gemini_cli', 'copilot'] as const;
export type CodingAssistant = (typeof ASSISTANTS)[number];

/** Returns false for an assistant that does not send the id of its session with calls, so that the gateway has none. */
export function isSessionSent(assistant: CodingAssistant): boolean {
  return assistant !== 'copilot' && NAMES_SESSION[assistant];
}

/** Signals of telemetry and events, best figures first. */
export const SIGNALS = ['event', 'log', 'span'] as const;
type ReportSignal = (typeof SIGNALS)[number];

/** One call as a client, or its owner, reports it. Times are epoch milliseconds. */
export interface ObservedCall {
  /** Equal for a repeated report of the same call by the same signal. */
  readonly observationId: string;
  readonly source: ObservedSource;
  readonly signal: ReportSignal;
  /** null = not a coding assistant. */
  readonly assistant: CodingAssistant | null;
  /** The access token that reports it; it names the person. */
  readonly tokenId: string;
  /** Ids that the provider gave request and response. */
  readonly providerIds: readonly string[];
  /** Tollbook's own id of the call; null = not known. */
  readonly callId: string | null;
  readonly provider: string;
  readonly model: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Hash of the assistant session, or a session's name; null = none. */
  readonly session: string | null;
  readonly context: CallContext;
  readonly tags: Readonly<Record<string, string>>;
  /** null = only the cost is known. */
  readonly usage: Usage | null;
  /** Cost that the report states, nano-USD; null = none. */
  readonly statedCost: number | null;
}

/** Age at which a call is too old to be reported. */
const AGE_MS_MAX = 30 * DAY_MS;
/** Clocks of other machines may be a day ahead. */
const AHEAD_MS_MAX = DAY_MS;

/** Returns true if a call of this time may be reported now. */
export function isObservable(at: number, now: number): boolean {
  return at >= now - AGE_MS_MAX && at <= now + AHEAD_MS_MAX;
}

/** Cost of an observed call. */
export interface ObservedCost {
  /** nano-USD; null = no price is known. */
  readonly cost: number | null;
  /** Amount that the call may cost more, because the report leaves out what the price depends on; nano-USD. */
  readonly uncertainUpTo: number;
  readonly priceVersion: string | null;
}

/** Returns what an observed call adds to sums, if it is counted. */
export function observedTotals({ usage }: ObservedCall, { cost, uncertainUpTo }: ObservedCost): UsageTotals {
  const tokens = usage ? totalTokens(usage) : {};
  return {
    ...EMPTY_TOTALS,
    calls: 1,
    cost: BigInt(cost ?? 0),
    inputTokens: inputTokens(tokens),
    cacheReadTokens: sumClasses(tokens, CACHE_READ_CLASSES),
    cacheWriteTokens: sumClasses(tokens, CACHE_WRITE_CLASSES),
    outputTokens: outputTokens(tokens),
    unpricedCalls: cost === null ? 1 : 0,
    uncertainCalls: uncertainUpTo > 0 ? 1 : 0,
    uncertainUpTo: BigInt(uncertainUpTo),
  };
}
