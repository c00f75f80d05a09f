import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { threadModule, waitForExit } from '../lib/concurrency/worker-thread.ts';
import type { LedgerThreadData, MessageToGateway, MessageToLedger, MessageToWorkersLedger } from '../ipc/messages.ts';

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

/** The ledger thread of a service with workers, as the main process sees it. */
export interface WorkersLedger extends Pick<LedgerClient, 'close'> {
  readonly ready: Promise<Extract<MessageToGateway, { type: 'open-for-workers' }>>;
  /** Hands the ledger a port to a worker. */
  join(message: Extract<MessageToWorkersLedger, { type: 'worker-joined' }>): void;
}

/** Time for shipping, and for closing everything. */
const CLOSE_MS_MAX = LIMITS.closeGraceMsMax + 10_000;
/**
 * Size of the young generation. Batches and reports leave garbage; a larger one would only make the process bigger,
 * because V8 keeps two. Set as a flag, which V8 reads when a thread starts, because a flag of the process overrules
 * `resourceLimits`.
 */
const SMALL_NURSERY = '--max-semi-space-size=4';

/** Starts the ledger thread for workers that join later. `onDeath` runs when it ends unexpectedly. */
export function startWorkersLedger(data: LedgerThreadData, onDeath: (error: Error) => void): WorkersLedger {
  const { worker, ready, close } = startThread(data, 'open-for-workers', () => {}, onDeath);
  return { ready, join: (message) => worker.postMessage(message, [message.port]), close };
}

/**
 * Starts the ledger thread. `onMessage` gets its messages after it is ready; `onDeath` runs when it ends
 * unexpectedly.
 */
export function startLedgerThread(
  data: LedgerThreadData,
  onMessage: (message: MessageToGateway) => void,
  onDeath: (error: Error) => void,
): LedgerClient {
  const { worker, ready, close } = startThread(data, 'ready', onMessage, onDeath);
  return { ready, send: (message) => worker.postMessage(message), close };
}

type OpenMessage<Type> = Extract<MessageToGateway, { type: Type }>;

interface LedgerThread<Type> extends Pick<LedgerClient, 'close'> {
  readonly worker: Worker;
  readonly ready: Promise<OpenMessage<Type>>;
}

/** @param open type of the message that says that the ledger is open */
function startThread<Type extends 'ready' | 'open-for-workers'>(
  data: LedgerThreadData,
  open: Type,
  onMessage: (message: MessageToGateway) => void,
  onDeath: (error: Error) => void,
): LedgerThread<Type> {
  setFlagsFromString(SMALL_NURSERY);
  const worker = new Worker(threadModule('../ledger/thread', import.meta.url), { workerData: data });
  let closing = false;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const ready = new Promise<OpenMessage<Type>>((resolve, reject) => {
    worker.on('message', (message: MessageToGateway) => {
      if (message.type === open) resolve(message as OpenMessage<Type>);
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
    worker,
    ready,
    async close() {
      closing = true;
      worker.postMessage({ type: 'close' } satisfies MessageToLedger);
      return await waitForExit(worker, exited, CLOSE_MS_MAX);
    },
  };
}
