import { parentPort, workerData } from 'node:worker_threads';
import { lineOf } from './cache.ts';
import { runLane } from './lane.ts';
import type { Answer, Order } from './pool.ts';
import { Tally } from './tally.ts';

/** Another lane, in a thread of its own. It answers in lines of the cache: smaller, and quicker to hand over than objects. */
const { jobs, end, memory } = workerData as Order;
const answer: Answer = [];
await runLane(jobs, end, new Tally(memory), (index, done) =>
  answer.push(done === null || typeof done === 'string' ? [index, null, done] : [index, lineOf(done), null]),
);
parentPort?.postMessage(answer);
