import { setFlagsFromString } from 'node:v8';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { MessageToGateway, MessageToLedger } from '../ipc/messages.ts';
import type { MessageFromWorker, MessageToWorker, WorkerMetrics } from '../ipc/worker-messages.ts';
import { lockWorker, workerJournal } from '../ledger/data-folder.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import type { LedgerClient } from './ledger-client.ts';
import { compileForCalls } from './proxy/compiled-code.ts';
import { type OpenGateway, openGateway } from './gateway.ts';
import { SIGNALS, SMALL_HEAP } from './small-heap.ts';

/** Time for the ledger to ship what this worker has left in its journal. */
const CLOSE_MS_MAX = LIMITS.closeGraceMsMax + 10_000;

type ServeMessage = Extract<MessageToWorker, { type: 'serve' }>;

function sendToMain(message: MessageFromWorker): void {
  // The main process may have died, which ends this one, too.
  process.send?.(message, () => {});
}

/** Reaches the ledger through the main process of the service. */
class LedgerLink implements LedgerClient {
  readonly #ready = Promise.withResolvers<Extract<MessageToGateway, { type: 'ready' }>>();
  readonly #closed = Promise.withResolvers<boolean>();
  readonly #onMessage: (message: MessageToGateway) => void;

  constructor(onMessage: (message: MessageToGateway) => void) {
    this.#onMessage = onMessage;
  }

  get ready(): LedgerClient['ready'] {
    return this.#ready.promise;
  }

  send(message: MessageToLedger): void {
    sendToMain(message);
  }

  async close(): Promise<boolean> {
    sendToMain({ type: 'close' });
    const timer = setTimeout(() => this.#closed.resolve(false), CLOSE_MS_MAX);
    return await this.#closed.promise.finally(() => clearTimeout(timer));
  }

  receive(message: MessageToGateway): void {
    if (message.type === 'ready') this.#ready.resolve(message);
    else if (message.type === 'start-failed') this.#ready.reject(new TollbookError('unavailable', message.message));
    else if (message.type === 'closed') this.#closed.resolve(true);
    else this.#onMessage(message);
  }
}

let link: LedgerLink | null = null;
let service: Promise<OpenGateway> | null = null;
let allMetrics: PromiseWithResolvers<readonly WorkerMetrics[]> | null = null;

/** Asks for the metrics of all workers, this one included. The main process always answers. */
function gatherMetrics(): Promise<readonly WorkerMetrics[]> {
  if (!allMetrics) {
    allMetrics = Promise.withResolvers();
    sendToMain({ type: 'ask-metrics' });
  }
  return allMetrics.promise;
}

async function sendMetrics(): Promise<void> {
  sendToMain({ type: 'answer-own-metrics', metrics: (await (await service)?.readMetrics()) ?? [] });
}

async function openWorker({ worker, config }: ServeMessage): Promise<OpenGateway> {
  return await openGateway({
    config,
    log: createLog({ level: config.logLevel }),
    clock: systemClock,
    lock: lockWorker(config.dataDir, worker, systemClock),
    host: {
      journal: workerJournal(config.dataDir, worker),
      name: `worker ${worker}`,
      gatherMetrics,
      // Elsewhere the main process listens, and the workers take connections from its queue.
      sharesPort: process.platform === 'linux',
      startLedger(journalOpen, onMessage) {
        link = new LedgerLink(onMessage);
        sendToMain({ type: 'worker-joins', journalOpen });
        return link;
      },
    },
  });
}

async function serve(message: ServeMessage): Promise<void> {
  try {
    service = openWorker(message);
    const { url } = await service;
    // As where one process serves (`serve.ts`).
    setFlagsFromString(SMALL_HEAP);
    compileForCalls();
    globalThis.gc?.();
    sendToMain({ type: 'worker-serves', url });
  } catch (error) {
    sendToMain({ type: 'worker-failed', message: error instanceof Error ? error.message : String(error) });
    process.disconnect();
  }
}

async function stop(): Promise<void> {
  try {
    await (await service)?.close();
  } finally {
    process.exit();
  }
}

function receiveFromMain(message: MessageToWorker): void {
  switch (message.type) {
    case 'serve':
      return void serve(message);
    case 'stop':
      return void stop();
    case 'ask-own-metrics':
      return void sendMetrics();
    case 'answer-metrics':
      allMetrics?.resolve(message.all);
      return void (allMetrics = null);
    default:
      link?.receive(message);
  }
}

// A terminal and systemd send signals to all processes of a service. The main process says what is to be done.
for (const signal of SIGNALS) process.on(signal, () => {});
// Ended by the main process, however that ends: Node ends a worker of a cluster once it has lost its channel.
process.on('message', (message) => receiveFromMain(message as MessageToWorker));
