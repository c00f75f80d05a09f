import type { AmountRange, ChartBand } from '../../shared/chart/plot-band.tsx';
import { HOUR_MS } from '../../../../src/domain/time/units.ts';

/** Amount of one hour. */
export interface HourAmount {
  /** Start, epoch milliseconds. */
  readonly at: number;
  readonly amount: number;
}

/** Fewer hours do not say what is usual. */
const HOURS_LEAST = 5;
const LOW = 0.1;
const HIGH = 0.9;
const HOURS_A_DAY = 24;

/**
 * Returns what is usual at the hour of the day of each column: the range of eight in ten of the same hours before, and
 * their neighbors. @param starts starts of the shown hours, epoch milliseconds
 */
export function usualBand(history: readonly HourAmount[], starts: readonly number[]): ChartBand {
  const byHour = Map.groupBy(history, ({ at }) => hourOfDay(at));
  const ranges = Array.from({ length: HOURS_A_DAY }, (_, hour) =>
    usualRange([hour - 1, hour, hour + 1].flatMap((near) => byHour.get((near + HOURS_A_DAY) % HOURS_A_DAY) ?? [])),
  );
  return { name: 'Usual', columns: starts.map((at) => ranges[hourOfDay(at)] ?? null) };
}

function hourOfDay(at: number): number {
  return Math.floor(at / HOUR_MS) % HOURS_A_DAY;
}

function usualRange(hours: readonly HourAmount[]): AmountRange | null {
  if (hours.length < HOURS_LEAST) return null;
  const sorted = hours.map(({ amount }) => amount).toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] ?? 0;
  return { low: at(LOW), middle: at(1 / 2), high: at(HIGH) };
}
