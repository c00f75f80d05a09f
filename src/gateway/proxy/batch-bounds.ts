import { boundCall, type CallBounds, type ModelBounds } from '../../domain/limits/cost-bound.ts';
import { NO_DEMAND, type RequestDemand } from '../../domain/limits/demand.ts';
import { atBatchPrice } from '../../domain/pricing/batch-card.ts';
import { TollbookError } from '../../domain/errors.ts';
import { NANO_MAX } from '../../domain/money/money.ts';
import type { CallAmounts } from '../../domain/usage/call.ts';
import type { TagReading } from '../../domain/usage/tags.ts';
import { tooLargeOutputError } from '../../limits/refusal-errors.ts';
import { accountTerms } from '../../providers/provider-host.ts';
import { nameRequest } from '../../providers/batch-reader.ts';
import type { BatchRequest, BatchRoute, ListBatchRoute, RequestFacts } from '../../providers/provider.ts';
import type { AskedModel, ProxyRequest } from './proxy-request.ts';

/** Further models that the requests of a batch may name, for tools and fallbacks. */
const MODELS_MAX = 100;
/** Requests that are read in one turn, by their bytes. */
const SLICE_BYTES = 65_536;
const NOTHING: CallAmounts = { usd: 0, inputTokens: 0, outputTokens: 0 };

/** A batch whose requests are bounded. */
export interface BatchSubject extends Pick<ProxyRequest, 'key' | 'provider'> {
  readonly tagReading: TagReading;
}

/** Bounds the requests of a batch at the price of batches, and adds them up. Nothing of a request is kept. */
export class BatchBounds {
  readonly #subject: BatchSubject;
  readonly #describe: (model: string) => ModelBounds;
  readonly #models = new Map<string, AskedModel>();
  #model: string | null = null;
  #sum = NOTHING;
  #largest = NOTHING;
  #requests = 0;
  #unbounded: string | null = null;
  #anyModel = false;
  #outputField: string | null = null;

  /** @param describe the prices and maxima of a model while the batch may run */
  constructor(subject: BatchSubject, describe: (model: string) => ModelBounds) {
    this.#subject = subject;
    this.#describe = describe;
  }

  add({ name, facts }: BatchRequest): void {
    try {
      this.#add(facts);
    } catch (error) {
      throw nameRequest(error, name);
    }
  }

  #add({ model, demand, outputField = null }: RequestFacts): void {
    const { key, provider } = this.#subject;
    this.#requireOneModel(model);
    this.#requireShortAnswer(demand, outputField);
    this.#outputField ??= outputField;
    requireListedFees(demand);
    const models = [model, ...demand.otherModels].map((name) => this.#find(name));
    // A batch is always at its own tier, and nothing can be written into its requests.
    const sent = { ...demand, tier: null, pinTier: null, outputMaxFixed: true };
    const { hold, unbounded } = boundCall(sent, models, { ...accountTerms(key.policy, provider), tier: null });
    const assumed = unbounded === null ? 0 : (key.policy.assumedCostUsd ?? 0);
    // The assumed cost of the first of them is added where the batch is admitted.
    const added = this.#unbounded === null ? 0 : assumed;
    this.#unbounded ??= unbounded;
    this.#sum = sumHolds(this.#sum, { ...hold, usd: hold.usd === null ? null : hold.usd + added });
    this.#largest = largerHold(this.#largest, { ...hold, usd: hold.usd === null ? null : hold.usd + assumed });
    this.#requests += 1;
    this.#anyModel ||= demand.anyModel;
  }

  /** Adds the requests in a body, and returns the facts of the batch. Yields so that other calls can run. */
  *addList(route: ListBatchRoute, body: Uint8Array): Generator<undefined, RequestFacts, undefined> {
    let bytes = 0;
    for (const request of route.readLines(body)) {
      if (request) this.add(request);
      bytes += request?.facts.demand.textBytes ?? SLICE_BYTES;
      if (bytes < SLICE_BYTES) continue;
      bytes = 0;
      yield;
    }
    return this.facts(route);
  }

  /** Returns what the gateway must know of the whole batch. Throws if it has no requests. */
  facts({ upstreamPath, openReader }: BatchRoute): RequestFacts {
    if (this.#model === null) throw new TollbookError('invalid', 'The batch has no requests.');
    const otherModels = [...this.#models.keys()].filter((name) => name !== this.#model);
    const work = { ...NO_DEMAND.work, unbounded: this.#unbounded };
    return {
      upstreamPath,
      model: this.#model,
      stream: false,
      splices: [],
      demand: { ...NO_DEMAND, outputMaxFixed: true, otherModels, anyModel: this.#anyModel, work },
      bounds: this.#bounds,
      outputField: this.#outputField,
      batch: { requests: this.#requests, largest: this.#largest },
      tools: null,
      forward: () => [],
      runsOn: true,
      counter: null,
      openReader,
    };
  }

  get #bounds(): CallBounds {
    const hold = this.#sum;
    return { hold, outputMax: hold.outputTokens, forwardMax: null, tier: null, unbounded: this.#unbounded };
  }

  /** An entry has one model, by which limits and sums count it. */
  #requireOneModel(model: string): void {
    this.#model ??= model;
    if (model === this.#model) return;
    throw new TollbookError(
      'invalid',
      `A batch may have one model, and this one has "${shorten(this.#model)}" before "${shorten(model)}". Send a batch for each model.`,
    );
  }

  #requireShortAnswer({ outputMax, answers }: RequestDemand, outputField: string | null): void {
    const { key } = this.#subject;
    const { maxOutputTokens } = key.policy;
    if (maxOutputTokens === null || (outputMax !== null && outputMax * answers <= maxOutputTokens)) return;
    if (outputMax !== null) throw tooLargeOutputError(outputMax * answers, maxOutputTokens, key, outputField);
    throw new TollbookError(
      'invalid',
      `The policy of the wrapped key allows at most ${maxOutputTokens} output tokens, so each request of a batch must name a maximum.`,
    );
  }

  #find(model: string): AskedModel {
    const found = this.#models.get(model);
    if (found) return found;
    if (this.#models.size >= MODELS_MAX)
      throw new TollbookError('invalid', `The requests of a batch may name ${MODELS_MAX} models. Split it.`);
    const bounds = this.#describe(model);
    const described = { ...bounds, model, cards: atBatchPrice(bounds.cards) };
    this.#models.set(model, described);
    return described;
  }
}

/** The fee would be in no result of the batch, and so in no cost. */
function requireListedFees({ work: { hasUnlistedFee, unbounded } }: RequestDemand): void {
  if (!hasUnlistedFee) return;
  throw new TollbookError(
    'invalid',
    `It may have a fee that no price list has (${shorten(unbounded ?? 'a tool')}). Send it as a call, not in a batch.`,
  );
}

const NAME_SHOWN_MAX = 64;

function shorten(name: string): string {
  return name.slice(0, NAME_SHOWN_MAX);
}

function sumHolds(a: CallAmounts, b: CallAmounts): CallAmounts {
  return {
    usd: a.usd === null || b.usd === null ? null : Math.min(a.usd + b.usd, NANO_MAX),
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

function largerHold(a: CallAmounts, b: CallAmounts): CallAmounts {
  return {
    usd: a.usd === null || b.usd === null ? null : Math.max(a.usd, b.usd),
    inputTokens: Math.max(a.inputTokens, b.inputTokens),
    outputTokens: Math.max(a.outputTokens, b.outputTokens),
  };
}
