import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Config } from '../config.ts';
import type { MessageToGateway, MessageToLedger } from './messages.ts';

/** All values of a metric. */
export type MetricRows = MetricObjectWithValues<MetricValue<string>>;

export interface WorkerMetrics {
  readonly worker: number;
  readonly metrics: readonly MetricRows[];
}

/** Messages from the main process of a service to one of its workers. Those of the ledger are passed on to it. */
export type MessageToWorker =
  | MessageToGateway
  | { readonly type: 'serve'; readonly worker: number; readonly config: Config }
  | { readonly type: 'ask-own-metrics' }
  | { readonly type: 'answer-metrics'; readonly all: readonly WorkerMetrics[] }
  /** Let calls finish, and end. */
  | { readonly type: 'stop' };

/** Messages from a worker to the main process. Those to the ledger are passed on to it. */
export type MessageFromWorker =
  | MessageToLedger
  /** The journal of the worker was opened, or could not be. */
  | { readonly type: 'worker-joins'; readonly journalOpen: boolean }
  | { readonly type: 'worker-serves'; readonly url: string }
  /** Asks for the metrics of all workers. */
  | { readonly type: 'ask-metrics' }
  | { readonly type: 'answer-own-metrics'; readonly metrics: readonly MetricRows[] }
  | { readonly type: 'worker-failed'; readonly message: string };
