import { parentPort, workerData } from 'node:worker_threads';
import { detectHere, replayHere, type ThreadTask } from './detection-task.ts';

/** Runs one task on its own thread, so that the ledger can answer meanwhile. */
const { order, replay } = workerData as ThreadTask;
parentPort?.postMessage(replay ? replayHere(order, replay) : detectHere(order));
