import type { Usage } from '../domain/usage/usage.ts';

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
