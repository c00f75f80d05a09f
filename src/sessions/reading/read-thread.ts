import { parentPort, workerData } from 'node:worker_threads';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { toCacheLine } from './file-cache.ts';
import { runReadWorker, SharedProgress } from './read-worker.ts';
import type { ThreadAnswer, ThreadOrder } from './thread-pool.ts';
import { SOURCES } from './sources.ts';

/** Characters per message. */
const ANSWER_CHARS = 128 * 1024;

/** Runs a read worker in a thread. It returns lines of the cache, which are smaller and faster to transfer than objects. */
const order = new Promise<ThreadOrder>((resolve) => parentPort?.once('message', resolve));
await (await SOURCES[workerData as LocalSource]()).open();
const { jobs, end, memory } = await order;
let done: ThreadAnswer['done'][number][] = [];
let chars = 0;
await runReadWorker(jobs, end, new SharedProgress(memory), (index, outcome) => {
  const line = outcome === null || typeof outcome === 'string' ? null : toCacheLine(outcome);
  done.push([index, line, typeof outcome === 'string' ? outcome : null]);
  chars += line?.length ?? 0;
  if (chars >= ANSWER_CHARS) answer(false);
});
answer(true);

function answer(isLast: boolean): void {
  parentPort?.postMessage({ done, isLast } satisfies ThreadAnswer);
  done = [];
  chars = 0;
}
