import { checkPolicy } from '../core/check-policy.ts';
import type { ModelBounds } from '../core/hold.ts';
import type { RateCard } from '../core/price.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { TokenCounts, type TokenCountsDeps } from './count-tokens.ts';
import { type Admitted, Attempt, type AttemptDeps, type Entrant, type Later } from './attempt.ts';

/** So close to a change of a price, the dearer of both counts. */
const PRICE_CHANGE_MS = 5_000;
/** How often calls that wait are looked at. */
const SWEEP_MS = 50;

export interface AdmissionDeps extends Omit<AttemptDeps, 'waiting' | 'counts'>, TokenCountsDeps {
  readonly prices: Pick<PriceBook, 'resolve'>;
}

/** Policy, bound and ledger of every call, in this order. */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #attempts: AttemptDeps;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#attempts = { ...deps, counts: new TokenCounts(deps), waiting: () => this.#watch() };
  }

  /** Admits now, or throws the refusal, or hands back what goes on and tells `later`. */
  admit(entrant: Entrant, later: Later): Admitted | Attempt {
    const now = this.#deps.now();
    const { key, provider, facts, tags } = entrant;
    const cards = [facts.model, ...facts.demand.otherModels].map((model) => this.#cardsOf(entrant, model, now));
    const named = cards.map((each, index) => ({
      model: index === 0 ? facts.model : (facts.demand.otherModels[index - 1] ?? ''),
      pricedModel: each[0]?.model ?? null,
    }));
    const refusal = checkPolicy(key.policy, {
      keyName: key.name,
      models: named,
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
      pricedModel: named[0]?.pricedModel ?? null,
      tags,
    };
    const models: ModelBounds[] = named.map(({ model }, index) => ({
      cards: cards[index] ?? [],
      outputMax: null,
    }));
    const attempt = new Attempt(this.#attempts, entrant, subject, models, later);
    return attempt.begin(now) ?? attempt;
  }

  /** The price of this moment, and around a change of it the other one too. */
  #cardsOf({ key, provider }: Entrant, model: string, now: number): RateCard[] {
    const at = (time: number): RateCard | null =>
      this.#deps.prices.resolve(key.workspaceId, provider.priceProvider, model, time);
    const card = at(now);
    const cards = card ? [card] : [];
    for (const time of [now - PRICE_CHANGE_MS, now + PRICE_CHANGE_MS]) {
      const other = at(time);
      if (other && other !== card) cards.push(other);
    }
    return cards;
  }

  #watch(): void {
    const { ledger, now, uptime } = this.#deps;
    this.#sweeper ??= setInterval(() => {
      ledger.sweep(now(), uptime());
      if (ledger.waiting > 0 || !this.#sweeper) return;
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }, SWEEP_MS);
  }
}
