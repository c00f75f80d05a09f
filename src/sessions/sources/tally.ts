const TAKEN = 0;
const FROM_FRONT = 1;
const FROM_BACK = 2;
const STOPPED = 3;
const FILES = 4;
const KIBS = 5;
const COUNTERS = 6;
const KIB = 1024;

/** Where a lane takes its jobs from: a thread that reads one source alone compiles the code of one. */
export type QueueEnd = 'front' | 'back';

/** What all lanes share: the next job, whether to stop, and how much is done. Wrap it around the same memory in each thread. */
export class SharedProgress {
  readonly memory: SharedArrayBuffer;
  readonly #counters: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#counters = new Int32Array(memory);
  }

  /** The next of `count` jobs to do, from either end; each is taken once. −1 = none is left. */
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

  /** To the KiB, for each block. */
  get bytes(): number {
    return Atomics.load(this.#counters, KIBS) * KIB;
  }
}
