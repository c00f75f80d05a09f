import { formatDollars } from './money.ts';
import type { FeeClass } from '../usage/usage.ts';

/** Work that some models are billed by instead of tokens: how many uses a price names, and what they are called. */
const METERS: readonly (readonly [use: FeeClass, count: number, noun: string])[] = [
  ['rerankSearch', 1_000, 'per 1,000 searches'],
  ['character', 1_000_000, 'per million characters'],
  ['audioSecond', 60, 'per minute of audio'],
  ['image', 1, 'per image'],
  ['request', 1_000, 'per 1,000 calls'],
];

/** Returns what a model charges for its own work, apart from tokens: `$2.00 per 1,000 searches`. Nothing for most models. */
export function describeMeters(fees: Readonly<Partial<Record<FeeClass, number>>>): string[] {
  return METERS.flatMap(([use, count, noun]) => {
    const fee = fees[use];
    return fee === undefined ? [] : [`${formatDollars(fee * count)} ${noun}`];
  });
}
