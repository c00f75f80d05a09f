import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { threadModule } from '../../lib/concurrency/worker-thread.ts';
import { type CachedFile, cachedOf, lineOf } from './cache.ts';
import { type Done, type Job, runLane } from './lane.ts';
import { type End, Tally } from './tally.ts';

/** A thread takes as long to start as this takes to read. */
const LANE_BYTES_MIN = 24 * 1024 * 1024;
const LANES_MAX = 4;
const TOLD_EVERY_MS = 100;
/** MiB. Reading leaves much garbage and little behind. */
const NURSERY = 4;

/** What a thread is told to do. */
export interface Order {
  readonly jobs: readonly Job[];
  readonly end: End;
  readonly memory: SharedArrayBuffer;
}

/** What a thread answers, some jobs at a time: of each a line of the cache; or why there is none, null = the file is gone. */
export interface Answer {
  readonly done: readonly (readonly [index: number, line: string | null, trouble: string | null])[];
  readonly isLast: boolean;
}

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

/** Other threads. They can be started before it is known what there is to read: both take about as long. */
export class Threads {
  #waiting: readonly Worker[];
  readonly #sources: readonly LocalSource[];

  /** @param isEarly there will be much to read */
  constructor(sources: readonly LocalSource[], isEarly: boolean) {
    this.#sources = sources;
    this.#waiting = isEarly ? Array.from({ length: lanesMax() - 1 }, (_, place) => this.#start(place)) : [];
  }

  take(place: number): Worker {
    const [first, ...others] = this.#waiting;
    this.#waiting = others;
    return first ?? this.#start(place);
  }

  /** Ends those that were not taken. */
  async close(): Promise<void> {
    await Promise.all(this.#waiting.map((thread) => thread.terminate()));
  }

  #start(place: number): Worker {
    const source = this.#sources.at(endOf(place) === 'back' ? -1 : 0);
    const resourceLimits = { maxYoungGenerationSizeMb: NURSERY };
    const thread = new Worker(threadModule('read-thread', import.meta.url), { workerData: source, resourceLimits });
    // One that fails before it is taken is nobody's trouble yet: another is started in its place when it is needed.
    return thread.on('error', () => (this.#waiting = this.#waiting.filter((one) => one !== thread)));
  }
}

/** Of the thread at `place`: the first begins where this one doesn't. */
function endOf(place: number): End {
  return place % 2 === 0 ? 'back' : 'front';
}

/**
 * Reads files, in other threads too where there is enough to read. Outcomes are received as they come, so that what they
 * come to together can be worked out while others are still read.
 */
export async function runJobs(
  jobs: readonly Job[],
  receive: (job: Job, outcome: Outcome) => void,
  threads: Threads,
  { onProgress, signal }: PoolOptions,
): Promise<void> {
  const receiveAt = (index: number, outcome: Outcome): void => {
    const job = jobs[index];
    if (job !== undefined) receive(job, outcome);
  };
  const tally = new Tally();
  const tell = (): void => onProgress?.({ files: tally.files, ofFiles: jobs.length, bytes: tally.bytes });
  const stop = (): void => tally.stop();
  signal?.addEventListener('abort', stop);
  const timer = setInterval(tell, TOLD_EVERY_MS);
  try {
    const others = Array.from({ length: lanesFor(jobs) - 1 }, (_, place) =>
      runThread(threads.take(place), { jobs, end: endOf(place), memory: tally.memory }, receiveAt),
    );
    await runLane(jobs, 'front', tally, (index, done) => receiveAt(index, outcomeOf(done)));
    await Promise.all(others);
    signal?.throwIfAborted();
    tell();
  } finally {
    // After a failure nothing that is still read would be used.
    stop();
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
  }
}

function lanesFor(jobs: readonly Job[]): number {
  const bytes = jobs.reduce((sum, { file, before }) => sum + file.size - (before?.mark.offset ?? 0), 0);
  return Math.max(1, Math.min(lanesMax(), Math.ceil(bytes / LANE_BYTES_MIN)));
}

function lanesMax(): number {
  return Math.min(LANES_MAX, availableParallelism());
}

function runThread(thread: Worker, order: Order, receive: (index: number, outcome: Outcome) => void): Promise<void> {
  thread.postMessage(order);
  return new Promise((resolve, reject) => {
    thread.on('error', reject).on('message', ({ done, isLast }: Answer) => {
      try {
        for (const [index, line, trouble] of done) receive(index, line === null ? trouble : cachedOf(line));
        if (isLast) resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

function outcomeOf(done: Done): Outcome {
  return done === null || typeof done === 'string' ? done : { ...done, line: lineOf(done) };
}
