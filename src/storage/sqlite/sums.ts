import { MEASURES } from '../totals.ts';
import type { Counts } from '../totals.ts';

/** In the order of `MEASURE_COLUMNS`. */
const MEASURE_NAMES = Object.keys(MEASURES) as (keyof Counts)[];

/** Numbers in the order of `MEASURE_COLUMNS`, as they are added up and stored. */
export type Measures = readonly number[];

export function measuresOf(counts: Counts): Measures {
  return MEASURE_NAMES.map((name) => counts[name]);
}

export function difference(counts: Counts, less: Counts): Counts {
  const result = { ...counts };
  for (const name of MEASURE_NAMES) result[name] = counts[name] - less[name];
  return result;
}

/** Something that is counted. It carries its latest sum itself: looking that up in a map would cost more than adding. */
export interface Summed {
  sum: Sum | null;
}

interface Sum {
  /** Stands for the `Sums` that it is in, and does not keep them in memory. */
  readonly among: symbol;
  readonly measures: number[];
}

/**
 * Adds measures up, apart for each thing that they are of. They stay numbers, which costs a fraction of `bigint`: a sum
 * that would pass 2^53 is left as it is and another one begun, so a thing may have several sums.
 */
export class Sums<Of extends Summed> {
  readonly all: { readonly of: Of; readonly measures: Measures }[] = [];
  readonly #token = Symbol('sums');

  add(of: Of, measures: Measures): void {
    if (of.sum?.among === this.#token && addExactly(of.sum.measures, measures)) return;
    const sum = { among: this.#token, measures: measures.slice() };
    of.sum = sum;
    this.all.push({ of, measures: sum.measures });
  }
}

/** Says false, and adds nothing, when the result would not be exact. */
function addExactly(sum: number[], measures: Measures): boolean {
  for (let i = 0; i < sum.length; i += 1) if (!Number.isSafeInteger(at(sum, i) + at(measures, i))) return false;
  for (let i = 0; i < sum.length; i += 1) sum[i] = at(sum, i) + at(measures, i);
  return true;
}

function at(measures: Measures, index: number): number {
  return measures[index] ?? Number.NaN;
}
