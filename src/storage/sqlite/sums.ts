import { MEASURES } from '../totals.ts';
import type { Counts } from '../totals.ts';

/** In the order of `MEASURE_COLUMNS`. */
export const MEASURE_NAMES = Object.keys(MEASURES) as (keyof Counts)[];

/** Counts that belong together, and what they are about. */
export interface Sum<About> {
  readonly about: About;
  readonly counts: { -readonly [Name in keyof Counts]: number };
}

/**
 * Adds counts up by key. They stay numbers, which costs a fraction of `bigint`: a sum that would pass 2^53 is left
 * as it is and another one begun, so a key may have several sums.
 */
export class Sums<About> {
  readonly all: Sum<About>[] = [];
  readonly #open = new Map<string, Sum<About>>();

  add(key: string, about: About, counts: Counts): void {
    const open = this.#open.get(key);
    if (open && addExactly(open, counts)) return;
    const begun = { about, counts: { ...counts } };
    this.#open.set(key, begun);
    this.all.push(begun);
  }
}

/** Says false, and adds nothing, when the result would not be exact. */
function addExactly({ counts: sum }: Sum<unknown>, counts: Counts): boolean {
  for (const name of MEASURE_NAMES) if (!Number.isSafeInteger(sum[name] + counts[name])) return false;
  for (const name of MEASURE_NAMES) sum[name] += counts[name];
  return true;
}

export function difference(counts: Counts, less: Counts): Counts {
  const result = { ...counts };
  for (const name of MEASURE_NAMES) result[name] = counts[name] - less[name];
  return result;
}
