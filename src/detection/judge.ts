import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DetectionResult } from '../domain/anomaly/detect.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';
import { threadModule } from '../lib/concurrency/worker-thread.ts';
import { judgeHere, type Order, rejudgeHere, type Replay, type ThreadOrder } from './judge-order.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Series, or days of series, that are judged at once: reports wait meanwhile. More go to a thread of their own. */
const AT_ONCE_MAX = 40;

/** What is unusual now. */
export async function judge(order: Order): Promise<DetectionResult> {
  if (order.series.length <= AT_ONCE_MAX) return judgeHere(order);
  return (await inThread({ order, replay: null })) as DetectionResult;
}

/** What would have been said. */
export async function rejudge(order: Order, replay: Replay): Promise<readonly Episode[]> {
  const days = Math.ceil((replay.to - replay.from) / DAY_MS);
  if (order.series.length * days <= AT_ONCE_MAX) return rejudgeHere(order, replay);
  return (await inThread({ order, replay })) as readonly Episode[];
}

/** Fails with what the thread fails with. */
async function inThread(workerData: ThreadOrder): Promise<unknown> {
  const thread = new Worker(threadModule('judge-thread', import.meta.url), { workerData });
  const [answer] = (await once(thread, 'message')) as unknown[];
  return answer;
}
