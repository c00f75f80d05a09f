import cluster, { type Worker as WorkerProcess } from 'node:cluster';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type Config, LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { MessageToGateway } from '../ipc/messages.ts';
import type { MessageFromWorker, MessageToWorker, MetricRows, WorkerMetrics } from '../ipc/worker-messages.ts';
import type { WorkersLedger } from './ledger-client.ts';

/** Time for a worker to let calls finish, and for the ledger to ship them. */
const STOP_MS_MAX = 2 * LIMITS.closeGraceMsMax + 15_000;

/** Time for a worker to answer with its metrics. */
const METRICS_MS_MAX = 2_000;

interface ServedWorkerParts {
  readonly number: number;
  readonly config: Config;
  readonly ledger: WorkersLedger;
  readonly gatherMetrics: () => Promise<readonly WorkerMetrics[]>;
}

/** One process of a worker. */
export class ServedWorker {
  readonly #process: WorkerProcess;
  readonly #parts: ServedWorkerParts;
  readonly #serving = Promise.withResolvers<string>();
  readonly #exited: Promise<void>;
  /** The way of its messages to and from the ledger thread. */
  #port: MessagePort | null = null;
  #metrics: PromiseWithResolvers<readonly MetricRows[] | null> | null = null;
  hasServed = false;

  constructor(parts: ServedWorkerParts) {
    const { number, config } = parts;
    this.#parts = parts;
    this.#process = cluster.fork();
    this.#exited = new Promise((resolve) => this.#process.once('exit', () => resolve()));
    this.#process.on('message', (message: MessageFromWorker) => this.#receive(message));
    this.onExit(() => {
      this.#port?.close();
      this.#answerMetrics(null);
      this.#serving.reject(new TollbookError('unavailable', `Worker ${number} ended before it served.`));
    });
    // The process may have died meanwhile, which its exit says.
    this.#process.on('error', () => {});
    this.#send({ type: 'serve', worker: number, config });
  }

  get serving(): Promise<string> {
    return this.#serving.promise;
  }

  onExit(listener: () => void): void {
    void this.#exited.then(listener);
  }

  async stop(): Promise<void> {
    this.#send({ type: 'stop' });
    const timer = setTimeout(() => this.kill(), STOP_MS_MAX);
    await this.#exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#process.process.kill('SIGKILL');
  }

  /** Returns null if the worker does not answer. */
  async readMetrics(): Promise<WorkerMetrics | null> {
    const { number } = this.#parts;
    if (!this.hasServed) return null;
    this.#metrics ??= this.#askMetrics();
    const metrics = await this.#metrics.promise;
    return metrics && { worker: number, metrics };
  }

  #askMetrics(): PromiseWithResolvers<readonly MetricRows[] | null> {
    const asked = Promise.withResolvers<readonly MetricRows[] | null>();
    const timer = setTimeout(() => this.#answerMetrics(null), METRICS_MS_MAX);
    void asked.promise.then(() => clearTimeout(timer));
    this.#send({ type: 'ask-own-metrics' });
    return asked;
  }

  #answerMetrics(metrics: readonly MetricRows[] | null): void {
    this.#metrics?.resolve(metrics);
    this.#metrics = null;
  }

  async #sendAllMetrics(): Promise<void> {
    this.#send({ type: 'answer-metrics', all: await this.#parts.gatherMetrics() });
  }

  #send(message: MessageToWorker): void {
    if (this.#process.isConnected()) this.#process.send(message);
  }

  #receive(message: MessageFromWorker): void {
    switch (message.type) {
      case 'worker-joins':
        return this.#join(message.journalOpen);
      case 'worker-serves':
        this.hasServed = true;
        return this.#serving.resolve(message.url);
      case 'worker-failed':
        return this.#serving.reject(new TollbookError('unavailable', message.message));
      case 'ask-metrics':
        return void this.#sendAllMetrics();
      case 'answer-own-metrics':
        return this.#answerMetrics(message.metrics);
      default:
        this.#port?.postMessage(message);
    }
  }

  #join(journalOpen: boolean): void {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: MessageToGateway) => this.#send(message));
    const { ledger, number } = this.#parts;
    ledger.join({ type: 'worker-joined', worker: number, journalOpen, port: port2 });
  }
}
