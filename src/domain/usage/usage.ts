/**
 * Usage of one answered call, in classes that never overlap: together they are all tokens of the call. Counts are whole
 * tokens. A missing class is 0.
 */
export const INPUT_CLASSES = ['input', 'inputAudio', 'inputImage'] as const;
export const CACHE_READ_CLASSES = ['cacheRead', 'cacheReadAudio'] as const;
/** `cacheWrite` has no stated lifetime (OpenAI); the others name theirs. */
export const CACHE_WRITE_CLASSES = ['cacheWrite', 'cacheWrite5m', 'cacheWrite1h', 'cacheWrite12h'] as const;
/** All of a prompt. */
export const PROMPT_CLASSES = [...INPUT_CLASSES, ...CACHE_READ_CLASSES, ...CACHE_WRITE_CLASSES] as const;
export const OUTPUT_CLASSES = ['output', 'outputAudio', 'outputImage'] as const;
export const TOKEN_CLASSES = [...PROMPT_CLASSES, ...OUTPUT_CLASSES] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];
export type TokenCounts = Partial<Record<TokenClass, number>>;

/**
 * Work that is billed per use and not per token. `codeInterpreter` is a container of the smallest size, the classes after
 * it are larger ones. `image` is a picture made, `audioSecond` a second of sound read, `character` one that is spoken, and
 * `rerankSearch` a query with up to a hundred documents.
 */
export const USE_CLASSES = [
  'webSearch',
  'webSearchPreview',
  'webFetch',
  'codeExecution',
  'fileSearch',
  'codeInterpreter',
  'codeInterpreter4g',
  'codeInterpreter16g',
  'codeInterpreter64g',
  'groundedPrompt',
  'groundingQuery',
  'mapsPrompt',
  'image',
  'audioSecond',
  'character',
  'rerankSearch',
] as const;
export type UseClass = (typeof USE_CLASSES)[number];
/**
 * Classes with a fee: uses, and the call itself for models that charge for it. Usage never counts requests; pricing adds
 * them.
 */
export const FEE_CLASSES = [...USE_CLASSES, 'request'] as const;
export type FeeClass = (typeof FEE_CLASSES)[number];
export type UseCounts = Partial<Record<UseClass, number>>;

/** Classes that provider reports count under another name: they list one sum for all fees of a kind of use. */
const REPORTED_AS: Readonly<UseAliases> = {
  webSearchPreview: 'webSearch',
  codeInterpreter4g: 'codeInterpreter',
  codeInterpreter16g: 'codeInterpreter',
  codeInterpreter64g: 'codeInterpreter',
};
type UseAliases = Partial<Record<UseClass, UseClass>>;

/** Counts uses under the names that provider reports have for them. */
export function reportedUses(uses: UseCounts): UseCounts {
  const reported: UseCounts = {};
  for (const name of USE_CLASSES) {
    const count = uses[name];
    if (count === undefined) continue;
    const as = REPORTED_AS[name] ?? name;
    reported[as] = (reported[as] ?? 0) + count;
  }
  return reported;
}

/** Uses of most calls. */
export const NO_USES: UseCounts = {};

/** One pass of one model. A call has one, or several where the provider worked in iterations. */
export interface Inference {
  /** The model that answered; null = the call's own model. */
  readonly model: string | null;
  readonly tokens: TokenCounts;
  /**
   * Length of the whole prompt of this pass in tokens (uncached + cache reads + cache writes), which decides the length
   * tier. null = only the total of several passes is known.
   */
  readonly promptTokens: number | null;
}

/** Words as the provider's answer gives them, lower case; null = not said. */
export interface ServiceTerms {
  /** `standard`, `default`, `batch`, `flex`, `priority`, … */
  readonly tier: string | null;
  /** `standard`, `fast`. */
  readonly speed: string | null;
  /** `global`, `us`, … */
  readonly geo: string | null;
}

export interface Usage {
  readonly inferences: readonly Inference[];
  readonly uses: UseCounts;
  /**
   * Further uses, each with the highest fee that it may have: neither request nor answer says which fee applies. They are in
   * no cost and in no journal, only in what limits count. Absent = none.
   */
  readonly openUses?: UseCounts;
  /** The provider may bill the usage at less than its prices, or to someone else; absent = no. */
  readonly otherBilling?: true;
  /** The answer shows work of the provider whose fee is on no price list; absent = none. It is in no journal. */
  readonly hasUnlistedFee?: true;
  /** The provider's own statement of the cost in nano-USD, by which it bills; absent = none. It is in no journal, only in the cost. */
  readonly statedCost?: number;
  /** Thinking tokens, already inside the output classes. */
  readonly thinking: number;
  readonly terms: ServiceTerms;
}

export const NO_TERMS: ServiceTerms = { tier: null, speed: null, geo: null };

/** Adds the token classes of all inferences. */
export function totalTokens(usage: Usage): TokenCounts {
  if (usage.inferences.length <= 1) return usage.inferences[0]?.tokens ?? {};
  const sum: TokenCounts = {};
  for (const { tokens } of usage.inferences)
    for (const name of TOKEN_CLASSES) {
      const count = tokens[name];
      if (count) sum[name] = (sum[name] ?? 0) + count;
    }
  return sum;
}

export function sumClasses(tokens: TokenCounts, classes: readonly TokenClass[]): number {
  // Without an iterator, which before code is optimized makes much garbage: this is asked of every call.
  return classes.reduce((sum, name) => sum + (tokens[name] ?? 0), 0);
}

/** Whole prompt: uncached + cache reads + cache writes. */
export function inputTokens(tokens: TokenCounts): number {
  return (
    sumClasses(tokens, INPUT_CLASSES) + sumClasses(tokens, CACHE_READ_CLASSES) + sumClasses(tokens, CACHE_WRITE_CLASSES)
  );
}

/** All output, thinking included. */
export function outputTokens(tokens: TokenCounts): number {
  return sumClasses(tokens, OUTPUT_CLASSES);
}
