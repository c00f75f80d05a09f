import { NO_MEDIA, NO_WORK, type ProviderWork, type RequestDemand } from '../domain/limits/demand.ts';
import { NO_USES, type TokenClass, type UseClass, type UseCounts } from '../domain/usage/usage.ts';
import { type ScanValues, UNCLEAR } from '../lib/json/scan-record.ts';
import { MODEL_CHARS_MAX, type RequestBody } from './request-body.ts';

/** Passes of the model beyond which a bound would say nothing. */
const PASSES_MAX = 1_000_000;
/** Further models of one request that are looked up in the price list. */
const OTHER_MODELS_MAX = 16;
const QUOTE = 0x22;
const NO_MODELS: readonly string[] = [];
const NONE_ASKED: readonly TokenClass[] = [];
const DATA_URL = '"data:';

/** What only the provider's part knows of a demand, beside what the tally has added up. */
export type OwnDemand = Omit<
  RequestDemand,
  | 'textBytes'
  | 'beyondBody'
  | 'listedWindows'
  | 'work'
  | 'reruns'
  | 'cacheWrites'
  | 'media'
  | 'asked'
  | 'otherModels'
  | 'anyModel'
  | 'mediaTokens'
>;

/** Adds up what the parts, items and tools of a request let the provider do. */
export class DemandTally {
  /** Pictures, of whatever origin: the provider shrinks them to a size it publishes. */
  images = 0;
  /** Runs of the whole request on further models. */
  reruns = 0;
  preambleTokens = 0;
  #mediaBytes = 0;
  #beyondBody = false;
  #fetches = false;
  #passes = 0;
  /** Uses of tools that the provider runs in a loop of its own, and the passes that this loop may make whatever they are. */
  #loopUses = 0;
  #loopLeast = 0;
  #compactions = 0;
  #unbounded: string | null = null;
  #uses: UseCounts = NO_USES;
  #cacheWrites: RequestDemand['cacheWrites'] = 'none';
  #audioIn = false;
  #audioOut = false;
  #imageOut = false;
  #asked: readonly TokenClass[] = NONE_ASKED;
  #otherModels: readonly string[] = NO_MODELS;
  #anyModel = false;

  /** The prompt holds, or refers to, something that no published figure bounds. */
  beyondBody(): void {
    this.#beyondBody = true;
  }

  /** The body refers to something of any kind that it does not hold, and whose content never changes. */
  reference(): void {
    this.#beyondBody = true;
    this.#audioIn = true;
    this.images++;
  }

  /** The provider fetches something when it answers, or reads what others may add to meanwhile. */
  fetched(): void {
    this.#fetches = true;
  }

  /** A count of the prompt stays true until the call is made. */
  get isFixed(): boolean {
    return !this.#fetches;
  }

  audio(): void {
    this.#beyondBody = true;
    this.#audioIn = true;
    this.#ask('inputAudio');
  }

  /** A model that draws or speaks may do so here. */
  mayDrawOrSpeak(): void {
    this.#audioOut = true;
    this.#imageOut = true;
  }

  /** The answer is to be spoken. */
  speech(): void {
    this.#audioOut = true;
    this.#ask('outputAudio');
  }

  /** The answer is to be drawn. */
  pictures(): void {
    this.#imageOut = true;
    this.#ask('outputImage');
  }

  /** The answer is to be of a kind that is not known; `phrase` names the field. */
  unknownOutput(phrase: string): void {
    this.mayDrawOrSpeak();
    this.unbounded(phrase);
  }

  #ask(name: TokenClass): void {
    if (!this.#asked.includes(name)) this.#asked = [...this.#asked, name];
  }

  /** Base64 of `bytes` bytes in the body becomes media and no text. */
  media(bytes: number): void {
    this.#mediaBytes += bytes;
  }

  /** Work that no field of the request bounds; `phrase` names the field. */
  unbounded(phrase: string): void {
    this.#unbounded ??= phrase;
  }

  /** Work in at most `count` further passes, each with a use that may be billed; null = no such field: `otherwise` says so. */
  work(count: number | null, use: UseClass | null, otherwise: string): void {
    if (count === null) return this.unbounded(otherwise);
    this.#passes += count;
    this.#countUses(count, use, otherwise);
  }

  /**
   * The same for a tool that the provider runs in a loop: a use beyond `count` is refused, without a fee, but the model
   * reads the refusal in a further pass, until the loop ends after `iterations`. All tools share one loop.
   */
  loopWork(count: number | null, use: UseClass | null, iterations: number, otherwise: string): void {
    if (count === null) return this.unbounded(otherwise);
    this.#loopUses += count;
    this.#loopLeast = Math.max(this.#loopLeast, iterations);
    this.#countUses(count, use, otherwise);
  }

  /** The conversation may be summarized before each pass of the model. */
  compaction(): void {
    this.#compactions++;
  }

  #countUses(count: number, use: UseClass | null, otherwise: string): void {
    if (this.#allPasses > PASSES_MAX) this.unbounded(`${otherwise.split(' ')[0]} with more than ${PASSES_MAX} uses`);
    if (use !== null) this.use(use, (this.#uses[use] ?? 0) + count);
  }

  get #allPasses(): number {
    return this.#passes + Math.max(this.#loopUses, this.#loopLeast);
  }

  /** Several kinds of use share the same passes. */
  use(use: UseClass, count: number): void {
    this.#uses = { ...this.#uses, [use]: count };
  }

  /** Cache writes are asked for; a lifetime that is not known is taken for the longest. */
  cacheWrite(ttl: string | null): void {
    if (this.#cacheWrites === 'none') this.#cacheWrites = '5m';
    if (ttl !== null && ttl !== '5m' && this.#cacheWrites !== '12h') this.#cacheWrites = '1h';
  }

  longCacheWrite(): void {
    this.#cacheWrites = '12h';
  }

  /** Another model may answer, or be asked. */
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

  /** @param imageTokensMax of one picture of a model; null = the provider publishes no figure for it */
  demand(
    body: RequestBody,
    model: string,
    imageTokensMax: (model: string) => number | null,
    own: OwnDemand,
  ): RequestDemand {
    const imageIn = this.images > 0;
    const imageTokens = imageIn ? imageTokensMax(model) : 0;
    return {
      // Told one by one: this is made for every call.
      outputMax: own.outputMax,
      pictureTokens: own.pictureTokens,
      answers: own.answers,
      outputLeast: own.outputLeast,
      liftsMaxUpTo: own.liftsMaxUpTo,
      speed: own.speed,
      tier: own.tier,
      geo: own.geo,
      pinTier: own.pinTier,
      textBytes: body.bytes.length - this.#mediaBytes,
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
    };
  }

  #work(): ProviderWork {
    if (this.#unbounded !== null) return { unbounded: this.#unbounded };
    const passes = this.#allPasses + this.#compactions * (1 + this.#allPasses) * (1 + this.reruns);
    if (passes === 0 && this.#uses === NO_USES) return NO_WORK;
    return { passes, uses: this.#uses, unbounded: null };
  }
}

/** Bytes between the quotes of a text; 0 = it is none. */
export function textBytes(values: ScanValues, path: string): number {
  const span = values.find(path);
  return span && values.bytes[span.start] === QUOTE ? span.end - span.start - 2 : 0;
}

/** The same for a text that is a `data:` address. */
export function dataUrlBytes(values: ScanValues, path: string): number {
  const span = values.find(path);
  if (!span) return 0;
  for (let at = 0; at < DATA_URL.length; at++) if (values.bytes[span.start + at] !== DATA_URL.charCodeAt(at)) return 0;
  return textBytes(values, path);
}

/**
 * What the answer is made of, by the words of the request. Each word adds a kind of output; a word that is not known may
 * stand for a kind that no price names.
 * @param words in lower case; null = not said
 * @param field for people
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

/** A write for which no lifetime is named lasts five minutes. */
export function readCacheControl(values: ScanValues, tally: DemandTally, path = 'cache_control'): void {
  if (values.uses(path)) tally.cacheWrite(values.isObject(path) ? values.text(`${path}.ttl`) : UNCLEAR);
}
