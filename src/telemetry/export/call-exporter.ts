import type { Entry } from '../../domain/usage/call.ts';
import type { ExportCounts, ExportResult, ExportSignal } from '../../domain/telemetry/export-counts.ts';
import type { ExportSettings } from '../../domain/telemetry/export-settings.ts';
import type { Clock, Scheduler } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { CallMetrics } from './call-metrics.ts';
import { callSpan, isSampled } from './call-span.ts';
import { toKeyValues } from './message.ts';
import type { ExportDelivery, SignalSender } from './signal-sender.ts';

export interface CallExporterOptions {
  readonly settings: Pick<ExportSettings, 'resource' | 'isExperimental' | 'temporality' | 'metricsEveryMs'>;
  /** Version of this program. */
  readonly version: string;
  /** null = the signal is off. */
  readonly senders: Readonly<Record<ExportSignal, SignalSender | null>>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** Calls that wait to be sent. Further ones are dropped. */
  readonly queueMax: number;
}

/** Calls of one request. */
const BATCH_MAX = 256;
/** Longest time for which a call waits for others of its batch. */
const BATCH_MS = 5_000;
/** Time for the last requests when the service closes. */
const CLOSE_MS_MAX = 3_000;

/**
 * Exports calls as spans and metrics. Nothing waits for it: calls that find the queue full are dropped and counted, and
 * what is queued is lost with the process.
 */
export class CallExporter {
  readonly #options: CallExporterOptions;
  readonly #metrics: CallMetrics;
  readonly #counts = { traces: noCounts(), metrics: noCounts() };
  readonly #queue: Entry[] = [];
  #sending: Promise<void> | null = null;
  #batchTimer: (() => void) | null = null;
  #metricsTimer: (() => void) | null = null;
  #problem: string | null = null;

  constructor(options: CallExporterOptions) {
    this.#options = options;
    const { settings, clock } = options;
    this.#metrics = new CallMetrics(settings.temporality, settings.isExperimental, clock());
  }

  get counts(): ExportCounts {
    return this.#counts;
  }

  /** Takes calls that are in the ledger. */
  record(entries: readonly Entry[]): void {
    const { senders, scheduler, settings } = this.#options;
    for (const entry of entries) {
      if (senders.metrics) this.#metrics.record(entry);
      if (senders.traces && isSampled(entry)) this.#enqueue(entry);
    }
    if (this.#queue.length >= BATCH_MAX) this.#startSending();
    else if (this.#queue.length > 0) this.#batchTimer ??= scheduler.later(() => this.#startSending(), BATCH_MS);
    if (senders.metrics && entries.length > 0)
      this.#metricsTimer ??= scheduler.later(() => this.#startMetrics(), settings.metricsEveryMs);
  }

  /** Sends the rest once, if that is quick. */
  async close(): Promise<void> {
    const { senders, scheduler } = this.#options;
    const open = [senders.traces, senders.metrics].filter((sender) => sender !== null);
    for (const sender of open) sender.close();
    const cancel = scheduler.later(() => {
      this.#queue.length = 0;
      for (const sender of open) sender.abort();
    }, CLOSE_MS_MAX);
    this.#startSending();
    if (this.#metricsTimer) await this.#guard(this.#sendMetrics());
    await this.#sending;
    cancel();
    this.#metricsTimer?.();
  }

  #enqueue(entry: Entry): void {
    if (this.#queue.length < this.#options.queueMax) this.#queue.push(entry);
    else this.#counts.traces.queue_full += 1;
  }

  #startSending(): void {
    this.#batchTimer?.();
    this.#batchTimer = null;
    this.#sending ??= this.#guard(this.#sendQueue()).finally(() => {
      this.#sending = null;
    });
  }

  async #sendQueue(): Promise<void> {
    const { senders, settings } = this.#options;
    while (senders.traces && this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH_MAX);
      const spans = batch.map((entry) => callSpan(entry, settings.isExperimental));
      const message = { resourceSpans: [{ resource: this.#resource, scopeSpans: [{ scope: this.#scope, spans }] }] };
      this.#note('traces', batch.length, await senders.traces.deliver(message));
    }
  }

  #startMetrics(): void {
    void this.#guard(this.#sendMetrics());
  }

  /** Logs what must never end the thread that keeps the ledger. */
  async #guard(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#options.log.error({ err: error }, 'calls could not be exported');
    }
  }

  /** Sends all metrics, and again after their interval. */
  async #sendMetrics(): Promise<void> {
    const { senders, settings, clock, scheduler } = this.#options;
    this.#metricsTimer?.();
    this.#metricsTimer = scheduler.later(() => this.#startMetrics(), settings.metricsEveryMs);
    const metrics = this.#metrics.collect(clock());
    if (!senders.metrics || metrics.length === 0) return;
    const message = {
      resourceMetrics: [{ resource: this.#resource, scopeMetrics: [{ scope: this.#scope, metrics }] }],
    };
    const points = metrics.reduce((sum, { histogram }) => sum + histogram.dataPoints.length, 0);
    this.#note('metrics', points, await senders.metrics.deliver(message));
  }

  #note(signal: ExportSignal, items: number, delivery: ExportDelivery): void {
    const counts = this.#counts[signal];
    if (!delivery.ok) counts[delivery.reason] += items;
    else {
      const rejected = Math.min(items, delivery.rejected);
      counts.rejected += rejected;
      counts.sent += items - rejected;
    }
    this.#report(delivery.ok ? null : delivery.message);
  }

  /** Logs when the export begins to fail, and when it works again. */
  #report(problem: string | null): void {
    if ((problem === null) === (this.#problem === null)) return;
    this.#problem = problem;
    if (problem === null) this.#options.log.info('calls are exported again');
    else this.#options.log.warn({ reason: problem }, 'calls could not be exported; these are dropped');
  }

  get #resource(): object {
    const { settings, version } = this.#options;
    return { attributes: toKeyValues({ 'service.version': version, ...settings.resource }) };
  }

  get #scope(): object {
    return { name: 'tollbook', version: this.#options.version };
  }
}

function noCounts(): Record<ExportResult, number> {
  return { sent: 0, queue_full: 0, rejected: 0, unreachable: 0 };
}
