import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { backtest, detect, type Detection } from '../core/anomaly/anomaly.ts';
import type { Episode } from '../core/anomaly/episodes.ts';
import type { DetectSettings } from '../core/anomaly/series.ts';
import { threadModule } from '../lib/thread-module.ts';
import { type PackedSeries, unpacked } from './packed-series.ts';

const DAY_MS = 86_400_000;
/** Series, or days of series, that are judged at once: reports wait meanwhile. More go to a thread of their own. */
const AT_ONCE_MAX = 40;

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

/** What is unusual now. */
export async function judge(order: Order): Promise<Detection> {
  if (order.series.length <= AT_ONCE_MAX) return judgeHere(order);
  return (await inThread({ order, replay: null })) as Detection;
}

/** What would have been said. */
export async function rejudge(order: Order, replay: Replay): Promise<readonly Episode[]> {
  const days = Math.ceil((replay.to - replay.from) / DAY_MS);
  if (order.series.length * days <= AT_ONCE_MAX) return rejudgeHere(order, replay);
  return (await inThread({ order, replay })) as readonly Episode[];
}

export interface ThreadOrder {
  readonly order: Order;
  /** null = of now. */
  readonly replay: Replay | null;
}

async function inThread(workerData: ThreadOrder): Promise<unknown> {
  const thread = new Worker(threadModule('judge-thread', import.meta.url), { workerData });
  const [answer] = (await once(thread, 'message')) as unknown[];
  return answer;
}

export function judgeHere(order: Order): Detection {
  return detect(inputOf(order));
}

export function rejudgeHere(order: Order, { from, to }: Replay): readonly Episode[] {
  return backtest(inputOf(order), from, to);
}

function inputOf({ series, since, now, timeZone, settings }: Order): Parameters<typeof detect>[0] {
  return { series: series.map((one) => unpacked(one, since)), timeZone, now, since, settings };
}
