import type { PricedCosts } from '../domain/usage/call.ts';
import {
  type Inference,
  NO_TERMS,
  TOKEN_CLASSES,
  type TokenCounts,
  USE_CLASSES,
  type UseCounts,
  type Usage,
} from '../domain/usage/usage.ts';
import { BATCH_TIER } from '../domain/pricing/batch-card.ts';

/** Costs of one request of a batch. */
interface SettledLine extends PricedCosts {
  readonly cost: number;
  readonly versions: readonly string[];
}

/** Usage and cost of the results of a batch, the tokens by model. */
export class BatchSum {
  cost = 0;
  /** Number of billed requests. */
  billed = 0;
  readonly versions: string[] = [];
  readonly #unbilled = new Map<string, number>();
  readonly #byModel = new Map<string, TokenCounts>();
  readonly #uses: UseCounts = {};
  #list = 0;
  #contracted = 0;
  #thinking = 0;

  add({ inferences, uses, thinking }: Usage, model: string, { cost, list, contracted, versions }: SettledLine): void {
    this.billed += 1;
    this.cost += cost;
    this.#list += list;
    this.#contracted += contracted;
    this.#thinking += thinking;
    for (const version of versions) if (!this.versions.includes(version)) this.versions.push(version);
    for (const inference of inferences) this.#addTokens(inference.model ?? model, inference.tokens);
    for (const name of USE_CLASSES) if (uses[name]) this.#uses[name] = (this.#uses[name] ?? 0) + uses[name];
  }

  addUnbilled(why: string): void {
    this.#unbilled.set(why, (this.#unbilled.get(why) ?? 0) + 1);
  }

  /** Costs by prices where they are not the cost. */
  get priced(): PricedCosts | null {
    const isSame = this.#list === this.cost && this.#contracted === this.cost;
    return isSame ? null : { list: this.#list, contracted: this.#contracted };
  }

  /** Counts of the requests by their results, for people. */
  get counts(): string {
    const counts = [...this.#unbilled].map(([why, count]) => `${count} ${why}`);
    return [`${this.billed} succeeded`, ...counts].join(', ');
  }

  get usage(): Usage {
    const inferences = Array.from(this.#byModel, ([model, tokens]): Inference => ({
      model,
      tokens,
      promptTokens: null,
    }));
    return { inferences, uses: this.#uses, thinking: this.#thinking, terms: { ...NO_TERMS, tier: BATCH_TIER } };
  }

  #addTokens(model: string, tokens: TokenCounts): void {
    const sum = this.#byModel.get(model) ?? {};
    for (const name of TOKEN_CLASSES) if (tokens[name]) sum[name] = (sum[name] ?? 0) + tokens[name];
    this.#byModel.set(model, sum);
  }
}
