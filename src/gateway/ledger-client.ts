import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { threadModule, waitForExit } from '../lib/concurrency/worker-thread.ts';
import type { LedgerThreadData, MessageToLedger, MessageToGateway } from '../ipc/messages.ts';

/** The ledger thread, as the gateway's thread sees it. */
export interface LedgerClient {
  /** Resolves when the ledger can answer. Rejects with a sentence when it could not be opened. */
  readonly ready: Promise<Extract<MessageToGateway, { type: 'ready' }>>;
  send(message: MessageToLedger): void;
  /**
   * Asks the thread to ship the remaining calls and to close. false = it did not in time; the rest stays in the
   * journal.
   */
  close(): Promise<boolean>;
}

/** Time for shipping, and for closing everything. */
const CLOSE_MS_MAX = LIMITS.closeGraceMsMax + 10_000;
/**
 * Size of the young generation. Batches and reports leave garbage; a larger one would only make the process bigger,
 * because V8 keeps two. Set as a flag, which V8 reads when a thread starts, because a flag of the process overrules
 * `resourceLimits`.
 */
const SMALL_NURSERY = '--max-semi-space-size=4';

/**
 * Starts the ledger thread. `onMessage` gets its messages after it is ready; `onDeath` runs when it ends
 * unexpectedly.
 */
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
      else if (message.type === 'start-failed') reject(new TollbookError('unavailable', message.message));
      else onMessage(message);
    });
    worker.once('error', (error: Error) => {
      reject(error);
      if (!closing) onDeath(error);
    });
    worker.once('exit', (code) => {
      const error = new Error(`The ledger thread ended with code ${code}.`);
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
