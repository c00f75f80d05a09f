import type { TokenClass, UseClass } from '../usage/usage.ts';

/**
 * All that a request lets the provider do at most, read from its body by the provider part. `hold.ts` turns it into the
 * amounts that a call sets aside. Everything here is an upper bound: what is not known is taken at its largest.
 */
export interface RequestDemand {
  /**
   * Bytes of the decoded body without base64 media, with its text normalized, as some tokenizers do, and its tools
   * written out, as chat templates do. No tokenizer makes
   * more tokens than it reads bytes.
   */
  readonly textBytes: number;
  /** Tokens that media parts with a published maximum can add. */
  readonly mediaTokens: number;
  /** Tokens the provider puts around the prompt: role marks, its own words about tools. */
  readonly preambleTokens: number;
  /** The prompt refers to something not in the body, or holds media without a published maximum: only the window bounds it. */
  readonly beyondBody: boolean;
  /**
   * null = one prompt, which the window bounds as a whole. A number = a list of prompts with a window each, which only their
   * bytes bound together; so many of them may fill their window with something that is not in the body.
   */
  readonly listedWindows: number | null;
  /** Declared output maximum per answer; null = none, or no whole number that the provider takes as one. */
  readonly outputMax: number | null;
  /** No output maximum can be added to the request: it is passed on unchanged. */
  readonly outputMaxFixed: boolean;
  /**
   * Tokens of one picture in the answer, which is always complete: the maximum does not cut it. Models without a price for
   * pictures draw none.
   */
  readonly pictureTokens: number;
  /** Requested answers (`n`, `candidateCount`), at least 1. */
  readonly answers: number;
  /** Thinking budget: output tokens that the request wants in addition to its answer. */
  readonly outputLeast: number;
  /** Tokens to which the thinking budget may be reduced; `outputLeast` if it can't be changed. */
  readonly thinkingLeast: number;
  /** An output maximum that is not larger than this bounds nothing: the answer may fill the window. 0 = every maximum holds. */
  readonly liftsMaxUpTo: number;
  /** Tokens of thinking that no output maximum of the request bounds, in each answer. */
  readonly thoughtTokens: number;
  /** Number of times that the whole request may run again on another model after a refusal. */
  readonly reruns: number;
  readonly work: ProviderWork;
  /** Cache writes the body asks for; `automatic` ones depend on the model. */
  readonly cacheWrites: 'none' | '5m' | '1h' | '12h';
  /** Kinds of input and output that may occur and whose tokens have separate prices. */
  readonly media: RequestMedia;
  /** Token classes that the body asks for by name. Without a rate for each of them the call has no known price. */
  readonly asked: readonly TokenClass[];
  /** Value in the request, lower case; null = not set. */
  readonly speed: string | null;
  readonly tier: string | null;
  readonly geo: string | null;
  /** Nothing in the body decides the tier, and this word would: the plain tier. null = the body does, or no word can. */
  readonly pinTier: string | null;
  /** Further models that may answer, or be asked by tools (fallbacks, an advisor). */
  readonly otherModels: readonly string[];
  /** A model that the request does not name may answer or be asked. */
  readonly anyModel: boolean;
  /** The provider chooses among endpoints, some above the listed price; the request can limit their prices. */
  readonly hasEndpoints: boolean;
}

export interface RequestMedia {
  readonly audioIn: boolean;
  readonly imageIn: boolean;
  readonly audioOut: boolean;
  readonly imageOut: boolean;
}

/** Work that the provider does between prompt and answer: further passes of the model, and billed uses. */
export interface ProviderWork {
  /** Passes with a separate answer, each with up to a whole window of input. */
  readonly passes: number;
  /** Passes of a tool loop. They continue the answer, so one output maximum bounds them together. */
  readonly loopPasses: number;
  /** Web searches of the loop, whose results are added to the prompt; null = other tools run, and only the window bounds it. */
  readonly loopSearches: number | null;
  readonly uses: Readonly<Partial<Record<UseClass, number>>>;
  /**
   * Field that allows any amount of work in addition to the above: `tools[].web_search without max_uses`; null = nothing
   * does.
   */
  readonly unbounded: string | null;
  /** The provider may charge a fee for it that no price list has, and that no answer shows; absent = no. */
  readonly hasUnlistedFee?: true;
}

/** One prompt is all that the provider reads: what it says of it early is the whole input. */
export function readsOnce({ work, reruns }: RequestDemand): boolean {
  return reruns === 0 && work.unbounded === null && work.passes + work.loopPasses === 0;
}

export const NO_WORK: ProviderWork = { passes: 0, loopPasses: 0, loopSearches: 0, uses: {}, unbounded: null };
export const NO_MEDIA: RequestMedia = { audioIn: false, imageIn: false, audioOut: false, imageOut: false };

/** Asks for nothing; the fields that a request fills are spread over it. */
export const NO_DEMAND: RequestDemand = {
  textBytes: 0,
  mediaTokens: 0,
  preambleTokens: 0,
  beyondBody: false,
  listedWindows: null,
  outputMax: null,
  outputMaxFixed: false,
  pictureTokens: 0,
  answers: 1,
  outputLeast: 0,
  thinkingLeast: 0,
  liftsMaxUpTo: 0,
  thoughtTokens: 0,
  reruns: 0,
  work: NO_WORK,
  cacheWrites: 'none',
  media: NO_MEDIA,
  asked: [],
  speed: null,
  tier: null,
  geo: null,
  pinTier: null,
  otherModels: [],
  anyModel: false,
  hasEndpoints: false,
};
