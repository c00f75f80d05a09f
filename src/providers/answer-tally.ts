import type { Usage } from '../domain/usage/usage.ts';

/** What one provider's kind of answer adds up to; fed by a reader that knows JSON and streams but no provider. */
export interface AnswerTally {
  /** A value that the tally's plan captures, or (undefined) the close of a container that has a slot. */
  receive(slot: number, value: unknown): void;
  /** A JSON document has closed: the whole answer, or one event of a stream. */
  closeDocument(): void;
  /** An event of a stream is over; `name` = its `event:` field, '' = none. */
  endEvent(name: string): void;
  /** Events that bring nothing but text; most of a stream is made of them, so they are measured and not read. */
  readonly textEvent?: TextEvent;
  /** The answer's bytes have ended. */
  end(): void;
  /** The stream's terminal event has been seen. */
  readonly finished: boolean;
  readonly errored: boolean;
  readonly sawUsage: boolean;
  readonly model: string | null;
  readonly responseId: string | null;
  usage(): Usage | null;
}

export interface TextEvent {
  /** Its `event:` field. */
  readonly name: string;
  /** Bytes of its data that stand around the text. */
  readonly aroundBytes: number;
}

/** The text of a captured value; null = it is none. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A word of the provider's in lower case; null = none was said. */
export function asWord(value: unknown): string | null {
  return asText(value)?.toLowerCase() ?? null;
}

/** The object of a captured value; null = it is none. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return isObject(value) ? value : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A count without which a usage says nothing: where it is absent the usage is unknown. */
export function requiredCount(value: unknown): number {
  return value === undefined || value === null ? Number.NaN : asCount(value);
}

/**
 * A count as providers give it: absent and null are 0. Anything else that is no whole number is NaN, which every sum
 * carries on, so that `plainUsage` refuses the whole usage and the call is booked as unknown rather than wrong.
 */
export function asCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN;
}

/** Leaves out the classes that are 0. */
export function withoutZeros<Name extends string>(counts: Record<Name, number>): Partial<Record<Name, number>> {
  const kept: Partial<Record<Name, number>> = {};
  for (const name in counts) if (counts[name] !== 0) kept[name] = counts[name];
  return kept;
}

/** The usage, or null where any of its counts is no believable whole number from 0 up: a usage is right or it is unknown. */
export function plainUsage(usage: Usage): Usage | null {
  for (const { tokens, promptTokens } of usage.inferences)
    if (!(promptTokens === null || isCount(promptTokens)) || !Object.values(tokens).every(isCount)) return null;
  return Object.values(usage.uses).every(isCount) && isCount(usage.thinking) ? usage : null;
}

/** No call uses as much; one such count would carry every sum in the book beyond exact numbers. */
const COUNT_MAX = 1_000_000_000_000;

function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count <= COUNT_MAX;
}
