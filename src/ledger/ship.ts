import { setImmediate, setTimeout } from 'node:timers/promises';
import { TollbookError } from '../domain/errors.ts';
import type { JournalReader } from '../journal/journal-reader.ts';
import type { EntryStore } from '../storage/entry-store.ts';

export interface ShipperOptions {
  readonly reader: JournalReader;
  readonly store: Pick<EntryStore, 'append' | 'mark'>;
  /** Called with the durable mark of the store, after each batch and once at the start. */
  readonly onShipped: (mark: number) => void;
  /** Called with the reason when shipping is stuck, and with null when it continues. */
  readonly onProblem: (problem: string | null) => void;
  /**
   * Called with the number of ended calls that are missing in the journal, after the ledger was restored from an
   * older copy.
   */
  readonly onMissing: (calls: number) => void;
  /** Processes waiting messages between reading a batch and shipping it. Default: nothing. */
  readonly takeMessages?: () => void;
  readonly batchEntriesMax: number;
  /** First wait after a failure; doubled up to `RETRY_MS_MAX`. */
  readonly retryMs: number;
  /** Waits `ms`, or until the signal aborts. Default: the system's timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface EntryShipper {
  /** Reads and reports the store's mark, and ships waiting calls. Throws when the store can't be read. */
  start(): Promise<void>;
  /** Ships calls if any wait. */
  poke(): void;
  /** Reads the store's mark again, and ships calls that the store no longer has. */
  reread(): void;
  /** Resolves when no call waits. */
  caughtUp(): Promise<void>;
  /** Ships up to exactly this end and runs `work` before the next call. Failed work is retried. */
  stopAt(endSeq: number, work: () => Promise<void>): void;
  /** Ships the remaining calls until the signal aborts. Returns true if the store has everything. */
  close(within: AbortSignal): Promise<boolean>;
}

const RETRY_MS_MAX = 30_000;

interface ShipStop {
  readonly endSeq: number;
  readonly work: () => Promise<void>;
}

/** Ships ended and refused calls from the journal to the store, each once: entries and mark change in one transaction. */
export function createShipper(options: ShipperOptions): EntryShipper {
  return new JournalShipper(options);
}

class JournalShipper implements EntryShipper {
  readonly #options: ShipperOptions;
  /** Last mark of the store; null = unknown. */
  #mark: number | null = null;
  #asked = false;
  /** Ordered by `endSeq`, then by arrival. */
  #stops: ShipStop[] = [];
  #running: Promise<void> | null = null;
  #problem: string | null = null;
  #pause = new AbortController();
  #closeWithin: AbortSignal | null = null;

  constructor(options: ShipperOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#readMark();
    this.poke();
  }

  poke(): void {
    this.#asked = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      // Poked after the last check.
      if (this.#asked && !this.#closeWithin?.aborted) this.poke();
    });
  }

  reread(): void {
    this.#mark = null;
    this.poke();
  }

  async caughtUp(): Promise<void> {
    while (this.#running) await this.#running;
  }

  stopAt(endSeq: number, work: () => Promise<void>): void {
    this.#stops = [...this.#stops, { endSeq, work }].toSorted((a, b) => a.endSeq - b.endSeq);
    this.poke();
  }

  async close(within: AbortSignal): Promise<boolean> {
    this.#closeWithin = within;
    const aborted = new Promise<false>((resolve) => {
      const stop = (): void => {
        this.#pause.abort();
        resolve(false);
      };
      if (within.aborted) stop();
      else within.addEventListener('abort', stop, { once: true });
    });
    // Retry immediately if waiting after a failure.
    this.#pause.abort();
    this.poke();
    const ended = this.#running?.then(() => !this.#asked) ?? false;
    return Promise.race([ended, aborted]);
  }

  async #run(): Promise<void> {
    let waitMs = this.#options.retryMs;
    while (this.#asked && !this.#closeWithin?.aborted) {
      this.#asked = false;
      try {
        if (await this.#shipBatch()) this.#asked = true;
        this.#report(null);
        waitMs = this.#options.retryMs;
        // Queries are answered between two batches.
        await setImmediate();
      } catch (error) {
        this.#asked = true;
        // The store may have committed before it failed.
        this.#mark = null;
        this.#report(describeError(error));
        await this.#wait(waitMs);
        waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
      }
    }
  }

  /** Ships one batch. Returns true if there was work. */
  async #shipBatch(): Promise<boolean> {
    const { reader, store, batchEntriesMax, onMissing, takeMessages } = this.#options;
    const after = this.#mark ?? (await this.#readMark());
    if (await this.#stopped(after)) return true;
    let batch = reader.readEnded(after, batchEntriesMax);
    // A stop before one of these ends was requested before the end was written.
    takeMessages?.();
    const [stop] = this.#stops;
    if (stop && stop.endSeq <= after) return true;
    if (stop && stop.endSeq < batch.mark) batch = reader.readEnded(after, stop.endSeq - after);
    const { mark, entries, refused, missing } = batch;
    if (entries.length === 0 && refused.length === 0) return false;
    await store.append({ journalId: reader.journalId, after, mark, entries, refused });
    if (missing > 0) onMissing(missing);
    if ((await this.#readMark()) < mark) throw new Error('its mark did not move');
    return true;
  }

  /** Runs the work of one reached stop; false = none. */
  async #stopped(mark: number): Promise<boolean> {
    const [stop] = this.#stops;
    if (!stop || stop.endSeq > mark) return false;
    await stop.work();
    this.#stops = this.#stops.filter((other) => other !== stop);
    return true;
  }

  async #readMark(): Promise<number> {
    const mark = await this.#options.store.mark(this.#options.reader.journalId);
    this.#mark = mark;
    this.#options.onShipped(mark);
    return mark;
  }

  async #wait(ms: number): Promise<void> {
    this.#pause = new AbortController();
    if (this.#closeWithin?.aborted) return;
    await (this.#options.wait ?? waitFor)(ms, this.#pause.signal);
  }

  #report(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}

function describeError(error: unknown): string {
  if (error instanceof TollbookError) return error.message;
  const reason = error instanceof Error ? error.message : String(error);
  return `The ledger can't store entries (${reason}). They wait in the journal and are retried.`;
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    // An aborted wait is a short wait.
    if (!signal.aborted) throw error;
  }
}
