import { usdFromNano } from '../../domain/money/money.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { inputTokens, outputTokens, totalTokens } from '../../domain/usage/usage.ts';
import { HistogramBuckets } from '../../lib/histogram-buckets.ts';
import { callAttributes, errorType } from './call-span.ts';
import { type OtlpAttributes, type KeyValue, toKeyValues, toNanoTime } from './message.ts';

/** A metric in the JSON form of OTLP. */
interface CallMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly histogram: { readonly dataPoints: readonly HistogramPoint[]; readonly aggregationTemporality: number };
}

interface HistogramPoint {
  readonly attributes: readonly KeyValue[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly count: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
}

const TEMPORALITIES = { delta: 1, cumulative: 2 } as const;
/** Sets of attributes of one metric; all others share one. The default of OpenTelemetry's libraries. */
const SERIES_MAX = 2_000;
const OVERFLOW: OtlpAttributes = { 'otel.metric.overflow': true };

/** Bounds that the conventions advise. */
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const SECOND_BOUNDS = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
/** They advise none for the cost, in USD. */
const COST_BOUNDS = Array.from({ length: 9 }, (_, power) => 10 ** (power - 6));

/** Observations of one metric, by attributes. */
class CallHistogram {
  readonly name: string;
  readonly #description: string;
  readonly #unit: string;
  readonly #bounds: readonly number[];
  #series = new Map<string, { attributes: readonly KeyValue[]; buckets: HistogramBuckets }>();

  constructor(name: string, description: string, unit: string, bounds: readonly number[]) {
    this.name = name;
    this.#description = description;
    this.#unit = unit;
    this.#bounds = bounds;
  }

  observe(attributes: OtlpAttributes, value: number): void {
    const key = JSON.stringify(attributes);
    const series = this.#series.get(key) ?? this.#addSeries(key, attributes);
    series.buckets.observe(value);
  }

  #addSeries(key: string, attributes: OtlpAttributes): { attributes: readonly KeyValue[]; buckets: HistogramBuckets } {
    const isFull = this.#series.size >= SERIES_MAX;
    const place = isFull ? '' : key;
    const known = this.#series.get(place);
    if (known) return known;
    const series = {
      attributes: toKeyValues(isFull ? OVERFLOW : attributes),
      buckets: new HistogramBuckets(this.#bounds),
    };
    this.#series.set(place, series);
    return series;
  }

  /** Returns null if nothing was observed. */
  collect(from: number, to: number, temporality: keyof typeof TEMPORALITIES): CallMetric | null {
    if (this.#series.size === 0) return null;
    const dataPoints = [...this.#series.values()].map(({ attributes, buckets: { counts, sum } }): HistogramPoint => ({
      attributes,
      startTimeUnixNano: toNanoTime(from),
      timeUnixNano: toNanoTime(to),
      count: String(counts.reduce((all, count) => all + count, 0)),
      sum,
      bucketCounts: [...counts].map(String),
      explicitBounds: this.#bounds,
    }));
    if (temporality === 'delta') this.#series = new Map();
    const histogram = { dataPoints, aggregationTemporality: TEMPORALITIES[temporality] };
    return { name: this.name, description: this.#description, unit: this.#unit, histogram };
  }
}

/** Metrics of the GenAI conventions over calls since a time. */
export class CallMetrics {
  readonly #temporality: keyof typeof TEMPORALITIES;
  readonly #isExperimental: boolean;
  readonly #tokens = new CallHistogram(
    'gen_ai.client.token.usage',
    'Number of input and output tokens used.',
    '{token}',
    TOKEN_BOUNDS,
  );
  readonly #duration = new CallHistogram(
    'gen_ai.client.operation.duration',
    'GenAI operation duration.',
    's',
    SECOND_BOUNDS,
  );
  readonly #firstChunk = new CallHistogram(
    'gen_ai.client.operation.time_to_first_chunk',
    'Time to the first chunk of a streamed answer.',
    's',
    SECOND_BOUNDS,
  );
  readonly #cost = new CallHistogram('gen_ai.client.operation.cost', 'Known cost of an operation.', 'USD', COST_BOUNDS);
  #from: number;

  /** @param from epoch milliseconds */
  constructor(temporality: keyof typeof TEMPORALITIES, isExperimental: boolean, from: number) {
    this.#temporality = temporality;
    this.#isExperimental = isExperimental;
    this.#from = from;
  }

  record(entry: Entry): void {
    const attributes = callAttributes(entry);
    const { usage, cost, firstByteMs, outcome } = entry;
    // The end of a lost call is that of a restart.
    if (outcome !== 'lost') {
      const seconds = Math.max(0, entry.endedAt - entry.startedAt) / 1_000;
      this.#duration.observe({ ...attributes, 'error.type': errorType(entry) }, seconds);
    }
    if (entry.stream && firstByteMs !== null) this.#firstChunk.observe(attributes, firstByteMs / 1_000);
    if (usage) {
      const tokens = totalTokens(usage);
      this.#tokens.observe({ ...attributes, 'gen_ai.token.type': 'input' }, inputTokens(tokens));
      this.#tokens.observe({ ...attributes, 'gen_ai.token.type': 'output' }, outputTokens(tokens));
    }
    if (this.#isExperimental && cost !== null) this.#cost.observe(attributes, usdFromNano(cost));
  }

  /** Returns all metrics; those of `delta` begin again. */
  collect(to: number): CallMetric[] {
    const from = this.#from;
    if (this.#temporality === 'delta') this.#from = to;
    const all = [this.#tokens, this.#duration, this.#firstChunk, this.#cost];
    return all.map((one) => one.collect(from, to, this.#temporality)).filter((metric) => metric !== null);
  }
}
