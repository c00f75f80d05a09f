import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Window } from './numenta-score.ts';
import { HOUR_MS } from '../../src/domain/time/units.ts';

/** A file of the Numenta Anomaly Benchmark, and the hours that it is made into. */
export interface NumentaSeries {
  /** `realTweets/Twitter_volume_AAPL.csv` */
  readonly name: string;
  readonly group: string;
  readonly rows: number;
  readonly windows: readonly Window[];
  /** Start of the first hour, epoch ms. */
  readonly start: number;
  /** The mean of each hour's rows; what the hour before had where there are none. */
  readonly hours: readonly number[];
  /** The last row of each hour: what an alert at its end names. */
  readonly lastRows: readonly number[];
}

/** All labelled series of a checkout of the benchmark (https://github.com/numenta/NAB), by name. */
export function readNumenta(checkout: string): NumentaSeries[] {
  const labels = JSON.parse(readFileSync(join(checkout, 'labels/combined_windows.json'), 'utf8')) as Record<
    string,
    readonly (readonly [string, string])[]
  >;
  return Object.keys(labels)
    .toSorted()
    .map((name) => readFile(join(checkout, 'data', name), name, labels[name] ?? []));
}

function readFile(path: string, name: string, labels: readonly (readonly [string, string])[]): NumentaSeries {
  const lines = readFileSync(path, 'utf8').trim().split('\n').slice(1);
  const times = lines.map((line) => instant(line.split(',')[0] ?? ''));
  const values = lines.map((line) => Number(line.split(',')[1]));
  const windows = labels.map(([from, to]) => ({
    first: times.indexOf(instant(from)),
    last: times.lastIndexOf(instant(to)),
  }));
  return { name, group: name.split('/')[0] ?? '', rows: lines.length, windows, ...byHour(times, values) };
}

function byHour(
  times: readonly number[],
  values: readonly number[],
): Pick<NumentaSeries, 'start' | 'hours' | 'lastRows'> {
  const first = Math.floor((times[0] ?? 0) / HOUR_MS);
  const length = Math.floor((times.at(-1) ?? 0) / HOUR_MS) - first + 1;
  const [sums, counts, lastRows] = [
    new Float64Array(length),
    new Float64Array(length),
    Array.from({ length }, () => 0),
  ];
  times.forEach((time, row) => {
    const hour = Math.floor(time / HOUR_MS) - first;
    sums[hour] = (sums[hour] ?? 0) + (values[row] ?? 0);
    counts[hour] = (counts[hour] ?? 0) + 1;
    lastRows[hour] = row;
  });
  const hours: number[] = [];
  for (let hour = 0; hour < length; hour += 1) {
    const count = counts[hour] ?? 0;
    hours.push(count > 0 ? (sums[hour] ?? 0) / count : (hours[hour - 1] ?? 0));
    if (count === 0) lastRows[hour] = lastRows[hour - 1] ?? 0;
  }
  return { start: first * HOUR_MS, hours, lastRows };
}

function instant(text: string): number {
  return Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`);
}
