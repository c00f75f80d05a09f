import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Batch, Played } from './player.ts';

/** A worker plays it in about a tenth of a second. */
const BATCH = 50;

/** Plays schedules of the limits and the ledger. */
export const PLAYER = new URL('player.ts', import.meta.url);

export interface RunOptions {
  /** The module that plays schedules in a worker thread. */
  readonly player: URL;
  /** The first schedule's seed; the others count up from it. */
  readonly seed: number;
  /** Steps of every schedule; null = each has its own. */
  readonly length: number | null;
  readonly schedulesMax: number;
  /** No further schedules are begun when this says so. */
  readonly isOver?: () => boolean;
  readonly onProgress?: (played: Played) => void;
}

/** Plays schedules on all cores, until there are enough or one fails. */
export async function run(options: RunOptions): Promise<Played> {
  let sum: Played = { schedules: 0, steps: 0, failure: null };
  let given = 0;
  const next = (): Batch | null => {
    if (given >= options.schedulesMax || sum.failure !== null || options.isOver?.()) return null;
    const schedules = Math.min(BATCH, options.schedulesMax - given);
    given += schedules;
    return { seed: options.seed + given - schedules, schedules, length: options.length };
  };
  const played = (batch: Played): void => {
    sum = {
      schedules: sum.schedules + batch.schedules,
      steps: sum.steps + batch.steps,
      failure: sum.failure ?? batch.failure,
    };
    options.onProgress?.(sum);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, () => work(options.player, next, played)));
  return sum;
}

/** One worker, as long as there is something to play. */
async function work(player: URL, next: () => Batch | null, played: (batch: Played) => void): Promise<void> {
  const worker = new Worker(player, { execArgv: [] });
  try {
    await new Promise<void>((resolve, reject) => {
      const give = (): void => {
        const batch = next();
        if (batch) worker.postMessage(batch);
        else resolve();
      };
      worker.once('error', reject);
      worker.on('message', (batch: Played) => {
        played(batch);
        give();
      });
      give();
    });
  } finally {
    await worker.terminate();
  }
}
