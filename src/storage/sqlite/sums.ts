import { MEASURES } from '../totals.ts';
import type { Counts } from '../totals.ts';

/** In the order of `MEASURE_COLUMNS`. */
export const MEASURE_NAMES = Object.keys(MEASURES) as (keyof Counts)[];

/** What was counted of one thing. */
interface Sum<Of> {
  readonly of: Of;
  readonly counts: { -readonly [Name in keyof Counts]: number };
}

/**
 * Adds counts up, apart for each thing that they are of. They stay numbers, which costs a fraction of `bigint`: a sum
 * that would pass 2^53 is left as it is and another one begun, so a thing may have several sums.
 */
export class Sums<Of> {
  readonly all: Sum<Of>[] = [];
  readonly #open = new Map<Of, Sum<Of>>();

  add(of: Of, counts: Counts): void {
    const open = this.#open.get(of);
    if (open && addExactly(open, counts)) return;
    const begun = { of, counts: { ...counts } };
    this.#open.set(of, begun);
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
