import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { threadModule } from '../../lib/concurrency/worker-thread.ts';
import { type CachedFile, parseCacheLine, toCacheLine } from './file-cache.ts';
import { type JobResult, type QueueEnd, type ReadJob, runReadWorker, SharedProgress } from './read-worker.ts';

/** A thread takes as long to start as this takes to read. */
const WORKER_BYTES_MIN = 24 * 1024 * 1024;
const WORKERS_MAX = 4;
const PROGRESS_EVERY_MS = 100;
/** MiB. Reading leaves much garbage and little behind. */
const NURSERY_MIB = 4;

/** What a thread is told to do. */
export interface ThreadOrder {
  readonly jobs: readonly ReadJob[];
  readonly end: QueueEnd;
  readonly memory: SharedArrayBuffer;
}

/** What a thread answers, some jobs at a time: of each a line of the cache; or why there is none, null = the file is gone. */
export interface ThreadAnswer {
  readonly done: readonly (readonly [index: number, line: string | null, trouble: string | null])[];
  readonly isLast: boolean;
}

export interface ReadProgress {
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
}

export interface PoolOptions {
  readonly onProgress?: ((done: ReadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file as it is now known; null = it is gone; a text = why it could not be read. */
export type FileOutcome = CachedFile | string | null;

/** Other threads. They can be started before it is known what there is to read: both take about as long. */
export class Threads {
  #waiting: readonly Worker[];
  readonly #sources: readonly LocalSource[];

  /** @param isEarly there will be much to read */
  constructor(sources: readonly LocalSource[], isEarly: boolean) {
    this.#sources = sources;
    this.#waiting = isEarly ? Array.from({ length: maxWorkers() - 1 }, (_, place) => this.#start(place)) : [];
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
    const source = this.#sources.at(queueEnd(place) === 'back' ? -1 : 0);
    const resourceLimits = { maxYoungGenerationSizeMb: NURSERY_MIB };
    const thread = new Worker(threadModule('read-thread', import.meta.url), { workerData: source, resourceLimits });
    // One that fails before it is taken is nobody's trouble yet: another is started in its place when it is needed.
    return thread.on('error', () => (this.#waiting = this.#waiting.filter((one) => one !== thread)));
  }
}

/** Of the thread at `place`: the first begins where this one doesn't. */
function queueEnd(place: number): QueueEnd {
  return place % 2 === 0 ? 'back' : 'front';
}

/**
 * Reads files, in other threads too where there is enough to read. Outcomes are received as they come, so that what they
 * come to together can be worked out while others are still read.
 */
export async function runJobs(
  jobs: readonly ReadJob[],
  receive: (job: ReadJob, outcome: FileOutcome) => void,
  threads: Threads,
  { onProgress, signal }: PoolOptions,
): Promise<void> {
  const receiveAt = (index: number, outcome: FileOutcome): void => {
    const job = jobs[index];
    if (job !== undefined) receive(job, outcome);
  };
  const tally = new SharedProgress();
  const tell = (): void => onProgress?.({ files: tally.files, ofFiles: jobs.length, bytes: tally.bytes });
  const stop = (): void => tally.stop();
  signal?.addEventListener('abort', stop);
  const timer = setInterval(tell, PROGRESS_EVERY_MS);
  try {
    const others = Array.from({ length: countWorkers(jobs) - 1 }, (_, place) =>
      runThread(threads.take(place), { jobs, end: queueEnd(place), memory: tally.memory }, receiveAt),
    );
    await runReadWorker(jobs, 'front', tally, (index, done) => receiveAt(index, toOutcome(done)));
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

function countWorkers(jobs: readonly ReadJob[]): number {
  const bytes = jobs.reduce((sum, { file, before }) => sum + file.size - (before?.mark.offset ?? 0), 0);
  return Math.max(1, Math.min(maxWorkers(), Math.ceil(bytes / WORKER_BYTES_MIN)));
}

function maxWorkers(): number {
  return Math.min(WORKERS_MAX, availableParallelism());
}

function runThread(
  thread: Worker,
  order: ThreadOrder,
  receive: (index: number, outcome: FileOutcome) => void,
): Promise<void> {
  thread.postMessage(order);
  return new Promise((resolve, reject) => {
    thread.on('error', reject).on('message', ({ done, isLast }: ThreadAnswer) => {
      try {
        for (const [index, line, trouble] of done) receive(index, line === null ? trouble : parseCacheLine(line));
        if (isLast) resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

function toOutcome(done: JobResult): FileOutcome {
  return done === null || typeof done === 'string' ? done : { ...done, line: toCacheLine(done) };
}
