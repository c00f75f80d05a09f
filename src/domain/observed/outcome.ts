import { DAY_MS } from '../time/units.ts';
import type { CodingAssistant } from './observed-call.ts';

/** Kinds of outcomes of an assistant's work. Its tokens are for comparison with its calls, and never counted. */
export const OUTCOME_KINDS = [
  'commits',
  'pull_requests',
  'lines_added',
  'lines_removed',
  'input_tokens',
  'output_tokens',
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** One point of a metric that counts outcomes. */
export interface ReportedOutcome {
  /**
   * Hash that is equal for points of one counter since its start, and unique for a point that counts only what is new. A
   * point that is sent again changes nothing.
   */
  readonly series: string;
  readonly kind: OutcomeKind;
  readonly assistant: CodingAssistant;
  /** The access token that reports it; it names the person. */
  readonly tokenId: string;
  /** Hash of the assistant session; null = the metric does not name it. */
  readonly session: string | null;
  /** Time of the count, epoch milliseconds. */
  readonly at: number;
  /** Whole; since the start of the counter, or what is new. */
  readonly amount: number;
}

/** Outcomes of one person with one assistant on a day (UTC), or in one session of it; null = not reported. */
export interface OutcomeDay {
  /** Start of the day, epoch milliseconds. */
  readonly day: number;
  readonly tokenId: string;
  readonly assistant: CodingAssistant;
  /** null = of all sessions, or of none that is known. */
  readonly session: string | null;
  readonly amounts: Readonly<Record<OutcomeKind, number | null>>;
}

/** Returns the start of the day of a time (UTC). */
export function outcomeDay(at: number): number {
  return at - (at % DAY_MS);
}
