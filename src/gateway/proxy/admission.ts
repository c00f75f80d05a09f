import { checkPolicy, type PolicyModel } from '../../domain/policy/check-policy.ts';
import type { ModelBounds } from '../../domain/limits/cost-bound.ts';
import { OutputMaxima } from '../../prices/output-maxima.ts';
import { LIMITS } from '../../config.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { PriceBook } from '../../prices/price-book.ts';
import { searchResultTokens } from '../../prices/search-results.ts';
import type { LimitsEngine } from '../../limits/limits.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import { AdmissionAttempt, type AdmissionCallback, type AdmittedCall, type AttemptDeps } from './attempt.ts';
import { BatchBounds, type BatchSubject } from './batch-bounds.ts';
import type { TokenCounts } from './count-tokens.ts';
import { requestHeaders } from './headers.ts';
import type { InferenceRequest } from './proxy-request.ts';
import { SessionCounts } from './session-counts.ts';
import type { UpstreamPools } from './upstream.ts';

/** For this long after a price changes, the provider's clock may still apply the old price. */
const PRICE_CHANGE_MS = 5_000;
/** Providers end a batch after a day. */
const BATCH_MS_MAX = DAY_MS + HOUR_MS;
const NO_MODELS: readonly PolicyModel[] = [];
/** Interval at which waiting calls are tried again or given up. */
const SWEEP_MS = 50;

export interface AdmissionDeps {
  readonly engine: LimitsEngine;
  readonly clock: Clock;
  /** Window time. */
  readonly now: Clock;
  readonly uptime: Uptime;
  readonly prices: Pick<PriceBook, 'resolve' | 'between' | 'contracts'>;
  readonly counts: TokenCounts;
  readonly upstreams: UpstreamPools;
}

/** Checks each call against its key's policy, bounds its cost, and holds that under its limits, in this order. */
export class CallAdmission {
  readonly #deps: AdmissionDeps;
  readonly #attempts: AttemptDeps;
  readonly #outputMaxima = new OutputMaxima();
  readonly #sessions = new SessionCounts();
  #sweeper: NodeJS.Timeout | null = null;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    const { engine, clock, now, uptime, counts, upstreams } = deps;
    this.#attempts = {
      engine,
      now,
      uptime,
      countTokens: ({ key, provider, req, client, body }, counter, counted) =>
        counts.ask(
          {
            keyId: key.id,
            counter,
            target: upstreams.target(provider.url),
            headers: requestHeaders(req.headers, provider, key),
            sign: provider.sign && ((request) => provider.sign?.(request, key.providerKey, clock())),
            client,
            body,
          },
          counted,
        ),
      onWaiting: () => this.#startSweeping(),
    };
  }

  /** Admits the call now, throws its refusal, or returns the attempt that calls `later` once it is decided. */
  admit(request: InferenceRequest, later: AdmissionCallback): AdmittedCall | AdmissionAttempt {
    const now = this.#deps.now();
    const { key, provider, facts, callerAddress, bodyBytes } = request;
    const { tags, warnings } = request.tagReading;
    const asked = this.#describeModel(request, facts.model, now);
    const models = [asked, ...facts.demand.otherModels.map((model) => this.#describeModel(request, model, now))];
    const refusal = checkPolicy(key.policy, {
      keyName: key.name,
      models,
      anyModel: facts.demand.anyModel,
      tags,
      context: request.contextReading.context,
      tagWarnings: warnings,
      address: callerAddress,
      at: now,
      bodyBytes,
    });
    if (refusal) throw refusal;
    this.#sessions.check(key, request.contextReading.context.session, now);
    const subject = {
      workspaceId: key.workspaceId,
      keyId: key.id,
      provider: provider.id,
      model: facts.model,
      pricedModel: asked.pricedModel,
      otherModels: models.length > 1 ? models.slice(1) : NO_MODELS,
      anyModel: facts.demand.anyModel,
      tags,
      context: request.contextReading.context,
    };
    const attempt = new AdmissionAttempt(this.#attempts, request, subject, models, later);
    return attempt.begin(now) ?? attempt;
  }

  /** Opens the sum of the bounds of a batch. */
  openBatch(subject: BatchSubject): BatchBounds {
    const now = this.#deps.now();
    return new BatchBounds(subject, (model) => this.#describeModel(subject, model, now, BATCH_MS_MAX));
  }

  /**
   * Collects every price that applies while the call may run; the highest bounds its cost. Providers do not say which
   * moment counts. The entry is priced at the call's start.
   */
  #describeModel(
    { key, provider, tagReading }: BatchSubject,
    model: string,
    now: number,
    msMax = LIMITS.callMsMax,
  ): ModelBounds & PolicyModel {
    const { prices } = this.#deps;
    const { workspaceId } = key;
    const { priceProvider } = provider;
    const time = { fromMs: now - PRICE_CHANGE_MS, untilMs: now + msMax };
    const cards = prices.between(workspaceId, priceProvider, model, time.fromMs, time.untilMs);
    const call = { workspaceId, provider: provider.id, keyId: key.id, tags: tagReading.tags };
    return {
      model,
      pricedModel: prices.resolve(workspaceId, priceProvider, model, now)?.model ?? null,
      cards: prices.contracts.has(workspaceId) ? prices.contracts.between(call, model, cards, time) : cards,
      outputMax: this.#outputMaxima.find(priceProvider, model) ?? provider.largest.outputTokens,
      windowMax: provider.largest.contextWindow,
      outputOutsideWindow: provider.largest.outputOutsideWindow,
      searchResultTokens: searchResultTokens(priceProvider),
    };
  }

  #startSweeping(): void {
    const { engine, now, uptime } = this.#deps;
    this.#sweeper ??= setInterval(() => {
      engine.sweep(now(), uptime());
      if (engine.waiting > 0 || !this.#sweeper) return;
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }, SWEEP_MS);
  }
}
