import type { Worker } from 'node:worker_threads';
import type { Uptime } from '../clock.ts';

/**
 * Returns the URL of a thread's module in the same folder as its parent. Compiled modules end in .js, sources in .ts.
 */
export function threadModule(name: string, parentUrl: string): URL {
  return new URL(`./${name}${parentUrl.endsWith('.ts') ? '.ts' : '.js'}`, parentUrl);
}

/**
 * Waits for a thread to end; `exited` is its exit, which may have happened already. false = it did not end in time and
 * is being terminated.
 */
export async function waitForExit(worker: Worker, exited: Promise<unknown>, msMax: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), msMax)));
  const ended = await Promise.race([exited.then(() => true), late]);
  clearTimeout(timer);
  if (!ended) {
    worker.unref();
    void worker.terminate();
  }
  return ended;
}

/** Signs of life of something that works elsewhere: a thread that hangs still exists, but says nothing. */
export class ThreadHeartbeat {
  readonly #uptime: Uptime;
  readonly #silenceMsMax: number;
  #lastSignalAt: number;

  constructor(uptime: Uptime, silenceMsMax: number) {
    this.#uptime = uptime;
    this.#silenceMsMax = silenceMsMax;
    this.#lastSignalAt = uptime();
  }

  beat(): void {
    this.#lastSignalAt = this.#uptime();
  }

  /** For how many whole seconds nothing was heard, once that is too long; null = it lives. */
  silentSeconds(): number | null {
    const silence = this.#uptime() - this.#lastSignalAt;
    return silence > this.#silenceMsMax ? Math.floor(silence / 1_000) : null;
  }
}
