import { parentPort, workerData } from 'node:worker_threads';
import { judgeHere, rejudgeHere, type ThreadOrder } from './judge-order.ts';

/** Judges one order, so that the book can answer meanwhile. */
const { order, replay } = workerData as ThreadOrder;
parentPort?.postMessage(replay ? rejudgeHere(order, replay) : judgeHere(order));
