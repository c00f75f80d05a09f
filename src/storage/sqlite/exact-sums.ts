import { MEASURES } from '../totals.ts';
import type { EntryCounts } from '../totals.ts';

/** In the order of `MEASURE_COLUMNS`. */
const MEASURE_NAMES = Object.keys(MEASURES) as (keyof EntryCounts)[];

/** Numbers in the order of `MEASURE_COLUMNS`, as they are added up and stored. */
export type MeasureList = readonly number[];

export function toMeasures(counts: EntryCounts): MeasureList {
  return MEASURE_NAMES.map((name) => counts[name]);
}

export function difference(counts: EntryCounts, less: EntryCounts): EntryCounts {
  const result = { ...counts };
  for (const name of MEASURE_NAMES) result[name] = counts[name] - less[name];
  return result;
}

/** Something that is counted. It carries its latest sum itself: looking that up in a map would cost more than adding. */
export interface SumHolder {
  sum: RunningSum | null;
}

interface RunningSum {
  /** Stands for the `Sums` that it is in, and does not keep them in memory. */
  readonly among: symbol;
  readonly measures: number[];
}

/**
 * Adds measures up, apart for each thing that they are of. They stay numbers, which costs a fraction of `bigint`: a sum
 * that would pass 2^53 is left as it is and another one begun, so a thing may have several sums.
 */
export class ExactSums<Of extends SumHolder> {
  readonly all: { readonly of: Of; readonly measures: MeasureList }[] = [];
  readonly #token = Symbol('sums');

  add(of: Of, measures: MeasureList): void {
    if (of.sum?.among === this.#token && addExactly(of.sum.measures, measures)) return;
    const sum = { among: this.#token, measures: measures.slice() };
    of.sum = sum;
    this.all.push({ of, measures: sum.measures });
  }
}

/** Says false, and adds nothing, when the result would not be exact. */
function addExactly(sum: number[], measures: MeasureList): boolean {
  for (let i = 0; i < sum.length; i += 1) if (!Number.isSafeInteger(at(sum, i) + at(measures, i))) return false;
  for (let i = 0; i < sum.length; i += 1) sum[i] = at(sum, i) + at(measures, i);
  return true;
}

function at(measures: MeasureList, index: number): number {
  return measures[index] ?? Number.NaN;
}
