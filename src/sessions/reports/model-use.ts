import { type LocalCall, type LocalSource, readSourceModel } from '../../domain/sessions/local-call.ts';
import { addWhole, type WholeAmount } from '../../domain/money/money.ts';
import type { RateCard } from '../../domain/pricing/price.ts';
import {
  type PriceLine,
  priceLines,
  priceUsage,
  type ResolveCard,
  roundToNano,
  sumLines,
} from '../../domain/pricing/pricing.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  type Inference,
  INPUT_CLASSES,
  OUTPUT_CLASSES,
} from '../../domain/usage/usage.ts';

/** Returns the price of a provider's model at a time (epoch ms); null = unknown. */
export type FindCard = (provider: string, model: string, at: number) => RateCard | null;

/** Returns the price of a model that a source names. */
export function findSourceCard(cardOf: FindCard, source: LocalSource, model: string, at: number): RateCard | null {
  const { provider, name } = readSourceModel(source, model);
  return cardOf(provider, name, at);
}

/** Tokens by the classes of reports and session records. Each token is in one class. */
export interface UsedTokens {
  /** Tokens neither read from a cache nor written to one. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
}

/** Usage of one model in one call. Nearly every call has one; others are of advisor models. */
export interface ModelUse extends UsedTokens {
  readonly call: LocalCall;
  readonly model: string;
  /** 1 for the call's own model and 0 for others, so that a sum counts each call once. */
  readonly calls: 0 | 1;
  /** nano-USD. All uses of a call add up to its cost, rounded once. null = the call has no price. */
  readonly cost: number | null;
  /** Sentence that says what has no price; null = everything has a price. */
  readonly missing: string | null;
}

/** Prices calls and returns their uses, the earliest first. */
export function priceCalls(calls: Iterable<LocalCall>, cardOf: FindCard): ModelUse[] {
  const uses: ModelUse[] = [];
  for (const call of calls) {
    const { model, usage, source, at } = call;
    const resolve: ResolveCard = (name) => findSourceCard(cardOf, source, name, at);
    const { inferences } = usage;
    if (inferences.length > 1 || (inferences[0]?.model ?? model) !== model) uses.push(...splitByModel(call, resolve));
    else uses.push(toModelUse(call, model, inferences, priceUsage(usage, model, resolve)));
  }
  return uses.toSorted((a, b) => a.call.at - b.call.at);
}

const FIELD_BY_CLASS: ReadonlyMap<string, keyof UsedTokens> = new Map([
  ...INPUT_CLASSES.map((name) => [name, 'inputTokens'] as const),
  ...OUTPUT_CLASSES.map((name) => [name, 'outputTokens'] as const),
  ...CACHE_READ_CLASSES.map((name) => [name, 'cacheReadTokens'] as const),
  ...CACHE_WRITE_CLASSES.map((name) => [name, 'cacheCreationTokens'] as const),
]);

type UsePrice = Pick<ModelUse, 'cost' | 'missing'>;

function toModelUse(
  call: LocalCall,
  model: string,
  inferences: readonly Inference[],
  { cost, missing }: UsePrice,
): ModelUse {
  let inputTokens = 0;
  let outputTokens = 0;
  let cacheReadTokens = 0;
  let cacheCreationTokens = 0;
  for (let index = 0; index < inferences.length; index += 1) {
    const counts: Readonly<Record<string, number>> = inferences[index]?.tokens ?? {};
    // Iterates only over the few classes present.
    for (const name in counts) {
      const count = counts[name] ?? 0;
      const field = FIELD_BY_CLASS.get(name);
      if (field === 'inputTokens') inputTokens += count;
      else if (field === 'outputTokens') outputTokens += count;
      else if (field === 'cacheReadTokens') cacheReadTokens += count;
      else if (field === 'cacheCreationTokens') cacheCreationTokens += count;
    }
  }
  const calls = model === call.model ? 1 : 0;
  return { call, model, calls, cost, missing, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens };
}

/** Splits a call by model. The parts of the cost add up to the cost of the call. */
function splitByModel(call: LocalCall, resolve: ResolveCard): ModelUse[] {
  const { cost, missing } = priceUsage(call.usage, call.model, resolve);
  const { lines } = priceLines(call.usage, call.model, resolve);
  const models = new Set([call.model, ...call.usage.inferences.map(({ model }) => model ?? call.model)]);
  const soFar: PriceLine[] = [];
  let before: WholeAmount = 0;
  return [...models].map((model) => {
    soFar.push(...lines.filter((line) => line.model === model));
    const after = soFar.length > 0 ? roundToNano(sumLines(soFar)) : 0;
    const own = Number(after) - Number(before);
    before = after;
    const inferences = call.usage.inferences.filter((inference) => (inference.model ?? call.model) === model);
    return toModelUse(call, model, inferences, { cost: cost === null ? null : own, missing });
  });
}

/** Sum of uses. */
export interface LocalTotals extends UsedTokens {
  readonly calls: number;
  /** nano-USD of everything with a price; null = nothing has a price. */
  readonly cost: WholeAmount | null;
  /** Calls without a price. Their tokens are counted, but not their cost. */
  readonly unpricedCalls: number;
}

/** Adds up uses. */
export class RunningTotals implements LocalTotals {
  calls = 0;
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheCreationTokens = 0;
  unpricedCalls = 0;
  #priced: WholeAmount | null = null;
  #uses = 0;

  add(use: ModelUse): void {
    this.#uses += 1;
    this.calls += use.calls;
    this.inputTokens += use.inputTokens;
    this.outputTokens += use.outputTokens;
    this.cacheReadTokens += use.cacheReadTokens;
    this.cacheCreationTokens += use.cacheCreationTokens;
    if (use.cost === null) this.unpricedCalls += use.calls;
    else this.#priced = addWhole(this.#priced ?? 0, use.cost);
  }

  /** Without any use the cost is known to be 0. */
  get cost(): WholeAmount | null {
    return this.#uses === 0 ? 0 : this.#priced;
  }
}

export function sumUses(uses: Iterable<ModelUse>): RunningTotals {
  const sum = new RunningTotals();
  for (const use of uses) sum.add(use);
  return sum;
}

/** Returns the tokens of all classes together. */
export function sumTokens(totals: UsedTokens): number {
  return totals.inputTokens + totals.outputTokens + totals.cacheReadTokens + totals.cacheCreationTokens;
}
