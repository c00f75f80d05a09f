import { NO_MEDIA, NO_WORK, type ProviderWork, type RequestDemand } from '../domain/limits/demand.ts';
import { NO_USES, USE_CLASSES, type TokenClass, type UseClass, type UseCounts } from '../domain/usage/usage.ts';
import type { escapingGrowth } from '../lib/json/template-growth.ts';
import { type ScanValues, UNCLEAR } from '../lib/json/scan-record.ts';
import type { CappableTools } from './provider.ts';
import { MODEL_CHARS_MAX, type RequestBody } from './request-body.ts';

/** Model passes beyond which a bound would be useless. */
const PASSES_MAX = 1_000_000;
/** Bytes of tools and their calls that are read once more; a step of the scan is about as long. */
const REWRITTEN_BYTES_MAX = 1_048_576;
/** Further models of one request whose prices are looked up. */
const OTHER_MODELS_MAX = 16;
const QUOTE = 0x22;
const NO_MODELS: readonly string[] = [];
const NONE_ASKED: readonly TokenClass[] = [];
const DATA_URL = '"data:';

/** Lifetime of all cache writes of a request; `mixed` = they may differ, or it is not known. */
export type WriteLifetime = 'default' | '1h' | 'mixed';

/** Members of a demand that the provider's reader adds to the tally's. */
export type OwnDemand = Omit<
  RequestDemand,
  | 'textBytes'
  | 'outputMaxFixed'
  | 'beyondBody'
  | 'listedWindows'
  | 'work'
  | 'reruns'
  | 'thoughtTokens'
  | 'cacheWrites'
  | 'media'
  | 'asked'
  | 'otherModels'
  | 'anyModel'
  | 'hasEndpoints'
  | 'mediaTokens'
>;

/** Role markers of a prompt and the words that a model has around it. */
const PLAIN_PREAMBLE_TOKENS_MAX = 256;

/** Returns the tokens around a prompt at most: so many if a member is there that adds words, few otherwise. */
export function boundPreamble(body: RequestBody, worded: readonly string[], most: number): number {
  if (body.stranger !== null) return most;
  for (const name of worded) if (body.find(name)) return most;
  return PLAIN_PREAMBLE_TOKENS_MAX;
}

/** Work without a bound, whose fee may be on no price list; `phrase` names the field. */
export function unlistedWork(phrase: string): ProviderWork {
  return { ...NO_WORK, unbounded: phrase, hasUnlistedFee: true };
}

/** Sums up what the parts, items and tools of a request let the provider do. */
export class DemandTally {
  /** Pictures from any source. The provider shrinks them to a published size. */
  images = 0;
  /** Runs of the whole request on further models. */
  reruns = 0;
  preambleTokens = 0;
  /** Tokens of thinking beyond the output maximum. */
  thoughtTokens = 0;
  #mediaBytes = 0;
  #rewrittenBytes = 0;
  #growth = 0;
  #beyondBody = false;
  #fetches = false;
  #passes = 0;
  #loopTools: readonly LoopTool[] = NO_TOOLS;
  #compactions = 0;
  /** Compactions that each use of a tool may cause. */
  #compactionsPerUse = 0;
  #unbounded: string | null = null;
  #hasUnlistedFee = false;
  #uses: UseCounts = NO_USES;
  #cacheWrites: RequestDemand['cacheWrites'] = 'none';
  #writeLifetime: WriteLifetime = 'default';
  #hasWrites = false;
  #audioIn = false;
  #audioOut = false;
  #imageOut = false;
  #asked: readonly TokenClass[] = NONE_ASKED;
  #otherModels: readonly string[] = NO_MODELS;
  #anyModel = false;

  /** Notes content, in the prompt or referred to, that no published figure bounds. */
  beyondBody(): void {
    this.#beyondBody = true;
  }

  /** Notes a reference to content of any kind that is not in the body and never changes. */
  reference(): void {
    this.#beyondBody = true;
    this.#audioIn = true;
    this.images++;
  }

  /** Notes content that the provider fetches when it answers, or that others may extend in the meantime. */
  fetched(): void {
    this.#fetches = true;
  }

  /** True if a count of the prompt stays valid until the call is made. */
  get isFixed(): boolean {
    return !this.#fetches;
  }

  /** Notes that the text of the prompt has up to `bytes` bytes more where the provider rewrites it. */
  grow(bytes: number): void {
    this.#growth += bytes;
  }

  /** Notes JSON that a chat template may write out again, escaped in `growth`'s way. Beyond some size the window bounds it. */
  rewritten(values: ScanValues, path: string, growth: typeof escapingGrowth): void {
    const span = values.find(path);
    if (!span) return;
    this.#rewrittenBytes += span.end - span.start;
    if (this.#rewrittenBytes > REWRITTEN_BYTES_MAX) this.#beyondBody = true;
    else this.#growth += growth(values.bytes, span.start, span.end);
  }

  audio(): void {
    this.#beyondBody = true;
    this.#audioIn = true;
    this.#ask('inputAudio');
  }

  /** Notes that the answer may have images or audio, if the model can make them. */
  mayDrawOrSpeak(): void {
    this.#audioOut = true;
    this.#imageOut = true;
  }

  /** Notes that audio output is requested. */
  speech(): void {
    this.#audioOut = true;
    this.#ask('outputAudio');
  }

  /** Notes that image output is requested. */
  pictures(): void {
    this.#imageOut = true;
    this.#ask('outputImage');
  }

  /** Notes that an unknown kind of output is requested; `phrase` names the field. */
  unknownOutput(phrase: string): void {
    this.mayDrawOrSpeak();
    this.unlistedFee(phrase);
  }

  #ask(name: TokenClass): void {
    if (!this.#asked.includes(name)) this.#asked = [...this.#asked, name];
  }

  /** Subtracts base64 data of `bytes` bytes from the text of the body. */
  media(bytes: number): void {
    this.#mediaBytes += bytes;
  }

  /** Notes work that no field of the request bounds; `phrase` names the field. */
  unbounded(phrase: string): void {
    this.#unbounded ??= phrase;
  }

  /** Notes work that no field bounds, and whose fee may be on no price list and in no answer; `phrase` names the field. */
  unlistedFee(phrase: string): void {
    this.unbounded(phrase);
    this.#hasUnlistedFee = true;
  }

  /** Adds at most `count` further passes, each with a use that may be billed; null = unbounded, as `otherwise` says. */
  work(count: number | null, use: UseClass | null, otherwise: string): void {
    if (count === null) return this.unbounded(otherwise);
    if (this.#passes + count > PASSES_MAX) return this.unbounded(tooManyUses(otherwise));
    this.#passes += count;
    if (use !== null) this.use(use, (this.#uses[use] ?? 0) + count);
  }

  /** Adds a tool that the provider runs in a loop. All tools share one loop. */
  loopTool(tool: LoopTool): void {
    this.#loopTools = [...this.#loopTools, tool];
  }

  /** Each use of a tool may cause another compaction. */
  compactionPerUse(): void {
    this.#compactionsPerUse++;
  }

  /** The conversation may be summarized before each pass of the model. */
  compaction(): void {
    this.#compactions++;
  }

  /** Sets the uses of a kind. Several kinds share the same passes. */
  use(use: UseClass, count: number): void {
    this.#uses = { ...this.#uses, [use]: count };
  }

  /** Notes requested cache writes. An unknown lifetime counts as the longest. */
  cacheWrite(ttl: string | null): void {
    this.#addLifetime(ttl === null || ttl === '5m' ? 'default' : ttl === '1h' ? '1h' : 'mixed');
    if (this.#cacheWrites === 'none') this.#cacheWrites = '5m';
    if (ttl !== null && ttl !== '5m' && this.#cacheWrites !== '12h') this.#cacheWrites = '1h';
  }

  longCacheWrite(): void {
    this.#addLifetime('mixed');
    this.#cacheWrites = '12h';
  }

  #addLifetime(lifetime: WriteLifetime): void {
    this.#writeLifetime = !this.#hasWrites || this.#writeLifetime === lifetime ? lifetime : 'mixed';
    this.#hasWrites = true;
  }

  /** Lifetime of the cache writes that the request asks for. */
  get writeLifetime(): WriteLifetime {
    return this.#writeLifetime;
  }

  /** Notes another model that may answer or be called. */
  otherModel(name: unknown, field: string): void {
    if (typeof name !== 'string' || name === '' || name.length > MODEL_CHARS_MAX)
      return this.anyModel(`${field} without a model's name`);
    if (this.#otherModels.includes(name)) return;
    if (this.#otherModels.length === OTHER_MODELS_MAX) return this.anyModel(`${field} with too many models`);
    this.#otherModels = [...this.#otherModels, name];
  }

  /** A model that the request does not name may answer; `phrase` names the field. */
  anyModel(phrase: string): void {
    this.#anyModel = true;
    this.unbounded(phrase);
  }

  /**
   * Builds the demand.
   * @param imageTokensMax maximum tokens of one picture for a model; null = the provider publishes no figure
   */
  demand(
    body: RequestBody,
    model: string,
    imageTokensMax: (model: string) => number | null,
    own: OwnDemand,
  ): RequestDemand {
    const imageIn = this.images > 0;
    const imageTokens = imageIn ? imageTokensMax(model) : 0;
    return {
      // Copied one by one, because this runs for every call.
      outputMax: own.outputMax,
      outputMaxFixed: false,
      pictureTokens: own.pictureTokens,
      answers: own.answers,
      outputLeast: own.outputLeast,
      thinkingLeast: own.thinkingLeast,
      liftsMaxUpTo: own.liftsMaxUpTo,
      thoughtTokens: this.thoughtTokens,
      speed: own.speed,
      tier: own.tier,
      geo: own.geo,
      pinTier: own.pinTier,
      textBytes: body.textBytes + this.#growth - this.#mediaBytes,
      mediaTokens: imageTokens === null ? 0 : this.images * imageTokens,
      preambleTokens: own.preambleTokens + this.preambleTokens,
      beyondBody: this.#beyondBody || (imageIn && imageTokens === null),
      listedWindows: null,
      reruns: this.reruns,
      work: this.#work(),
      cacheWrites: this.#cacheWrites,
      media:
        this.#audioIn || imageIn || this.#audioOut || this.#imageOut
          ? { audioIn: this.#audioIn, imageIn, audioOut: this.#audioOut, imageOut: this.#imageOut }
          : NO_MEDIA,
      asked: this.#asked,
      otherModels: this.#otherModels,
      anyModel: this.#anyModel,
      hasEndpoints: false,
    };
  }

  /** The provider's tools, if each has a field for the maximum of its uses. `demand` is that of the body as it is. */
  cappableTools(demand: RequestDemand): CappableTools | null {
    const tools = this.#loopTools;
    if (tools.length === 0) return null;
    const isOpen = tools.some(({ uses }) => uses === null);
    const usesMax = isOpen ? null : Math.max(...tools.map(({ uses }) => uses ?? 0));
    return { usesMax, demandAt: (most) => ({ ...demand, work: this.#work(most) }) };
  }

  /** @param usesMax maximum uses of each tool of the loop, in addition to its own maximum */
  #work(usesMax = Infinity): ProviderWork {
    const loop = this.#loopTools.length === 0 ? NO_LOOP : sumLoop(this.#loopTools, usesMax);
    const unbounded = this.#unbounded ?? loop.unbounded;
    const own = this.#passes + loop.innerPasses + this.#compactionsPerUse * loop.calls;
    const passes = own + this.#compactions * (1 + own + loop.passes) * (1 + this.reruns);
    const uses = loop === NO_LOOP ? this.#uses : joinUseCounts(this.#uses, loop.uses);
    if (passes === 0 && loop.passes === 0 && unbounded === null && uses === NO_USES) return NO_WORK;
    const work = { passes, loopPasses: loop.passes, loopSearches: loop.searches, uses, unbounded };
    return this.#hasUnlistedFee ? { ...work, hasUnlistedFee: true } : work;
  }
}

/** A tool, or all tools with one maximum, that the provider runs between two passes of the model. */
export interface LoopTool {
  /** Maximum uses that the body names; null = none. */
  readonly uses: number | null;
  /** Billed uses, each up to `uses`. */
  readonly fees: readonly UseClass[];
  /** Billed uses that occur at least once, even if the tool is not used. */
  readonly leastFees: readonly UseClass[];
  /** A use beyond the maximum is answered with an error, which the model reads in another pass, up to so many passes. */
  readonly iterations: number;
  /** Its results are those of web searches alone. */
  readonly isSearch: boolean;
  /** Each use asks another model, whose answer the maximum of the request does not bound. */
  readonly asksModel: boolean;
  /** Why a tool without a maximum has no bound. */
  readonly otherwise: string;
}

interface ToolLoop {
  readonly calls: number;
  readonly passes: number;
  readonly innerPasses: number;
  readonly searches: number | null;
  readonly uses: UseCounts;
  /** Why a tool has no bound. Its uses are left out. null = all have one. */
  readonly unbounded: string | null;
}

const NO_TOOLS: readonly LoopTool[] = [];
const NO_LOOP: ToolLoop = { calls: 0, passes: 0, innerPasses: 0, searches: 0, uses: NO_USES, unbounded: null };

function sumLoop(tools: readonly LoopTool[], usesMax: number): ToolLoop {
  const uses: UseCounts = {};
  let [calls, innerPasses, iterations]: [number, number, number] = [0, 0, 0];
  let searches: number | null = 0;
  let unbounded: string | null = null;
  for (const tool of tools) {
    for (const use of tool.leastFees) uses[use] = Math.max(1, uses[use] ?? 0);
    const count = Math.min(tool.uses ?? Infinity, usesMax);
    if (calls + count > PASSES_MAX) {
      unbounded ??= count === Infinity ? tool.otherwise : tooManyUses(tool.otherwise);
      continue;
    }
    calls += count;
    iterations = Math.max(iterations, tool.iterations);
    if (tool.asksModel) innerPasses += count;
    searches = tool.isSearch && searches !== null ? searches + count : null;
    for (const use of tool.fees) uses[use] = (uses[use] ?? 0) + count;
    for (const use of tool.leastFees) uses[use] = Math.max(uses[use] ?? 0, count);
  }
  return { calls, passes: Math.max(calls, iterations), innerPasses, searches, uses, unbounded };
}

function joinUseCounts(one: UseCounts, other: UseCounts): UseCounts {
  const sum: UseCounts = { ...one };
  for (const use of USE_CLASSES) {
    const count = other[use] ?? 0;
    if (count > 0) sum[use] = (sum[use] ?? 0) + count;
  }
  return sum;
}

function tooManyUses(otherwise: string): string {
  return `${otherwise.split(' ')[0]} with more than ${PASSES_MAX} uses`;
}

/** Returns the bytes between the quotes of a text; 0 = it is not a text. */
export function textBytes(values: ScanValues, path: string): number {
  const span = values.find(path);
  return span && values.bytes[span.start] === QUOTE ? span.end - span.start - 2 : 0;
}

/** Returns the same for a text that is a `data:` URL, else 0. */
export function dataUrlBytes(values: ScanValues, path: string): number {
  const span = values.find(path);
  if (!span) return 0;
  for (let at = 0; at < DATA_URL.length; at++) if (values.bytes[span.start + at] !== DATA_URL.charCodeAt(at)) return 0;
  return textBytes(values, path);
}

/**
 * Reads the requested kinds of output. Each word adds one; an unknown word may mean a kind without a price.
 * @param words in lower case; null = absent
 * @param field field name for messages
 */
export function readModalities(words: readonly string[] | null, tally: DemandTally, field: string): void {
  if (words === null || words.length === 0) return tally.mayDrawOrSpeak();
  for (const word of words) readModality(word, tally, field);
}

function readModality(word: string, tally: DemandTally, field: string): void {
  if (word === 'text') return;
  if (word === 'image') tally.pictures();
  else if (word === 'audio') tally.speech();
  else if (word === 'modality_unspecified') tally.mayDrawOrSpeak();
  else tally.unknownOutput(`${field} with "${word.slice(0, SHOWN_WORD_CHARS_MAX)}"`);
}

const SHOWN_WORD_CHARS_MAX = 32;

/** Reads a cache write. Without a lifetime it lasts five minutes. */
export function readCacheControl(values: ScanValues, tally: DemandTally, path = 'cache_control'): void {
  if (values.uses(path)) tally.cacheWrite(values.isObject(path) ? values.text(`${path}.ttl`) : UNCLEAR);
}
