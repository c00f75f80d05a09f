import { setImmediate } from 'node:timers/promises';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { BlockReader, type PauseCallback, type ReadMark } from './read-blocks.ts';
import type { FileFacts } from './file-cache.ts';
import type { FactsReader, SessionFile, SourceReader } from './source.ts';
import { SOURCES } from './sources.ts';

/** Bytes after which other work of the thread runs: about ten milliseconds. */
const TURN_BYTES = 8 * 1024 * 1024;

/** Mark of a file that is not read in lines. */
const WHOLE: ReadMark = { offset: 0, check: 0 };

/** A file to read. */
export interface ReadJob {
  readonly source: LocalSource;
  readonly file: SessionFile;
  /** Facts from an earlier reading; null = none. */
  readonly before: FileFacts | null;
}

/** Result of a job: the facts of the file; null = the file no longer exists; a text = why it could not be read. */
export type JobResult = FileFacts | string | null;

/** Reads files one after another until none is left. Several workers share one list of jobs and its progress. */
export async function runReadWorker(
  jobs: readonly ReadJob[],
  end: QueueEnd,
  tally: SharedProgress,
  receive: (index: number, done: JobResult) => void,
): Promise<void> {
  const blocks = new BlockReader();
  const pause = createPause(tally);
  const readers = new Map<LocalSource, SourceReader<unknown>>();
  for (;;) {
    const index = tally.take(jobs.length, end);
    const job = jobs[index];
    if (job === undefined || tally.isStopped) return;
    let reader = readers.get(job.source);
    if (reader === undefined) readers.set(job.source, (reader = await (await SOURCES[job.source]()).open()));
    receive(index, await runJob(job, reader, blocks, pause));
    tally.addFile();
  }
}

function createPause(tally: SharedProgress): PauseCallback {
  let turn = 0;
  return (bytes) => {
    if (tally.isStopped) throw new Error('stopped');
    tally.addBytes(bytes);
    turn += bytes;
    if (turn < TURN_BYTES) return undefined;
    turn = 0;
    return setImmediate();
  };
}

async function runJob(
  { file, before }: ReadJob,
  reader: SourceReader<unknown>,
  blocks: BlockReader,
  pause: PauseCallback,
): Promise<JobResult> {
  let lines: FactsReader<unknown> | null = null;
  try {
    const whole = reader.readWhole?.(file);
    if (whole !== undefined) return { file, mark: WHOLE, facts: whole };
    const read = await blocks.read(
      file,
      before,
      (goesOn) => (lines = reader.read(file, goesOn && before !== null ? before.facts : null)),
      pause,
    );
    return read === null || lines === null ? null : { ...read, facts: (lines as FactsReader<unknown>).facts() };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    return `${file.path} could not be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const TAKEN = 0;
const FROM_FRONT = 1;
const FROM_BACK = 2;
const STOPPED = 3;
const FILES = 4;
const KIBS = 5;
const COUNTERS = 6;
const KIB = 1024;

/** End of the list from which a worker takes jobs. A thread that reads only one source compiles only its code. */
export type QueueEnd = 'front' | 'back';

/** State shared by all workers: the next job, a stop signal, and progress. Each thread wraps the same memory. */
export class SharedProgress {
  readonly memory: SharedArrayBuffer;
  readonly #counters: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#counters = new Int32Array(memory);
  }

  /** Takes the next of `count` jobs from either end, each once. Returns −1 if none is left. */
  take(count: number, end: QueueEnd): number {
    if (Atomics.add(this.#counters, TAKEN, 1) >= count) return -1;
    return end === 'front'
      ? Atomics.add(this.#counters, FROM_FRONT, 1)
      : count - 1 - Atomics.add(this.#counters, FROM_BACK, 1);
  }

  get isStopped(): boolean {
    return Atomics.load(this.#counters, STOPPED) !== 0;
  }

  stop(): void {
    Atomics.store(this.#counters, STOPPED, 1);
  }

  addFile(): void {
    Atomics.add(this.#counters, FILES, 1);
  }

  addBytes(bytes: number): void {
    Atomics.add(this.#counters, KIBS, Math.ceil(bytes / KIB));
  }

  get files(): number {
    return Atomics.load(this.#counters, FILES);
  }

  /** Bytes read, rounded up to KiB per block. */
  get bytes(): number {
    return Atomics.load(this.#counters, KIBS) * KIB;
  }
}
