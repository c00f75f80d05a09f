import type { Random } from '../seeded.ts';

/** A whole number from `low` to `high`, both included. */
export function whole(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

export function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[whole(random, 0, list.length - 1)] ?? list[0];
}

/** Sizes as they occur: most near the median, some many times it. `sigma` is of the logarithm. */
export function lognormal(random: Random, median: number, sigma: number, max: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(max, Math.round(median * Math.exp(sigma * normal)));
}

const HEX = '0123456789abcdef';
const LETTERS = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function uuid(random: Random): string {
  const digits = (count: number): string => Array.from({ length: count }, () => HEX[whole(random, 0, 15)]).join('');
  return `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`;
}

/** An id as the providers' are: `msg_01…`, `req_011…`, `resp_…`. */
export function id(random: Random, prefix: string): string {
  const letters = Array.from({ length: 22 }, () => LETTERS[whole(random, 0, LETTERS.length - 1)]);
  return `${prefix}01${letters.join('')}`;
}

/** `list` in another order. */
export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
