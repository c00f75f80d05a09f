import { type LocalCall, PROVIDER_OF_SOURCE } from '../core/local-call.ts';
import type { Whole } from '../core/money.ts';
import type { RateCard } from '../core/price.ts';
import { priceLines, type PriceLine, priceUsage, type ResolveCard, roundToNano, sumLines } from '../core/pricing.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  type Inference,
  INPUT_CLASSES,
  OUTPUT_CLASSES,
  TOKEN_CLASSES,
  type TokenClass,
} from '../core/usage.ts';

/** The price of a provider's model at a time (epoch ms); null = none is known. */
export type CardOf = (provider: string, model: string, at: number) => RateCard | null;

/** Tokens as reports and session records tell them apart: each token in one class. */
export interface UsedTokens {
  /** Neither read from a cache nor written to one. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
}

/** What one call used of one model. Nearly every call has one; others are of models that advised within it. */
export interface Use extends UsedTokens {
  readonly call: LocalCall;
  readonly model: string;
  /** 1 with the model that the call is named after, so that a sum over uses counts each call once. */
  readonly calls: 0 | 1;
  /** nano-USD; all uses of a call together are its cost, rounded once. null = the call has no price. */
  readonly cost: number | null;
  /** A sentence that says what has no price; null = everything has. */
  readonly missing: string | null;
}

/** Prices calls; the earliest use comes first. */
export function usesOf(calls: Iterable<LocalCall>, cardOf: CardOf): Use[] {
  const uses: Use[] = [];
  for (const call of calls) {
    const resolve: ResolveCard = (model) => cardOf(PROVIDER_OF_SOURCE[call.source], model, call.at);
    const isAdvised = call.usage.inferences.some(({ model }) => model !== null && model !== call.model);
    if (isAdvised) uses.push(...usesByModel(call, resolve));
    else uses.push(useOf(call, call.model, call.usage.inferences, priceUsage(call.usage, call.model, resolve)));
  }
  return uses.toSorted((a, b) => a.call.at - b.call.at);
}

function under<Field extends keyof UsedTokens>(field: Field, classes: readonly TokenClass[]): [TokenClass, Field][] {
  return classes.map((name) => [name, field]);
}

const FIELD_OF = Object.fromEntries([
  ...under('inputTokens', INPUT_CLASSES),
  ...under('outputTokens', OUTPUT_CLASSES),
  ...under('cacheReadTokens', CACHE_READ_CLASSES),
  ...under('cacheCreationTokens', CACHE_WRITE_CLASSES),
]) as Readonly<Record<TokenClass, keyof UsedTokens>>;

type UsePrice = Pick<Use, 'cost' | 'missing'>;

function useOf(call: LocalCall, model: string, inferences: readonly Inference[], { cost, missing }: UsePrice): Use {
  const use = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
  for (const { tokens } of inferences)
    for (const name of TOKEN_CLASSES) {
      const count = tokens[name];
      if (count) use[FIELD_OF[name]] += count;
    }
  return { call, model, calls: model === call.model ? 1 : 0, cost, missing, ...use };
}

/** The cost is split as it adds up, model after model, so that the parts are together what the call cost. */
function usesByModel(call: LocalCall, resolve: ResolveCard): Use[] {
  const { cost, missing } = priceUsage(call.usage, call.model, resolve);
  const { lines } = priceLines(call.usage, call.model, resolve);
  const models = new Set([call.model, ...call.usage.inferences.map(({ model }) => model ?? call.model)]);
  const soFar: PriceLine[] = [];
  let before: Whole = 0;
  return [...models].map((model) => {
    soFar.push(...lines.filter((line) => line.model === model));
    const after = soFar.length > 0 ? roundToNano(sumLines(soFar)) : 0;
    const own = Number(after) - Number(before);
    before = after;
    const inferences = call.usage.inferences.filter((inference) => (inference.model ?? call.model) === model);
    return useOf(call, model, inferences, { cost: cost === null ? null : own, missing });
  });
}
