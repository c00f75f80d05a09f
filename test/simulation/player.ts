// A worker thread: plays the schedules it is sent.
import { parentPort } from 'node:worker_threads';
import { describeFailure, drawPlan, play, shrink } from './simulate.ts';

/** Schedules of seeds that follow each other. */
export interface Batch {
  readonly seed: number;
  readonly schedules: number;
  /** null = each has its own. */
  readonly length: number | null;
}

export interface Played {
  readonly schedules: number;
  readonly steps: number;
  /** Said of the first schedule in which something did not hold; null = everything always held. */
  readonly failure: string | null;
}

async function playBatch({ seed: first, schedules, length }: Batch): Promise<Played> {
  let steps = 0;
  for (let played = 0; played < schedules; played += 1) {
    const plan = drawPlan(first + played, length ?? undefined);
    steps += plan.steps.length;
    const failure = await play(plan);
    if (failure) return { schedules: played + 1, steps, failure: describeFailure(await shrink(failure)) };
  }
  return { schedules, steps, failure: null };
}

parentPort?.on('message', (batch: Batch) => void playBatch(batch).then((played) => parentPort?.postMessage(played)));
