import { Worker } from 'node:worker_threads';
import { TollbookError } from '../../domain/errors.ts';
import { threadModule } from '../../lib/concurrency/worker-thread.ts';

/**
 * Checks a file for damage on its own thread and connection, which takes minutes in a large ledger. Concurrent
 * callers share one check.
 */
export class DamageChecker {
  readonly #file: string;
  #worker: Worker | null = null;
  #running: Promise<string | null> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the first damage; null = none. */
  run(): Promise<string | null> {
    this.#running ??= this.#start().finally(() => (this.#running = null));
    return this.#running;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Promise<string | null> {
    const worker = new Worker(threadModule('check-thread', import.meta.url), { workerData: this.#file });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => {
        if (this.#worker === worker) this.#worker = null;
        reject(new TollbookError('unavailable', 'The check was canceled before it finished.'));
      });
    });
  }
}
