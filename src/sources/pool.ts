import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { threadModule } from '../lib/thread-module.ts';
import { type CachedFile, cachedOf, lineOf } from './cache.ts';
import { type Done, type Job, runLane } from './lane.ts';
import { type End, Tally } from './tally.ts';

/** A thread takes as long to start as this takes to read. */
const LANE_BYTES_MIN = 24 * 1024 * 1024;
const LANES_MAX = 4;
const TOLD_EVERY_MS = 100;
/** MiB. Reading leaves much garbage and little behind. */
const NURSERY = 4;

/** What a thread is started with. */
export interface Order {
  readonly jobs: readonly Job[];
  readonly end: End;
  readonly memory: SharedArrayBuffer;
}

/** What a thread answers: of each job that it did, a line of the cache; or why there is none, null = the file is gone. */
export type Answer = [index: number, line: string | null, trouble: string | null][];

export interface Progress {
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
}

export interface PoolOptions {
  readonly onProgress?: ((done: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file as it is now known; null = it is gone; a text = why it could not be read. */
export type Outcome = CachedFile | string | null;

/** Reads files, in other threads too where there is enough to read. The outcomes are in the order of the jobs. */
export async function runJobs(jobs: readonly Job[], { onProgress, signal }: PoolOptions): Promise<readonly Outcome[]> {
  const tally = new Tally();
  const tell = (): void => onProgress?.({ files: tally.files, ofFiles: jobs.length, bytes: tally.bytes });
  const stop = (): void => tally.stop();
  signal?.addEventListener('abort', stop);
  const timer = setInterval(tell, TOLD_EVERY_MS);
  try {
    const others = Array.from({ length: lanesFor(jobs) - 1 }, (_, place) =>
      runThread({ jobs, end: place % 2 === 0 ? 'back' : 'front', memory: tally.memory }),
    );
    const outcomes: (Outcome | undefined)[] = [];
    await runLane(jobs, 'front', tally, (index, done) => (outcomes[index] = outcomeOf(done)));
    for (const answer of await Promise.all(others))
      for (const [index, line, trouble] of answer) outcomes[index] = line === null ? trouble : cachedOf(line);
    signal?.throwIfAborted();
    tell();
    return Array.from(jobs, (_, index) => outcomes[index] ?? null);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
  }
}

function lanesFor(jobs: readonly Job[]): number {
  const bytes = jobs.reduce((sum, { file, before }) => sum + file.size - (before?.mark.offset ?? 0), 0);
  return Math.max(1, Math.min(LANES_MAX, availableParallelism(), Math.ceil(bytes / LANE_BYTES_MIN)));
}

async function runThread(order: Order): Promise<Answer> {
  const resourceLimits = { maxYoungGenerationSizeMb: NURSERY };
  const thread = new Worker(threadModule('read-thread', import.meta.url), { workerData: order, resourceLimits });
  const [answer] = (await once(thread, 'message')) as [Answer];
  return answer;
}

function outcomeOf(done: Done): Outcome {
  return done === null || typeof done === 'string' ? done : { ...done, line: lineOf(done) };
}
