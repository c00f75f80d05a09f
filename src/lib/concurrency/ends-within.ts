import type { Worker } from 'node:worker_threads';

/**
 * Waits for a thread to end by itself; `exited` is its end, which may have come already. false = it did not end in time:
 * it is being ended, and nobody waits for it.
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
