import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { threadModule } from '../../lib/concurrency/worker-thread.ts';
import { type CachedFile, parseCacheLine, toCacheLine } from './file-cache.ts';
import { type JobResult, type QueueEnd, type ReadJob, runReadWorker, SharedProgress } from './read-worker.ts';

/** Bytes that take as long to read as a thread takes to start. */
const WORKER_BYTES_MIN = 24 * 1024 * 1024;
const WORKERS_MAX = 4;
const PROGRESS_EVERY_MS = 100;
/** Small, because reading makes much garbage and keeps little. */
const NURSERY_MIB = 4;

/** Message to a thread. */
export interface ThreadOrder {
  readonly jobs: readonly ReadJob[];
  readonly end: QueueEnd;
  readonly memory: SharedArrayBuffer;
}

/** Message from a thread with some results: for each a line of the cache, or why there is none; null = no such file. */
export interface ThreadAnswer {
  readonly done: readonly (readonly [index: number, line: string | null, error: string | null])[];
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

/** Result for a file: its facts; null = it no longer exists; a text = why it could not be read. */
export type FileOutcome = CachedFile | string | null;

/** Additional threads. They can start before the files are found, because both take about as long. */
export class ThreadPool {
  #waiting: readonly Worker[];
  readonly #sources: readonly LocalSource[];

  /** @param isEarly starts the threads now, because there will be much to read */
  constructor(sources: readonly LocalSource[], isEarly: boolean) {
    this.#sources = sources;
    this.#waiting = isEarly ? Array.from({ length: maxWorkers() - 1 }, (_, place) => this.#start(place)) : [];
  }

  take(place: number): Worker {
    const [first, ...others] = this.#waiting;
    this.#waiting = others;
    return first ?? this.#start(place);
  }

  /** Ends the threads that were not taken. */
  async close(): Promise<void> {
    await Promise.all(this.#waiting.map((thread) => thread.terminate()));
  }

  #start(place: number): Worker {
    const source = this.#sources.at(queueEnd(place) === 'back' ? -1 : 0);
    const resourceLimits = { maxYoungGenerationSizeMb: NURSERY_MIB };
    const thread = new Worker(threadModule('read-thread', import.meta.url), { workerData: source, resourceLimits });
    // A thread that fails before it is taken is dropped. Another one is started when it is needed.
    return thread.on('error', () => (this.#waiting = this.#waiting.filter((one) => one !== thread)));
  }
}

/** Returns the end at which the thread at `place` starts. The first thread starts at the end that this thread does not use. */
function queueEnd(place: number): QueueEnd {
  return place % 2 === 0 ? 'back' : 'front';
}

/**
 * Reads files, with additional threads if there is enough to read. Results are passed on immediately, so that a source can
 * be resolved while others are still being read.
 */
export async function runJobs(
  jobs: readonly ReadJob[],
  receive: (job: ReadJob, outcome: FileOutcome) => void,
  threads: ThreadPool,
  { onProgress, signal }: PoolOptions,
): Promise<void> {
  const receiveAt = (index: number, outcome: FileOutcome): void => {
    const job = jobs[index];
    if (job !== undefined) receive(job, outcome);
  };
  const tally = new SharedProgress();
  const report = (): void => onProgress?.({ files: tally.files, ofFiles: jobs.length, bytes: tally.bytes });
  const stop = (): void => tally.stop();
  signal?.addEventListener('abort', stop);
  const timer = setInterval(report, PROGRESS_EVERY_MS);
  try {
    const others = Array.from({ length: countWorkers(jobs) - 1 }, (_, place) =>
      runThread(threads.take(place), { jobs, end: queueEnd(place), memory: tally.memory }, receiveAt),
    );
    await runReadWorker(jobs, 'front', tally, (index, done) => receiveAt(index, toOutcome(done)));
    await Promise.all(others);
    signal?.throwIfAborted();
    report();
  } finally {
    // After a failure, other threads must stop too.
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
        for (const [index, line, problem] of done) receive(index, line === null ? problem : parseCacheLine(line));
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
