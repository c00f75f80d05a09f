import { shownAmount } from '../domain/limits/limit-fields.ts';
import type { ListedNode } from '../storage/node-amounts.ts';
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ExportCounts } from '../domain/telemetry/export-counts.ts';
import type { MetricRows, WorkerMetrics } from '../ipc/worker-messages.ts';
import type { NodeCounts } from '../storage/records/nodes.ts';
import type { ConnectionState } from '../domain/reconciliation/coverage.ts';
import type { HistogramBuckets } from '../lib/histogram-buckets.ts';
import { type GatewayMetrics, type ModelCounts, OVERHEAD_SECONDS, type ProviderCounts, SECONDS } from './metrics.ts';

/** Values that `/metrics` reads when it is requested. */
export interface GatewayReadings {
  inFlight(): number;
  waiting(): number;
  limitCounters(): number;
  bodyBytes(): number;
  /** Ended calls that are not in the ledger yet. */
  journalLag(): number;
  /** Refused calls that are not recorded, because the journal could not be written. */
  lostRefusals(): number;
  healthy(): boolean;
  ledgerHealthy(): boolean;
  deliveriesWaiting(): number;
  nodes(): NodeCounts;
  /** null = calls are not exported. */
  exported(): ExportCounts | null;
  /** The nodes on a shared database. */
  listedNodes(): readonly ListedNode[];
  connections(): readonly ConnectionState[];
  /** Epoch ms. */
  now(): number;
}

/** Returns the values of a node, each with its labels. */
type ReadNode = (node: ListedNode) => readonly (readonly [Readonly<Record<string, string>>, number])[];
/** Metrics of the whole service, which all workers have. */
const OF_SERVICE = /^tollbook_(nodes|node_|deliveries_waiting|exported_telemetry_total|reports_)/;

/** Returns the metrics of all workers: a worker's own have its number, so each counter begins at zero only with its process. */
export function mergeMetrics(all: readonly WorkerMetrics[]): Registry {
  const [first] = all;
  const shared = first?.metrics.filter(({ name }) => OF_SERVICE.test(name)) ?? [];
  return AggregatorRegistry.aggregate([shared, ...all.map(withNumber)]);
}

function withNumber({ worker, metrics }: WorkerMetrics): MetricRows[] {
  const own = metrics.filter(({ name }) => !OF_SERVICE.test(name));
  const label = (value: MetricRows['values'][number]) => ({ ...value, labels: { ...value.labels, worker } });
  const numbered: MetricRows[] = [];
  // No two values have the same labels, so nothing is added up.
  for (const metric of own) numbered.push({ ...metric, aggregator: 'sum', values: metric.values.map(label) });
  return numbered;
}

/** Prometheus metrics of the gateway: passes its counts to the metrics library on each request. */
export class PrometheusMetrics {
  readonly registry = new Registry();
  readonly #providers: GatewayMetrics['providers'];
  readonly #refusals: GatewayMetrics['refusals'];

  constructor(readings: GatewayReadings, metrics: GatewayMetrics) {
    this.#providers = metrics.providers;
    this.#refusals = metrics.refusals;
    collectDefaultMetrics({ register: this.registry });
    this.#gauge('in_flight', 'Open calls.', () => readings.inFlight());
    this.#gauge('waiting', 'Calls waiting for room under a limit.', () => readings.waiting());
    this.#gauge('limit_counters', 'Counters of limits in memory.', () => readings.limitCounters());
    this.#gauge('body_bytes', 'Request bodies held in memory.', () => readings.bodyBytes());
    this.#gauge('journal_lag', 'Ended calls that are not in the ledger yet.', () => readings.journalLag());
    this.#counter(
      'lost_refusals_total',
      'Refused calls that are not recorded, because the journal could not be written.',
      [],
      (metric) => metric.inc(readings.lostRefusals()),
    );
    this.#gauge('healthy', '1 when calls can be recorded.', () => (readings.healthy() ? 1 : 0));
    this.#gauge('ledger_healthy', '1 when ended calls reach the ledger.', () => (readings.ledgerHealthy() ? 1 : 0));
    this.#gauge('deliveries_waiting', 'Messages waiting for webhooks.', () => readings.deliveriesWaiting());
    this.#exposeExport(readings);
    this.#exposeNodes(readings);
    this.#exposeListedNodes(readings);
    this.#exposeConnections(readings);
    this.#exposeModels();
    this.#exposeHistograms();
  }

  #exposeExport({ exported }: GatewayReadings): void {
    const help = 'Spans and points of metrics that were exported by OTLP, or dropped: by what became of them.';
    this.#counter('exported_telemetry_total', help, ['signal', 'result'], (metric) => {
      for (const [signal, counts] of Object.entries(exported() ?? {}))
        for (const [result, count] of Object.entries(counts)) metric.inc({ signal, result }, count);
    });
  }

  #exposeNodes({ nodes }: GatewayReadings): void {
    new Gauge({
      name: 'tollbook_nodes',
      help: 'Nodes on the database. Silent ones were not stopped, and not seen lately.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        for (const [state, count] of Object.entries(nodes())) this.set({ state }, count);
      },
    });
  }

  /** Each node shows all of them: one that died can't be asked. */
  #exposeListedNodes({ listedNodes }: GatewayReadings): void {
    const expose = (name: string, help: string, labelNames: string[], read: ReadNode): void => {
      new Gauge({
        name: `tollbook_node_${name}`,
        help,
        labelNames: ['node', 'id', ...labelNames],
        registers: [this.registry],
        collect() {
          this.reset();
          for (const listed of listedNodes())
            for (const [labels, value] of read(listed))
              this.set({ node: listed.node.name, id: listed.node.id, ...labels }, value);
        },
      });
    };
    expose('info', 'Always 1, with the version and the state of a node.', ['version', 'state'], ({ node, state }) => [
      [{ version: node.version, state }, 1],
    ]);
    expose('seen_timestamp_seconds', 'Time when a node last noted that it runs.', [], ({ node }) => [
      [{}, node.seenAt / 1_000],
    ]);
    expose('unshipped_calls', 'Ended calls of a node that are not in the ledger yet.', [], ({ node }) => [
      [{}, node.unshippedCalls],
    ]);
    expose('lag_seconds', 'Time since all calls of a node were in the ledger.', [], ({ node }) => [
      [{}, node.lagMs / 1_000],
    ]);
    expose('granted_counters', 'Counters of limits that a node has a part of.', ['unit'], ({ grants }) =>
      grants.map(({ unit, counters }) => [{ unit }, counters]),
    );
    expose('granted', 'Parts of limits that a node has, in the unit of the limits.', ['unit'], ({ grants }) =>
      grants.map(({ unit, amount }) => [{ unit }, shownAmount(unit, amount)]),
    );
  }

  #exposeConnections({ connections, now }: GatewayReadings): void {
    const expose = (name: string, help: string, read: (one: ConnectionState) => number | null): void => {
      new Gauge({
        name: `tollbook_reports_${name}`,
        help,
        labelNames: ['connection', 'provider'],
        registers: [this.registry],
        collect() {
          this.reset();
          for (const one of connections()) {
            const value = read(one);
            if (value !== null) this.set({ connection: one.id, provider: one.provider }, value);
          }
        },
      });
    };
    expose('on', '1 when reports of an organization are read, 0 when paused or failing.', ({ isOn }) => (isOn ? 1 : 0));
    expose(
      'read_timestamp_seconds',
      'Time when usage up to today was last read.',
      ({ readAt }) => readAt && readAt / 1_000,
    );
    expose(
      'lag_seconds',
      'Time since usage up to today was last read.',
      ({ readAt }) => readAt && Math.max(0, now() - readAt) / 1_000,
    );
    expose(
      'gateway_share',
      'Share of the last 30 days’ final spend that went through the gateway.',
      ({ throughGatewayShare }) => throughGatewayShare,
    );
    expose('unproxied_usd', 'Spend of those days outside the gateway.', ({ unproxiedUsd }) => unproxiedUsd);
  }

  #exposeModels(): void {
    this.#counter('calls_total', 'Calls by provider, model and outcome.', ['provider', 'model', 'outcome'], (metric) =>
      this.#eachModel((provider, model, cell) => {
        for (const [outcome, count] of Object.entries(cell.outcomes)) metric.inc({ provider, model, outcome }, count);
      }),
    );
    this.#counter('cost_usd_total', 'Known cost in USD.', ['provider', 'model'], (metric) =>
      this.#eachModel((provider, model, cell) => metric.inc({ provider, model }, cell.costNanoUsd / 1e9)),
    );
    this.#counter('unpriced_calls_total', 'Calls whose model has no known price.', ['provider', 'model'], (metric) =>
      this.#eachModel((provider, model, cell) => metric.inc({ provider, model }, cell.unpricedCalls)),
    );
    this.#counter('tokens_total', 'Tokens by direction.', ['provider', 'model', 'direction'], (metric) =>
      this.#eachModel((provider, model, cell) => {
        metric.inc({ provider, model, direction: 'input' }, cell.inputTokens);
        metric.inc({ provider, model, direction: 'output' }, cell.outputTokens);
      }),
    );
    this.#counter('refused_total', 'Requests refused before anything was sent.', ['provider', 'status'], (metric) => {
      for (const [provider, counts] of this.#refusals)
        for (const [status, count] of counts) metric.inc({ provider, status }, count);
    });
    this.#counter(
      'uncertain_calls_total',
      'Calls whose cost is uncertain, by reason.',
      ['provider', 'reason'],
      (metric) => {
        for (const [provider, cell] of this.#providers)
          for (const [reason, count] of Object.entries(cell.uncertain)) metric.inc({ provider, reason }, count);
      },
    );
  }

  #exposeHistograms(): void {
    const expose = (
      name: string,
      help: string,
      bounds: number[],
      read: (cell: ProviderCounts) => HistogramBuckets,
    ): void => {
      const cells = (): [string, HistogramBuckets][] => [...this.#providers].map(([id, cell]) => [id, read(cell)]);
      this.registry.registerMetric(new ReadHistogram(`tollbook_${name}`, help, bounds, cells));
    };
    expose('call_seconds', 'Duration of a call.', SECONDS, (cell) => cell.duration);
    expose('first_byte_seconds', 'Time until the first byte of the response.', SECONDS, (cell) => cell.firstByte);
    expose(
      'overhead_seconds',
      'Time between the received request, or the end of its wait, and its departure.',
      OVERHEAD_SECONDS,
      (cell) => cell.overhead,
    );
  }

  #eachModel(visit: (provider: string, model: string, cell: ModelCounts) => void): void {
    for (const [provider, { models }] of this.#providers)
      for (const [model, cell] of models) visit(provider, model, cell);
  }

  #counter<T extends string>(name: string, help: string, labelNames: T[], read: (metric: Counter<T>) => void): void {
    new Counter({
      name: `tollbook_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        read(this);
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `tollbook_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

type HistogramValues = Awaited<ReturnType<Histogram['get']>>;

/** A histogram of observations that the gateway sorted into buckets itself. */
class ReadHistogram extends Histogram {
  /** An ordinary empty histogram, which provides everything but the values. */
  readonly #empty: Histogram;
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #cells: () => [string, HistogramBuckets][];

  constructor(name: string, help: string, bounds: number[], cells: () => [string, HistogramBuckets][]) {
    const settings = { name, help, labelNames: ['provider'], buckets: bounds, registers: [] };
    super(settings);
    this.#empty = new Histogram(settings);
    this.#name = name;
    this.#bounds = bounds;
    this.#cells = cells;
  }

  override async get(): Promise<HistogramValues> {
    const values = this.#cells().flatMap(([provider, buckets]) => this.#histogramValues(provider, buckets));
    return { ...(await this.#empty.get()), values };
  }

  /** Called by the registry for its text form. */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }

  #histogramValues(provider: string, { counts, sum }: HistogramBuckets): HistogramValues['values'] {
    let count = 0;
    const values: HistogramValues['values'] = [];
    counts.forEach((inBucket, index) => {
      count += inBucket;
      const le = this.#bounds[index] ?? '+Inf';
      values.push({ labels: { le, provider }, value: count, metricName: `${this.#name}_bucket` });
    });
    values.push({ labels: { provider }, value: sum, metricName: `${this.#name}_sum` });
    values.push({ labels: { provider }, value: count, metricName: `${this.#name}_count` });
    return values;
  }
}
