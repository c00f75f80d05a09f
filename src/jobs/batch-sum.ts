import type { PricedCosts } from '../domain/usage/call.ts';
import {
  type Inference,
  inputTokens,
  NO_TERMS,
  TOKEN_CLASSES,
  type TokenCounts,
  USE_CLASSES,
  type UseCounts,
  type Usage,
} from '../domain/usage/usage.ts';
import type { LengthTier } from '../domain/pricing/price.ts';
import { BATCH_TIER } from '../domain/pricing/batch-card.ts';
import { isPlainGeo } from '../domain/pricing/pricing.ts';

/** Costs of one request of a batch. */
interface SettledLine extends PricedCosts {
  readonly cost: number;
  readonly versions: readonly string[];
}

/** Geography of results from several ones: it has no price, so that their cost stays as it is. */
const SEVERAL_GEOS = 'several';

/** Usage and cost of the results of a batch, the tokens by model and length tier. */
export class BatchSum {
  cost = 0;
  /** Number of billed requests. */
  billed = 0;
  /** Number of results that can't be read, billed or not. */
  unread = 0;
  readonly versions: string[] = [];
  readonly #unbilled = new Map<string, number>();
  readonly #groups = new Map<string, PricedGroup>();
  readonly #uses: UseCounts = {};
  /** undefined = no result was added. */
  #geo: string | null | undefined;
  #list = 0;
  #contracted = 0;
  #thinking = 0;

  /** @param tiersOf the length tiers of a model's price */
  add(
    { inferences, uses, thinking, terms }: Usage,
    model: string,
    { cost, list, contracted, versions }: SettledLine,
    tiersOf: (model: string) => readonly LengthTier[],
  ): void {
    this.billed += 1;
    this.cost += cost;
    this.#list += list;
    this.#contracted += contracted;
    this.#thinking += thinking;
    this.#addGeo(terms.geo);
    for (const version of versions) if (!this.versions.includes(version)) this.versions.push(version);
    for (const inference of inferences) this.#addTokens(inference, inference.model ?? model, tiersOf);
    for (const name of USE_CLASSES) if (uses[name]) this.#uses[name] = (this.#uses[name] ?? 0) + uses[name];
  }

  addUnread(): void {
    this.unread += 1;
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
    const inferences = Array.from(this.#groups.values(), ({ model, tokens, promptTokens }): Inference => ({
      model,
      tokens,
      promptTokens,
    }));
    const terms = { ...NO_TERMS, tier: BATCH_TIER, geo: this.#geo ?? null };
    return { inferences, uses: this.#uses, thinking: this.#thinking, terms };
  }

  #addGeo(word: string | null): void {
    const geo = word !== null && isPlainGeo(word) ? null : word;
    this.#geo = this.#geo === undefined || this.#geo === geo ? geo : SEVERAL_GEOS;
  }

  #addTokens(
    { tokens, promptTokens }: Inference,
    model: string,
    tiersOf: (model: string) => readonly LengthTier[],
  ): void {
    const prompt = promptTokens ?? inputTokens(tokens);
    const tier = tiersOf(model).findLastIndex(({ above }) => prompt > above);
    const key = `${tier} ${model}`;
    const group = this.#groups.get(key) ?? { model, tokens: {}, promptTokens: 0 };
    group.promptTokens = Math.max(group.promptTokens, prompt);
    for (const name of TOKEN_CLASSES) if (tokens[name]) group.tokens[name] = (group.tokens[name] ?? 0) + tokens[name];
    this.#groups.set(key, group);
  }
}

/** Tokens of one model whose prompts are in one length tier of its price, so that their sum has the price of its parts. */
interface PricedGroup {
  readonly model: string;
  readonly tokens: TokenCounts;
  /** Length of the longest prompt. */
  promptTokens: number;
}
