import {
  type CallBegin,
  type CallEnd,
  type UncertainReason,
  isUncertain,
  isUnpriced,
  type CallOutcome,
} from '../domain/usage/call.ts';
import { HistogramBuckets } from '../lib/histogram-buckets.ts';
import { inputTokens, outputTokens, totalTokens } from '../domain/usage/usage.ts';

export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
export const OVERHEAD_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];

/** Counts of one model of one provider since the start. */
export class ModelCounts {
  readonly outcomes: Partial<Record<CallOutcome, number>> = {};
  costNanoUsd = 0;
  inputTokens = 0;
  outputTokens = 0;
  unpricedCalls = 0;
}

export class ProviderCounts {
  readonly models = new Map<string, ModelCounts>();
  readonly uncertain: Partial<Record<UncertainReason, number>> = {};
  readonly duration = new HistogramBuckets(SECONDS);
  readonly firstByte = new HistogramBuckets(SECONDS);
  readonly overhead = new HistogramBuckets(OVERHEAD_SECONDS);
}

/** Provider of requests whose address names none. */
const NO_PROVIDER = '(none)';

/**
 * Counts of the gateway in plain fields: the metrics library's label hashing on every call would cost more than
 * recording the call. Label values from requests (models) are bounded; beyond that they are `(other)`.
 */
export class GatewayMetrics {
  readonly #modelsMax: number;
  readonly #providers = new Map<string, ProviderCounts>();
  readonly #refused = new Map<string, Map<number, number>>();
  #models = 0;

  constructor(modelsMax: number) {
    this.#modelsMax = modelsMax;
  }

  get providers(): ReadonlyMap<string, ProviderCounts> {
    return this.#providers;
  }

  /** Requests refused before anything was sent, by provider and status. */
  get refusals(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    return this.#refused;
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
    if (end.uncertainReason && isUncertain(end))
      cell.uncertain[end.uncertainReason] = (cell.uncertain[end.uncertainReason] ?? 0) + 1;
    cell.duration.observe((end.endedAt - begin.startedAt) / 1_000);
    if (end.firstByteMs !== null) cell.firstByte.observe(end.firstByteMs / 1_000);
  }

  refused(provider: string | null, status: number): void {
    const id = provider ?? NO_PROVIDER;
    const counts = this.#refused.get(id) ?? new Map<number, number>();
    this.#refused.set(id, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  /** Seconds of the gateway's own work: from the body, or the end of a wait, to departure. */
  departed(provider: string, seconds: number): void {
    this.#provider(provider).overhead.observe(seconds);
  }

  #provider(id: string): ProviderCounts {
    let cell = this.#providers.get(id);
    if (!cell) this.#providers.set(id, (cell = new ProviderCounts()));
    return cell;
  }

  #model(provider: ProviderCounts, name: string): ModelCounts {
    let cell = provider.models.get(name);
    if (cell) return cell;
    if (this.#models >= this.#modelsMax && name !== '(other)') return this.#model(provider, '(other)');
    this.#models += 1;
    provider.models.set(name, (cell = new ModelCounts()));
    return cell;
  }
}
