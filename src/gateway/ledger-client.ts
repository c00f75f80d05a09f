import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { threadModule, waitForExit } from '../lib/concurrency/worker-thread.ts';
import type { LedgerThreadData, MessageToLedger, MessageToGateway } from '../ipc/messages.ts';

/** The book thread as the gate thread sees it. */
export interface LedgerClient {
  /** Resolves when reports can be answered. Rejects with a sentence when the book could not be opened. */
  readonly ready: Promise<Extract<MessageToGateway, { type: 'ready' }>>;
  send(message: MessageToLedger): void;
  /** Asks it to ship what is left and to close. false = it did not in time: what is left is in the journal. */
  close(): Promise<boolean>;
}

/** It has its time for shipping, and some more to close everything. */
const CLOSE_MS_MAX = LIMITS.closeGraceMsMax + 10_000;
/**
 * Batches and reports leave garbage; a larger nursery, of which V8 keeps two, would only make the process bigger. As a flag,
 * which threads to come read and this one no more: one that the process was started with overrules `resourceLimits`.
 */
const SMALL_NURSERY = '--max-semi-space-size=4';

/** Starts the book thread. `onMessage` gets what it tells after it is ready; `onDeath` when it ends unasked. */
export function startLedgerThread(
  data: LedgerThreadData,
  onMessage: (message: MessageToGateway) => void,
  onDeath: (error: Error) => void,
): LedgerClient {
  setFlagsFromString(SMALL_NURSERY);
  const worker = new Worker(threadModule('../ledger/thread', import.meta.url), { workerData: data });
  let closing = false;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const ready: LedgerClient['ready'] = new Promise((resolve, reject) => {
    worker.on('message', (message: MessageToGateway) => {
      if (message.type === 'ready') resolve(message);
      else if (message.type === 'failed') reject(new TollbookError('unavailable', message.message));
      else onMessage(message);
    });
    worker.once('error', (error: Error) => {
      reject(error);
      if (!closing) onDeath(error);
    });
    worker.once('exit', (code) => {
      const error = new Error(`The book thread ended with code ${code}.`);
      reject(error);
      if (!closing) onDeath(error);
    });
  });
  return {
    ready,
    send: (message) => worker.postMessage(message),
    async close() {
      closing = true;
      worker.postMessage({ type: 'close' } satisfies MessageToLedger);
      return await waitForExit(worker, exited, CLOSE_MS_MAX);
    },
  };
}
