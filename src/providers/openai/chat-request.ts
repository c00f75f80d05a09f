import { argumentsGrowth, escapingGrowth } from '../../lib/json/template-growth.ts';
import { expecting, SCHEMA_REFERENCES } from '../../lib/json/scan-plan.ts';
import { type ScanRecord, UNCLEAR } from '../../lib/json/scan-record.ts';
import {
  boundPreamble,
  dataUrlBytes,
  DemandTally,
  readCacheControl,
  readModalities,
  textBytes,
} from '../demand-tally.ts';
import type { BodyEdits } from '../body-edits.ts';
import { AS_IT_IS, type ForwardPlan, type OutputMaximum, buildSplices } from '../forward-plan.ts';
import { readEndpoint } from '../router-max-price.ts';
import type { DeploymentModels, InferenceRoute, RequestFacts, ResponseHead, UsageReader } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import type { ReadStatedCost } from '../stated-cost.ts';
import { openChatReader } from './chat-answer.ts';
import { CHAT_HARMLESS } from './harmless-fields.ts';
import {
  openaiImageTokensMax,
  unknownImageTokens,
  PREAMBLE_TOKENS_MAX,
  readBreakpoint,
  readCacheOptions,
  readModelName,
  readReasoning,
  tierWord,
  unmetered,
} from './request-terms.ts';
import { CHAT_PLAN } from './request-plan.ts';

/** Members for which the provider adds words. */
const WORDED = [
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'response_format',
  'web_search_options',
  'prediction',
  'modalities',
  'audio',
  'documents',
  'preset',
];
/** Features of chat completions whose fees are not in the answer. */
const UNMETERED_SEARCH = ['web_search_options', 'search_parameters', 'plugins'];
const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'refusal', 'thinking', 'reasoning']);
/** Parts that compatible providers charge only as tokens. They may charge a fee per page for others (files, documents). */
const TOKEN_PARTS: ReadonlySet<string> = new Set(['input_image', 'video_url', 'input_video', 'reference']);
const FILE_NOTES = ['type=file', 'type=input_file'];
/** Tools that run on the client. */
const CLIENT_TOOLS: ReadonlySet<string> = new Set(['function', 'custom']);
/** Members that chat templates write out as JSON or markup. */
const TEMPLATE_MEMBERS = ['chat_template_kwargs', 'documents'];
const TOOL_MEMBERS = ['tools', 'functions', 'response_format', ...TEMPLATE_MEMBERS];
/** Calls of tools in earlier answers. */
const CALLED = ['tool_calls', 'function_call'];
/** Roles whose content templates write as it is. */
const PLAIN_ROLES = ['user', 'assistant', 'system', 'developer'];
const MAXIMA = ['max_completion_tokens', 'max_tokens'] as const;
type MaximumName = (typeof MAXIMA)[number];

/** Differences between OpenAI-compatible providers. */
export interface ChatForm {
  /** Path prefix below the provider's URL, for example `/v1`. */
  readonly prefix: string;
  /** A stream reports usage only if `include_usage` requests it. */
  readonly includeUsage: boolean;
  /** Fields that limit the output. The first one is set if the request has none. */
  readonly maxima: readonly [MaximumName, ...MaximumName[]];
  /** The provider is OpenAI: pictures have published maxima, and the account decides an absent service tier. */
  readonly own: boolean;
  /** The provider has endpoints with different prices for a model, and obeys `provider.max_price`. */
  readonly obeysMaxPrice: boolean;
  /** The provider's output maximum does not bound the thinking of the model. */
  readonly thinksBeyondMax: (model: string) => boolean;
  /** Reads the cost that an answer states. */
  readonly readCost: ReadStatedCost;
  /** The usage of an answer has thinking in its total alone; absent = it names it. */
  readonly restIsOutput?: true;
  /** Fields beyond OpenAI's that do not change the cost. */
  readonly harmless: readonly string[];
  readonly deployments: DeploymentModels | null;
  /** Another path and another form of answers; absent = they are OpenAI's. */
  readonly dialect?: ChatDialect;
}

/** A chat whose requests are much like OpenAI's, and whose answers are not. */
interface ChatDialect {
  readonly operation: string;
  readonly upstreamPath: string;
  openReader(answer: ResponseHead): UsageReader;
}

export function chatRoute(form: ChatForm): InferenceRoute {
  const { dialect, deployments } = form;
  const plan = expecting(CHAT_PLAN, [...CHAT_HARMLESS, ...form.harmless]);
  const open = (): ChatReader => new ChatReader(form);
  return inferenceRoute(
    dialect?.operation ?? 'chat.completions',
    plan,
    open,
    dialect ? null : 'last_chunk',
    deployments,
  );
}

class ChatReader implements RequestReader {
  readonly #form: ChatForm;
  readonly #tally = new DemandTally();
  /** A message has a call of a tool, or the result of one. */
  #hasTools = false;
  readonly #anyEndpoint = (phrase: string): void => {
    this.#tally.anyModel(phrase);
    this.#tally.unlistedFee(phrase);
  };

  constructor(form: ChatForm) {
    this.#form = form;
  }

  receive(record: ScanRecord): void {
    const tally = this.#tally;
    if (record.kind === 'part') this.#readPart(record);
    else if (record.kind === 'tool') readChatTool(record, tally);
    else this.#readMessage(record);
  }

  #readPart(part: ScanRecord): void {
    const tally = this.#tally;
    if (!part.uses('document')) return readChatPart(part, tally, this.#form.own);
    // Templates write a document as JSON. Other servers may read it for a fee.
    if (this.#form.dialect && part.says('type', 'document') && part.strangers === 0)
      return tally.rewritten(part, 'document', escapingGrowth);
    tally.reference();
    tally.unlistedFee(readForFee('document'));
  }

  #readMessage(message: ScanRecord): void {
    const tally = this.#tally;
    // An earlier audio answer is stored at the provider.
    if (message.uses('audio')) tally.audio();
    // Some servers accept images and files in additional members.
    if (message.strangers > 0) tally.reference();
    readCacheControl(message, tally);
    if (this.#form.own) return;
    for (const name of CALLED) {
      if (!message.find(name)) continue;
      this.#hasTools = true;
      tally.rewritten(message, name, argumentsGrowth);
    }
    if (PLAIN_ROLES.some((role) => message.says('role', role))) return;
    // Templates write the results of tools as JSON.
    this.#hasTools = true;
    tally.rewritten(message, 'content', escapingGrowth);
  }

  /** Adds what tools may grow by where they become part of the prompt. */
  #readRewritten(body: RequestBody): void {
    const tally = this.#tally;
    const { own, harmless } = this.#form;
    let used = this.#hasTools;
    for (const name of TOOL_MEMBERS) {
      if (!body.find(name)) continue;
      used = true;
      if (!own) tally.rewritten(body, name, escapingGrowth);
    }
    if (used) tally.grow(own ? body.compactGrowth : body.templateGrowth);
    // Some servers take a template here, and a template may repeat anything.
    if (body.uses('chat_template_kwargs.chat_template')) tally.beyondBody();
    for (const name of TEMPLATE_MEMBERS)
      if (body.uses(name) && !harmless.includes(name)) tally.unlistedFee(`${name}, an unknown field`);
  }

  facts(body: RequestBody): RequestFacts {
    const search = UNMETERED_SEARCH.find((name) => body.uses(name));
    if (search) throw unmetered(search, 'the answer of chat completions does not contain its cost');
    if (body.uses('deferred'))
      throw unmetered('deferred', 'its usage arrives in another answer; send the request without it');
    const model = body.model();
    const stream = body.isTrue('stream');
    const tally = this.#tally;
    const { dialect } = this.#form;
    const usageEdit = stream && this.#form.includeUsage ? askForUsage(body) : null;
    const forwarding: ForwardPlan = {
      maxima: this.#readMaxima(body),
      tier: body.place('service_tier'),
      tierSays: body.text('service_tier'),
      maxPrice: this.#form.own ? undefined : readEndpoint(body, this.#form.obeysMaxPrice, true, this.#anyEndpoint),
      always: usageEdit,
    };
    return {
      upstreamPath: dialect?.upstreamPath ?? `${this.#form.prefix}/chat/completions`,
      model,
      stream,
      splices: buildSplices(forwarding, AS_IT_IS),
      demand: this.#readDemand(body, model, forwarding),
      outputField: forwarding.maxima.find(({ place }) => this.#obeys(place.name))?.place.name ?? null,
      tools: null,
      forward: (terms) => buildSplices(forwarding, terms),
      counter: null,
      openReader: (answer) =>
        dialect?.openReader(answer) ??
        openChatReader(usageEdit !== null, answer, this.#form.readCost, tally.writeLifetime, this.#form.restIsOutput),
    };
  }

  /** Returns all maxima in the body, and one that this provider obeys. */
  #readMaxima(body: RequestBody): OutputMaximum[] {
    const maxima: OutputMaximum[] = [];
    let obeyed = false;
    for (const name of MAXIMA) {
      if (!body.find(name) || body.value(name) === null) continue;
      maxima.push({ place: body.place(name), says: body.count(name) || null });
      obeyed ||= this.#obeys(name);
    }
    if (!obeyed) maxima.push({ place: body.place(this.#form.maxima[0]), says: null });
    return maxima;
  }

  #obeys(name: string): boolean {
    return this.#form.maxima.some((each) => each === name);
  }

  /** Returns the largest maximum that the provider obeys; null = one is not a number, so there is no bound. */
  #largestMaximum(maxima: readonly OutputMaximum[]): number | null {
    let most = 0;
    for (const { place, says } of maxima) {
      if (!this.#obeys(place.name)) continue;
      if (says === null) return null;
      most = Math.max(most, says);
    }
    return most;
  }

  /** Reads fallback models, which some compatible providers support. */
  #readModels(models: unknown): void {
    const tally = this.#tally;
    if (!Array.isArray(models)) return tally.anyModel('models');
    for (const model of models) {
      tally.reruns++;
      tally.otherModel(model, 'models[]');
      if (typeof model !== 'string') continue;
      readModelName(model, tally);
      this.#readThinking(model);
    }
  }

  #readThinking(model: string): void {
    if (this.#form.thinksBeyondMax(model)) this.#tally.thoughtTokens = THOUGHT_TOKENS_MAX;
  }

  #readDemand(body: RequestBody, model: string, { maxima }: ForwardPlan): RequestFacts['demand'] {
    const tally = this.#tally;
    const { own } = this.#form;
    if (body.notes('cache_control')) tally.cacheWrite(UNCLEAR);
    readCacheControl(body, tally);
    if (body.notesAny(MEDIA_NOTES)) tally.reference();
    // Gemini models write out what a schema refers to, so its bytes are no bound.
    if (!own && body.notesAny(SCHEMA_REFERENCES)) tally.beyondBody();
    if (!own && body.notesAny(FILE_NOTES)) tally.unlistedFee(readForFee('file'));
    this.#readRewritten(body);
    readCacheOptions(body, tally);
    readChatOutput(body, tally, own);
    // Rejected tokens of a prediction are billed as further output.
    if (body.uses('prediction')) tally.work(1, null, 'prediction');
    if (body.uses('models')) this.#readModels(body.value('models'));
    if (body.stranger !== null) tally.unlistedFee(body.stranger);
    if (body.uses('preset')) tally.anyModel('preset, which may add tools');
    readReasoning(body, tally);
    readModelName(model, tally);
    this.#readThinking(model);
    const tier = tierWord(body);
    const demand = tally.demand(body, model, own ? openaiImageTokensMax : unknownImageTokens, {
      // Templates of other models may have a prompt of their own.
      preambleTokens: own ? boundPreamble(body, WORDED, PREAMBLE_TOKENS_MAX) : PREAMBLE_TOKENS_MAX,
      outputMax: this.#largestMaximum(maxima),
      pictureTokens: PICTURE_TOKENS_MAX,
      answers: body.answers('n'),
      outputLeast: 0,
      thinkingLeast: 0,
      liftsMaxUpTo: own ? 0 : readRouterBudget(body),
      speed: null,
      tier,
      geo: null,
      pinTier: own && tier === null ? 'default' : null,
    });
    // Endpoints may have larger windows than the listed one.
    if (!this.#form.obeysMaxPrice) return demand;
    return { ...demand, listedWindows: demand.beyondBody ? 1 : 0, hasEndpoints: true };
  }
}

/** OpenAI docs, "Image generation": the most of one picture, at high quality; those of Gemini models are smaller. */
const PICTURE_TOKENS_MAX = 6_240;
/** Alibaba Model Studio docs, "Deep thinking": the largest thinking budget. */
export const THOUGHT_TOKENS_MAX = 81_920;

/** Returns the thinking budget; 0 = none. Claude's thinking between tools may exceed the output maximum up to it. */
function readRouterBudget(body: RequestBody): number {
  if (!body.uses('reasoning.max_tokens')) return 0;
  return body.count('reasoning.max_tokens') ?? Number.MAX_SAFE_INTEGER;
}

const MEDIA_NOTES = ['type=image_url', 'type=input_audio', 'type=file', 'type=input_image', 'type=input_file'];

function readChatPart(part: ScanRecord, tally: DemandTally, own: boolean): void {
  readCacheControl(part, tally);
  readBreakpoint(part, tally);
  const type = part.text('type');
  // Some servers use whichever member is present.
  if (part.strangers > 0 || (type !== 'file' && part.uses('file'))) tally.reference();
  if (type !== 'file' && !own && part.uses('file')) tally.unlistedFee(readForFee('file'));
  if (type !== 'input_audio' && part.uses('input_audio')) tally.audio();
  if (type !== 'image_url' && part.uses('image_url')) tally.reference();
  if (type === 'image_url') {
    tally.images++;
    tally.media(dataUrlBytes(part, 'image_url.url') || dataUrlBytes(part, 'image_url'));
  } else if (type === 'input_audio') {
    tally.audio();
    tally.media(textBytes(part, 'input_audio.data'));
  } else if (type === 'file') {
    tally.reference();
    tally.media(textBytes(part, 'file.file_data'));
    if (!own) tally.unlistedFee(readForFee(type));
  } else if (type === null || !TEXT_PARTS.has(type)) {
    tally.reference();
    // Some servers use another word.
    if (type === UNCLEAR || /audio/i.test(type ?? '')) tally.audio();
    if (!own && !TOKEN_PARTS.has(type ?? '')) tally.unlistedFee(readForFee(type ?? 'a part without a type'));
  }
}

/** Phrase for content that a provider may read for a fee per page. */
export function readForFee(part: string): string {
  return `content[].${part.slice(0, 64)}, which the provider may read for a fee per page`;
}

function readChatTool(tool: ScanRecord, tally: DemandTally): void {
  readCacheControl(tool, tally);
  const type = tool.text('type');
  if (type !== null && !CLIENT_TOOLS.has(type)) tally.unlistedFee(`tools[].${type.slice(0, 64)}`);
}

/** Reads the kinds of output. By default OpenAI answers with text; for others it depends on the model. */
function readChatOutput(body: RequestBody, tally: DemandTally, own: boolean): void {
  const words = body.words('modalities');
  if (words !== null || !own) readModalities(words, tally, 'modalities');
  if (body.uses('audio')) tally.speech();
}

/** Returns the edit that makes a stream report usage; null = the client requests it already. */
export function askForUsage(body: RequestBody): ((edits: BodyEdits) => void) | null {
  const asked = body.find('stream_options.include_usage');
  if (asked) return body.isTrue('stream_options.include_usage') ? null : (edits) => edits.replace(asked, 'true');
  const options = body.find('stream_options');
  if (options && body.bytes[options.start] === OPEN_OBJECT) {
    const place = { span: null, gap: body.gapAt(options.start), name: 'include_usage' };
    return (edits) => edits.put(place, 'true');
  }
  const place = body.place('stream_options');
  return (edits) => edits.put(place, '{"include_usage":true}');
}

const OPEN_OBJECT = 0x7b;
