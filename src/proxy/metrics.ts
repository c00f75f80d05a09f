import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { type CallBegin, type CallEnd, type Doubt, isUncertain, isUnpriced, type Outcome } from '../core/call.ts';
import { inputTokens, outputTokens, totalTokens } from '../core/usage.ts';

/** What `/metrics` reads at the moment it is asked. */
export interface GateReadings {
  inFlight(): number;
  waiting(): number;
  limitCounters(): number;
  bodyBytes(): number;
  /** Ended calls that are not in the store yet. */
  journalLag(): number;
  healthy(): boolean;
  bookHealthy(): boolean;
  deliveriesWaiting(): number;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const OVERHEAD_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];

/** Counts of one model of one provider since the start. */
class ModelCell {
  readonly outcomes: Partial<Record<Outcome, number>> = {};
  costNanoUsd = 0;
  inputTokens = 0;
  outputTokens = 0;
  unpricedCalls = 0;
}

/** Observations sorted into buckets; the last bucket has no upper bound. */
class Buckets {
  readonly counts: Float64Array;
  readonly #bounds: readonly number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

class ProviderCell {
  readonly models = new Map<string, ModelCell>();
  readonly doubts: Partial<Record<Doubt, number>> = {};
  readonly duration = new Buckets(SECONDS);
  readonly firstByte = new Buckets(SECONDS);
  readonly overhead = new Buckets(OVERHEAD_SECONDS);
}

/**
 * Prometheus metrics of the gate. Calls are counted in plain fields and handed to the metrics library only when
 * somebody asks: its label hashing on every call would cost more than the booking does.
 * Label values from the wire (models) are bounded; beyond that they are `(other)`.
 */
export class GateMetrics {
  readonly registry = new Registry();
  readonly #modelsMax: number;
  readonly #providers = new Map<string, ProviderCell>();
  readonly #refused: Counter<'provider' | 'status'>;
  #models = 0;

  constructor(readings: GateReadings, modelsMax: number) {
    this.#modelsMax = modelsMax;
    collectDefaultMetrics({ register: this.registry });
    this.#gauge('in_flight', 'Calls under way.', () => readings.inFlight());
    this.#gauge('waiting', 'Calls that wait for room under a limit.', () => readings.waiting());
    this.#gauge('limit_counters', 'Counters of limits in memory.', () => readings.limitCounters());
    this.#gauge('body_bytes', 'Request bodies held in memory.', () => readings.bodyBytes());
    this.#gauge('journal_lag', 'Ended calls that are not in the book yet.', () => readings.journalLag());
    this.#gauge('healthy', '1 when calls can be booked.', () => (readings.healthy() ? 1 : 0));
    this.#gauge('book_healthy', '1 when ended calls reach the book.', () => (readings.bookHealthy() ? 1 : 0));
    this.#gauge('deliveries_waiting', 'Messages that webhooks have not got yet.', () => readings.deliveriesWaiting());
    this.#refused = new Counter({
      name: 'tollbook_refused_total',
      help: 'Requests refused before anything was sent.',
      labelNames: ['provider', 'status'],
      registers: [this.registry],
    });
    this.#exposeModels();
    this.#exposeHistograms();
  }

  ended(begin: CallBegin, end: CallEnd): void {
    const cell = this.#provider(begin.provider);
    const model = this.#model(cell, end.model ?? '(none)');
    model.outcomes[end.outcome] = (model.outcomes[end.outcome] ?? 0) + 1;
    model.costNanoUsd += end.cost ?? 0;
    if (end.usage) {
      const tokens = totalTokens(end.usage);
      model.inputTokens += inputTokens(tokens);
      model.outputTokens += outputTokens(tokens);
    }
    if (isUnpriced(end)) model.unpricedCalls += 1;
    if (end.doubt && isUncertain(end)) cell.doubts[end.doubt] = (cell.doubts[end.doubt] ?? 0) + 1;
    cell.duration.observe((end.endedAt - begin.beganAt) / 1_000);
    if (end.firstByteMs !== null) cell.firstByte.observe(end.firstByteMs / 1_000);
  }

  refused(provider: string | null, status: number): void {
    this.#refused.inc({ provider: provider ?? '(none)', status: String(status) });
  }

  /** Seconds the gate itself took: from a request's body, or from the end of its wait for others, to its departure. */
  departed(provider: string, seconds: number): void {
    this.#provider(provider).overhead.observe(seconds);
  }

  #provider(id: string): ProviderCell {
    let cell = this.#providers.get(id);
    if (!cell) this.#providers.set(id, (cell = new ProviderCell()));
    return cell;
  }

  #model(provider: ProviderCell, name: string): ModelCell {
    let cell = provider.models.get(name);
    if (cell) return cell;
    if (this.#models >= this.#modelsMax && name !== '(other)') return this.#model(provider, '(other)');
    this.#models += 1;
    provider.models.set(name, (cell = new ModelCell()));
    return cell;
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
    this.#counter(
      'uncertain_calls_total',
      'Calls whose cost is uncertain, by reason.',
      ['provider', 'doubt'],
      (metric) => {
        for (const [provider, cell] of this.#providers)
          for (const [doubt, count] of Object.entries(cell.doubts)) metric.inc({ provider, doubt }, count);
      },
    );
  }

  #exposeHistograms(): void {
    const expose = (name: string, help: string, bounds: number[], read: (cell: ProviderCell) => Buckets): void => {
      const cells = (): [string, Buckets][] => [...this.#providers].map(([id, cell]) => [id, read(cell)]);
      this.registry.registerMetric(new ReadHistogram(`tollbook_${name}`, help, bounds, cells));
    };
    expose('call_seconds', 'From begin to end.', SECONDS, (cell) => cell.duration);
    expose('first_byte_seconds', "From begin to the answer's first byte.", SECONDS, (cell) => cell.firstByte);
    expose(
      'overhead_seconds',
      'From the body, or the end of a wait, to departure.',
      OVERHEAD_SECONDS,
      (cell) => cell.overhead,
    );
  }

  #eachModel(visit: (provider: string, model: string, cell: ModelCell) => void): void {
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

/** A histogram whose observations were bucketed elsewhere. */
class ReadHistogram extends Histogram {
  /** An ordinary, empty histogram: it says what the library wants to know beside the values. */
  readonly #empty: Histogram;
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #cells: () => [string, Buckets][];

  constructor(name: string, help: string, bounds: number[], cells: () => [string, Buckets][]) {
    const settings = { name, help, labelNames: ['provider'], buckets: bounds, registers: [] };
    super(settings);
    this.#empty = new Histogram(settings);
    this.#name = name;
    this.#bounds = bounds;
    this.#cells = cells;
  }

  override async get(): Promise<HistogramValues> {
    const values = this.#cells().flatMap(([provider, buckets]) => this.#valuesOf(provider, buckets));
    return { ...(await this.#empty.get()), values };
  }

  /** What the registry asks instead, for its text form. */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }

  #valuesOf(provider: string, { counts, sum }: Buckets): HistogramValues['values'] {
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
