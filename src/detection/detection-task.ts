import { backtest, detect, type DetectionResult } from '../domain/anomaly/detect.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';
import type { DetectSettings } from '../domain/anomaly/series.ts';
import { type PackedSeries, unpackSeries } from './packed-series.ts';

export interface DetectionTask {
  readonly series: readonly PackedSeries[];
  /** Start of the first hour, epoch ms. */
  readonly since: number;
  readonly now: number;
  readonly timeZone: string;
  readonly settings: DetectSettings;
}

/** A time range to replay hour by hour; epoch ms. */
export interface ReplayRange {
  readonly from: number;
  readonly to: number;
}

/** Input of the detection thread; `replay` null = now. */
export interface ThreadTask {
  readonly order: DetectionTask;
  readonly replay: ReplayRange | null;
}

export function detectHere(order: DetectionTask): DetectionResult {
  return detect(toDetectInput(order));
}

export function replayHere(order: DetectionTask, { from, to }: ReplayRange): readonly Episode[] {
  return backtest(toDetectInput(order), from, to);
}

function toDetectInput({ series, since, now, timeZone, settings }: DetectionTask): Parameters<typeof detect>[0] {
  return { series: series.map((one) => unpackSeries(one, since)), timeZone, now, since, settings };
}
