import { parentPort, workerData } from 'node:worker_threads';
import { detectHere, replayHere, type ThreadTask } from './detection-task.ts';

/** Judges one order, so that the book can answer meanwhile. */
const { order, replay } = workerData as ThreadTask;
parentPort?.postMessage(replay ? replayHere(order, replay) : detectHere(order));
