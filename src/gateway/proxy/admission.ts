import { checkPolicy, type PolicyModel } from '../../domain/policy/check-policy.ts';
import type { ModelBounds } from '../../domain/limits/hold.ts';
import { OutputMaxima } from '../../prices/output-maxima.ts';
import { LIMITS } from '../../config.ts';
import type { PriceBook } from '../../prices/price-book.ts';
import { TokenCounts, type TokenCountsDeps } from './count-tokens.ts';
import {
  type AdmittedCall,
  AdmissionAttempt,
  type AttemptDeps,
  type AdmissionRequest,
  type AdmissionCallback,
} from './attempt.ts';

/** So soon after a change of a price, the provider's clock may still have the old one. */
const PRICE_CHANGE_MS = 5_000;
const NO_MODELS: readonly PolicyModel[] = [];
/** How often calls that wait are looked at. */
const SWEEP_MS = 50;

export interface AdmissionDeps extends Omit<AttemptDeps, 'waiting' | 'counts'>, TokenCountsDeps {
  readonly prices: Pick<PriceBook, 'resolve' | 'between'>;
}

/** Policy, bound and ledger of every call, in this order. */
export class CallAdmission {
  readonly #deps: AdmissionDeps;
  readonly #attempts: AttemptDeps;
  readonly #outputMaxima = new OutputMaxima();
  #sweeper: NodeJS.Timeout | null = null;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#attempts = { ...deps, counts: new TokenCounts(deps), waiting: () => this.#startSweeping() };
  }

  /** Admits now, or throws the refusal, or hands back what goes on and tells `later`. */
  admit(entrant: AdmissionRequest, later: AdmissionCallback): AdmittedCall | AdmissionAttempt {
    const now = this.#deps.now();
    const { key, provider, facts, tags } = entrant;
    const asked = this.#describeModel(entrant, facts.model, now);
    const models = [asked, ...facts.demand.otherModels.map((model) => this.#describeModel(entrant, model, now))];
    const refusal = checkPolicy(key.policy, {
      keyName: key.name,
      models,
      anyModel: facts.demand.anyModel,
      tags,
      tagWarnings: entrant.tagWarnings,
      address: entrant.address,
      at: now,
      bodyBytes: entrant.body.length,
    });
    if (refusal) throw refusal;
    const subject = {
      workspaceId: key.workspaceId,
      keyId: key.id,
      provider: provider.id,
      model: facts.model,
      pricedModel: asked.pricedModel,
      otherModels: models.length > 1 ? models.slice(1) : NO_MODELS,
      anyModel: facts.demand.anyModel,
      tags,
    };
    const attempt = new AdmissionAttempt(this.#attempts, entrant, subject, models, later);
    return attempt.begin(now) ?? attempt;
  }

  /**
   * With every price that holds while the call may run: the dearest bounds it. No provider says which moment counts; an
   * entry has the price of the call's begin.
   */
  #describeModel({ key, provider }: AdmissionRequest, model: string, now: number): ModelBounds & PolicyModel {
    const { prices } = this.#deps;
    const { workspaceId } = key;
    const { priceProvider } = provider;
    const until = now + LIMITS.callMsMax;
    return {
      model,
      pricedModel: prices.resolve(workspaceId, priceProvider, model, now)?.model ?? null,
      cards: prices.between(workspaceId, priceProvider, model, now - PRICE_CHANGE_MS, until),
      outputMax: this.#outputMaxima.find(priceProvider, model) ?? provider.largest.outputTokens,
      windowMax: provider.largest.contextWindow,
      outputBesideWindow: provider.largest.outputBesideWindow,
    };
  }

  #startSweeping(): void {
    const { engine: ledger, now, uptime } = this.#deps;
    this.#sweeper ??= setInterval(() => {
      ledger.sweep(now(), uptime());
      if (ledger.waiting > 0 || !this.#sweeper) return;
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }, SWEEP_MS);
  }
}
