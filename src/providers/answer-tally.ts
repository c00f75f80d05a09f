import type { Usage } from '../domain/usage/usage.ts';
import { asCount } from '../lib/json/values.ts';
import type { ErrorNames } from './error-names.ts';

/** Collects the values of one provider's answer format. A reader that knows only JSON and streams feeds it. */
export interface UsageTally {
  /** Receives a value that the plan captures, or undefined at the end of a container with a slot. */
  receive(slot: number, value: unknown): void;
  /** Called at the end of a JSON document: the whole answer, or one event of a stream. */
  closeDocument(): void;
  /** Called at the end of a stream event; `name`: its `event:` field, '' = none. */
  endEvent(name: string): void;
  /** Events with text only. They make up most of a stream, so they are measured and not parsed. */
  readonly textEvent?: TextEvent;
  /** Called at the end of the answer's bytes. */
  end(): void;
  /** The final event of the stream was read. */
  readonly finished: boolean;
  readonly errored: boolean;
  /** null or absent = none was read. */
  readonly error?: ErrorNames | null;
  readonly sawUsage: boolean;
  readonly model: string | null;
  readonly responseId: string | null;
  usage(): Usage | null;
}

export interface TextEvent {
  /** Its `event:` field. */
  readonly name: string;
  /** Bytes of its data around the text. */
  readonly aroundBytes: number;
}

/** Reads a required count: NaN if it is absent, so that the usage is unknown. */
export function requiredCount(value: unknown): number {
  return value === undefined || value === null ? Number.NaN : asCount(value);
}

/** Returns the counts without zeros. */
export function withoutZeros<Name extends string>(counts: Record<Name, number>): Partial<Record<Name, number>> {
  const kept: Partial<Record<Name, number>> = {};
  for (const name in counts) if (counts[name] !== 0) kept[name] = counts[name];
  return kept;
}

/** Returns the usage, or null if any count is not a plausible whole number from 0 up: usage is exact or unknown. */
export function plainUsage(usage: Usage): Usage | null {
  for (const { tokens, promptTokens } of usage.inferences)
    if (!(promptTokens === null || isCount(promptTokens)) || !Object.values(tokens).every(isCount)) return null;
  return Object.values(usage.uses).every(isCount) && isCount(usage.thinking) ? usage : null;
}

/** No call uses as much. Larger counts would make sums in the ledger inexact. */
const COUNT_MAX = 1_000_000_000_000;

function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count <= COUNT_MAX;
}
