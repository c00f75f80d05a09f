import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { HOUR_MS } from '../../../../src/domain/time/units.ts';
import { usualBand } from './usual-band.ts';

interface UsualCalls {
  readonly calls: number;
  /** Cost of a call in US dollars; null = unknown. */
  readonly cost: number | null;
}

/** Returns what is usual in the hours between two times; null = the history does not say. */
export function usualCall(history: UsageSeries | undefined, start: string, end: string): UsualCalls | null {
  if (!history) return null;
  const points = new Map(history.points.map((point) => [point.start, point]));
  const hours = history.starts.map((at) => ({ at: Date.parse(at), amount: points.get(at)?.calls ?? 0 }));
  const { columns } = usualBand(hours, hourStarts(Date.parse(start), Date.parse(end)));
  const middles = columns.flatMap((range) => (range === null ? [] : [range.middle]));
  if (middles.length === 0) return null;
  const [calls, cost] = [sumPoints(history, 'calls'), sumPoints(history, 'cost')];
  return { calls: middles.reduce((sum, middle) => sum + middle, 0), cost: calls === 0 ? null : cost / calls };
}

function hourStarts(start: number, end: number): readonly number[] {
  const first = Math.floor(start / HOUR_MS) * HOUR_MS;
  return Array.from({ length: Math.max(1, Math.ceil((end - first) / HOUR_MS)) }, (_, index) => first + index * HOUR_MS);
}

function sumPoints({ points }: UsageSeries, measure: 'calls' | 'cost'): number {
  return points.reduce((sum, point) => sum + point[measure], 0);
}
