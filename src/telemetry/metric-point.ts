import { hash } from 'node:crypto';
import type { AttributeValues } from './record.ts';

/** One point of a sum that only grows, with the attributes that are read. Times are epoch milliseconds. */
export interface MetricPoint {
  /** Name of the metric. */
  readonly name: string;
  readonly attributes: AttributeValues;
  /** Hash of everything that distinguishes its counter from others: all attributes, also unread ones. */
  readonly identity: string;
  /** true = since the start of the counter, false = since the last point. */
  readonly isCumulative: boolean;
  readonly startedAt: number;
  readonly at: number;
  readonly value: number;
}

/** Sums whose points are read; histograms and gauges have no outcomes. */
export const READ_METRICS: ReadonlySet<string> = new Set([
  'claude_code.commit.count',
  'claude_code.pull_request.count',
  'claude_code.lines_of_code.count',
  'claude_code.token.usage',
  'gemini_cli.lines.changed',
  'gemini_cli.token.usage',
]);

/** Values of `AggregationTemporality`. */
export const DELTA = 1;
export const CUMULATIVE = 2;

/** Returns the identity of a counter from its parts, as they were sent. */
export function pointIdentity(parts: readonly (string | Uint8Array)[]): string {
  return hash('sha256', JSON.stringify(parts.map((part) => hash('sha256', part))));
}
