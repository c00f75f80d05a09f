const NEXT = 0;
const STOPPED = 1;
const FILES = 2;
const KIBS = 3;
const COUNTERS = 4;
const KIB = 1024;

/** What all lanes share: the next job, whether to stop, and how much is done. Wrap it around the same memory in each thread. */
export class Tally {
  readonly memory: SharedArrayBuffer;
  readonly #counters: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#counters = new Int32Array(memory);
  }

  /** The next job to do; each is taken once. */
  take(): number {
    return Atomics.add(this.#counters, NEXT, 1);
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
