import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DetectionResult } from '../domain/anomaly/detect.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';
import { threadModule } from '../lib/concurrency/worker-thread.ts';
import { detectHere, type DetectionTask, replayHere, type ReplayRange, type ThreadTask } from './detection-task.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Series, or days of series, that run on this thread while queries wait. More go to their own thread. */
const AT_ONCE_MAX = 40;

/** Returns current anomalies. */
export async function runDetection(order: DetectionTask): Promise<DetectionResult> {
  if (order.series.length <= AT_ONCE_MAX) return detectHere(order);
  return (await runInThread({ order, replay: null })) as DetectionResult;
}

/** Returns the episodes of a replay. */
export async function runReplay(order: DetectionTask, replay: ReplayRange): Promise<readonly Episode[]> {
  const days = Math.ceil((replay.to - replay.from) / DAY_MS);
  if (order.series.length * days <= AT_ONCE_MAX) return replayHere(order, replay);
  return (await runInThread({ order, replay })) as readonly Episode[];
}

/** Runs a task on a thread. Throws the thread's error. */
async function runInThread(workerData: ThreadTask): Promise<unknown> {
  const thread = new Worker(threadModule('detection-thread', import.meta.url), { workerData });
  const [answer] = (await once(thread, 'message')) as unknown[];
  return answer;
}
