import { backtest, detect, type DetectionResult } from '../domain/anomaly/detect.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';
import type { DetectSettings } from '../domain/anomaly/series.ts';
import { type PackedSeries, unpacked } from './packed-series.ts';

export interface Order {
  readonly series: readonly PackedSeries[];
  /** Start of the first hour, epoch ms. */
  readonly since: number;
  readonly now: number;
  readonly timeZone: string;
  readonly settings: DetectSettings;
}

/** A time that is gone through hour by hour; epoch ms. */
export interface Replay {
  readonly from: number;
  readonly to: number;
}

/** What a thread is started with; null = of now. */
export interface ThreadOrder {
  readonly order: Order;
  readonly replay: Replay | null;
}

export function judgeHere(order: Order): DetectionResult {
  return detect(inputOf(order));
}

export function rejudgeHere(order: Order, { from, to }: Replay): readonly Episode[] {
  return backtest(inputOf(order), from, to);
}

function inputOf({ series, since, now, timeZone, settings }: Order): Parameters<typeof detect>[0] {
  return { series: series.map((one) => unpacked(one, since)), timeZone, now, since, settings };
}
