import { MEASURES } from '../totals.ts';
import type { EntryCounts } from '../totals.ts';

/** Names of the measures, in the order of `MEASURE_COLUMNS`. */
const MEASURE_NAMES = Object.keys(MEASURES) as (keyof EntryCounts)[];

/** Measures to add up and store, in the order of `MEASURE_COLUMNS`. */
export type MeasureList = readonly number[];

export function toMeasures(counts: EntryCounts): MeasureList {
  return MEASURE_NAMES.map((name) => counts[name]);
}

export function difference(counts: EntryCounts, less: EntryCounts): EntryCounts {
  const result = { ...counts };
  for (const name of MEASURE_NAMES) result[name] = counts[name] - less[name];
  return result;
}

/**
 * An object that is counted. It holds its latest sum itself, because looking it up in a map would cost more than
 * adding.
 */
export interface SumHolder {
  sum: RunningSum | null;
}

interface RunningSum {
  /** Identifies the `ExactSums` without keeping it in memory. */
  readonly among: symbol;
  readonly measures: number[];
}

/**
 * Adds measures up for each object. They stay numbers, which cost a fraction of `bigint`: where a sum would exceed
 * 2^53, another one is started, so an object may have several sums.
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

/** Adds only if the result is exact; otherwise returns false. */
function addExactly(sum: number[], measures: MeasureList): boolean {
  for (let i = 0; i < sum.length; i += 1)
    if (!Number.isSafeInteger(measureAt(sum, i) + measureAt(measures, i))) return false;
  for (let i = 0; i < sum.length; i += 1) sum[i] = measureAt(sum, i) + measureAt(measures, i);
  return true;
}

function measureAt(measures: MeasureList, index: number): number {
  return measures[index] ?? Number.NaN;
}
