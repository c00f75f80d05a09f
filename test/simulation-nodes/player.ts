// A worker thread: plays the schedules it is sent.
import { parentPort } from 'node:worker_threads';
import type { Batch, Played } from '../simulation/player.ts';
import { drawPlan } from './plan.ts';
import { describeFailure, play, shrink } from './simulate.ts';

function playBatch({ seed: first, schedules, length }: Batch): Played {
  let steps = 0;
  for (let played = 0; played < schedules; played += 1) {
    const plan = drawPlan(first + played, length ?? undefined);
    steps += plan.steps.length;
    const failure = play(plan);
    if (failure) return { schedules: played + 1, steps, failure: describeFailure(shrink(failure)) };
  }
  return { schedules, steps, failure: null };
}

parentPort?.on('message', (batch: Batch) => {
  parentPort?.postMessage(playBatch(batch));
});
