import { isPlainSpeed } from '../../domain/pricing/pricing.ts';
import { type ScanRecord, type ScanValues, UNCLEAR } from '../../lib/json/scan-record.ts';
import { boundPreamble, DemandTally, readCacheControl, textBytes } from '../demand-tally.ts';
import { AS_IT_IS, type ForwardPlan, type OutputMaximum, type ToolMaximum, buildSplices } from '../forward-plan.ts';
import { type CounterForm, PromptCounter } from '../prompt-counter.ts';
import type {
  DeploymentModels,
  InferenceRoute,
  RequestFacts,
  ResponseHead,
  TokenCounter,
  UsageReader,
} from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openMessageReader } from './answer.ts';
import { CLOUD_MESSAGES_PLAN, MESSAGES_PLAN } from './request-plan.ts';
import { readAnthropicTool } from './tools.ts';

/** Role markers and the words around tools (at most 804) and output formats. */
const PREAMBLE_TOKENS_MAX = 2_048;
/** Members for which the provider adds words. */
const WORDED = [
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'container',
  'mcp_servers',
  'fallbacks',
  'context_management',
  'compaction',
  'thread',
];
/** Maximum tokens of one picture for models of the high-resolution tier: Claude docs, "Vision". */
const IMAGE_TOKENS_MAX = 4_784;

/** The smallest thinking budget: Claude docs, "Extended thinking". */
const THINKING_TOKENS_MIN = 1_024;

/**
 * Parts that consist only of their text in the body. The API refuses a part with a member that its type doesn't have
 * (`Extra inputs are not permitted`), so that other members need no reading.
 */
const TEXT_PART =
  /^(?:text|thinking|redacted_thinking|search_result|compaction|fallback|tool_(?:reference|addition|removal)|mcp_tool_listing|browser_state|(?:\w+_)?tool_use|\w+_(?:result|error|output))$/;
/** Sources whose content does not change after the prompt was counted: not those given by URL. */
const FIXED_SOURCES: ReadonlySet<string> = new Set(['base64', 'text', 'content', 'file']);
/** Context edits that call no model. */
const PLAIN_EDIT = /^clear_/;

const MEDIA_NOTES = ['type=image', 'type=document', 'type=container_upload'];
const TOOL_NOTES = [
  'web_search_2*',
  'web_fetch_2*',
  'code_execution_2*',
  'tool_search_tool_*',
  'advisor_2*',
  'mcp_toolset',
].map((type) => `type=${type}`);

/** `POST /v1/messages/count_tokens` refuses what it doesn't know; its count is an estimate. */
const COUNTER: CounterForm = {
  members: [
    'model',
    'messages',
    'system',
    'tools',
    'tool_choice',
    'thinking',
    'output_config',
    'output_format',
    'cache_control',
    'context_management',
    'mcp_servers',
    'speed',
  ],
  after: '}',
  answer: 'input_tokens',
  slack: { percent: 2, tokens: 1_024 },
};

/** The model comes before the members. */
const CLOUD_COUNTER: CounterForm = {
  ...COUNTER,
  members: ['anthropic_version', ...COUNTER.members.filter((name) => name !== 'model')],
};

/** Differences between Anthropic and others that serve its API. */
export interface MessagesForm {
  /** Path before `/v1`. */
  readonly prefix: string;
  /** The price list has the names of requests, not those of answers. */
  readonly keepsModel: boolean;
}

const OWN_FORM: MessagesForm = { prefix: '', keepsModel: false };

/** `POST /v1/messages` */
export function messagesRoute(deployments: DeploymentModels | null, form = OWN_FORM): InferenceRoute {
  return inferenceRoute('messages', MESSAGES_PLAN, () => new MessagesReader(form, null), 'last_event', deployments);
}

/** A request for Claude at a cloud: its path names the model and says whether the answer is a stream. */
export interface CloudMessages {
  /** Path below the provider's `url`. */
  readonly upstreamPath: string;
  readonly model: string;
  /** The path asks for a stream; otherwise the body may. */
  readonly stream: boolean;
  /** Geography that the price depends on; null = the price list has a name for each. */
  readonly geo: string | null;
  /** Counter of prompts; null = none. */
  readonly counter: { readonly upstreamPath: string; readonly before: string } | null;
  openReader(answer: ResponseHead): UsageReader;
}

/** Returns the route of a request for Claude at a cloud, with the same body except for the model. */
export function cloudMessagesRoute(asked: CloudMessages): InferenceRoute {
  return inferenceRoute('messages', CLOUD_MESSAGES_PLAN, () => new MessagesReader(OWN_FORM, asked), 'last_event');
}

class MessagesReader implements RequestReader {
  readonly #form: MessagesForm;
  /** null = the body names the model. */
  readonly #cloud: CloudMessages | null;
  readonly #tally = new DemandTally();
  /** Maxima of fallback models. */
  readonly #fallbackMaxima: OutputMaximum[] = [];
  readonly #toolMaxima: ToolMaximum[] = [];
  /** Speed of a fallback model, if it is not the default one. */
  #fallbackSpeed: string | null = null;
  /** A message has tools, documents or other parts for which the provider may add words. */
  #addsWords = false;
  /** Largest thinking budget of the fallback models. */
  #fallbackBudget = 0;

  constructor(form: MessagesForm, cloud: CloudMessages | null) {
    this.#form = form;
    this.#cloud = cloud;
  }

  receive(record: ScanRecord): void {
    if (record.kind === 'part') this.#readPart(record);
    else if (record.kind === 'tool') this.#readTool(record);
    else if (record.kind === 'fallback') this.#readFallback(record);
    else if (record.kind === 'edit' && !PLAIN_EDIT.test(record.text('type') ?? UNCLEAR)) this.#tally.compaction();
  }

  facts(body: RequestBody): RequestFacts {
    const cloud = this.#cloud;
    const { prefix, keepsModel } = this.#form;
    const model = cloud?.model ?? body.model();
    this.#readBody(body);
    const othersPay = (body.word('billing_policy.bill_to') ?? 'self') !== 'self';
    const maxima = [{ place: body.place('max_tokens'), says: body.count('max_tokens') }, ...this.#fallbackMaxima];
    const budget = body.count('thinking.budget_tokens') ?? 0;
    const liftsMaxUpTo = liftedUpTo(Math.max(readBudget(body), this.#fallbackBudget), maxima);
    // Fallback models have separate budgets, and a budget that lifts the maximum already may be any.
    const mayReduce = budget > 0 && this.#fallbackBudget === 0 && liftsMaxUpTo === budget;
    const forwarding: ForwardPlan = {
      maxima,
      toolMaxima: this.#toolMaxima,
      thinkingBudget: mayReduce ? body.place('thinking.budget_tokens') : undefined,
      tier: body.place('service_tier'),
      tierSays: body.text('service_tier'),
      always: null,
    };
    const demand = this.#tally.demand(body, model, claudeImageTokensMax, {
      preambleTokens: this.#addsWords ? PREAMBLE_TOKENS_MAX : boundPreamble(body, WORDED, PREAMBLE_TOKENS_MAX),
      outputMax: largestMaximum(maxima),
      pictureTokens: 0,
      answers: 1,
      outputLeast: budget,
      thinkingLeast: mayReduce ? Math.min(budget, THINKING_TOKENS_MIN) : budget,
      liftsMaxUpTo,
      speed: higherPricedSpeed(body.word('speed'), this.#fallbackSpeed),
      tier: readTier(body),
      geo: cloud?.geo ?? body.word('inference_geo'),
      pinTier: null,
    });
    const isCountable = this.#tally.reruns === 0 && this.#tally.isFixed;
    return {
      upstreamPath: cloud?.upstreamPath ?? `${prefix}/v1/messages`,
      model,
      stream: cloud?.stream === true || body.isTrue('stream'),
      splices: buildSplices(forwarding, AS_IT_IS),
      demand,
      outputField: 'max_tokens',
      tools: this.#tally.cappableTools(demand),
      forward: (terms) => buildSplices(forwarding, terms),
      counter: isCountable ? createClaudeCounter(body, prefix, cloud) : null,
      openReader: (answer) =>
        cloud?.openReader(answer) ?? openMessageReader(answer, keepsModel ? { othersPay, model } : { othersPay }),
    };
  }

  #readBody(body: RequestBody): void {
    const tally = this.#tally;
    if (body.find('tools')) tally.grow(body.compactGrowth);
    readCacheControl(body, tally);
    if (body.notes('cache_control')) tally.cacheWrite('unknown');
    if (body.notesAny(MEDIA_NOTES)) tally.fetched();
    if (body.notesAny(MEDIA_NOTES) || body.uses('container') || body.uses('thread.previous_message_id'))
      tally.reference();
    if (body.notesAny(TOOL_NOTES)) tally.unlistedFee('a provider tool in an unknown place');
    if (body.stranger !== null) tally.unlistedFee(body.stranger);
    // It comes in place of an answer, and may be longer than `max_tokens`.
    if (body.uses('compaction')) tally.work(1, null, 'compaction');
    if (body.uses('mcp_servers') && !isEmptyList(body, 'mcp_servers')) tally.unbounded('mcp_servers');
    if (body.uses('fallbacks') && tally.reruns === 0 && !isEmptyList(body, 'fallbacks'))
      tally.anyModel('fallbacks without a list of models');
  }

  #readTool(tool: ScanRecord): void {
    this.#addsWords = true;
    readAnthropicTool(tool, this.#tally, this.#toolMaxima);
  }

  #readPart(part: ScanRecord): void {
    const tally = this.#tally;
    readCacheControl(part, tally);
    if (part.says('type', 'text')) return;
    const type = part.text('type');
    this.#addsWords ||= type !== 'image';
    if (type !== null && TEXT_PART.test(type)) return;
    const source = part.text('source.type');
    if (source === null || !FIXED_SOURCES.has(source)) tally.fetched();
    if (type === 'image') {
      tally.images++;
      if (source === 'base64') tally.media(textBytes(part, 'source.data'));
    } else if (type !== 'document' || (source !== 'text' && source !== 'content')) tally.reference();
  }

  #readFallback(fallback: ScanRecord): void {
    this.#tally.reruns++;
    this.#tally.otherModel(fallback.value('model'), 'fallbacks[]');
    const speed = fallback.text('speed')?.toLowerCase() ?? null;
    this.#fallbackBudget = Math.max(this.#fallbackBudget, readBudget(fallback));
    this.#fallbackSpeed = higherPricedSpeed(this.#fallbackSpeed, speed);
    const span = fallback.find('max_tokens');
    const says = fallback.count('max_tokens');
    // Without a maximum, the fallback uses that of the request.
    if (span && says !== null)
      this.#fallbackMaxima.push({
        place: { span: { ...span }, gap: { ...span, comma: false }, name: 'max_tokens' },
        says,
      });
    else if (fallback.uses('max_tokens')) this.#tally.unbounded('fallbacks[].max_tokens');
  }
}

export function claudeImageTokensMax(): number {
  return IMAGE_TOKENS_MAX;
}

/**
 * Returns up to which size the maximum is lifted. With thinking interleaved with tools, a budget of at least the maximum makes
 * the whole window the limit (Claude docs, "Extended thinking"); otherwise such a request is refused.
 */
export function liftedUpTo(budget: number, maxima: readonly OutputMaximum[]): number {
  if (budget === 0) return 0;
  const some = maxima.some(({ place, says }) => (says === null ? place.span !== null : says <= budget));
  return some ? Number.MAX_SAFE_INTEGER : budget;
}

/** Returns the thinking budget; 0 = none. A budget that is not a whole number may be any. */
export function readBudget(values: ScanValues, path = 'thinking.budget_tokens'): number {
  if (!values.uses(path)) return 0;
  return values.count(path) ?? Number.MAX_SAFE_INTEGER;
}

/** Returns the more expensive of two speeds. Two different non-default speeds have no common price. */
function higherPricedSpeed(one: string | null, other: string | null): string | null {
  if (isPlainSpeed(other)) return one;
  return isPlainSpeed(one) || one === other ? other : UNCLEAR;
}

/** Returns the largest of several maxima; null = none is set. */
function largestMaximum([own, ...others]: readonly OutputMaximum[]): number | null {
  if (own === undefined || own.says === null) return null;
  let most = own.says;
  for (const { says } of others) most = Math.max(most, says ?? 0);
  return most;
}

/** Reads the service tier; null = absent or `auto`, when prepaid priority capacity may serve the call. */
function readTier(body: RequestBody): string | null {
  const word = body.word('service_tier');
  if (word === 'standard_only') return 'standard';
  return word === 'auto' ? null : word;
}

/** Creates a counter of the prompt; null = the prompt refers to content stored at the provider, or nothing counts it. */
function createClaudeCounter(body: RequestBody, prefix: string, cloud: CloudMessages | null): TokenCounter | null {
  if (body.uses('container') || body.uses('thread.previous_message_id')) return null;
  if (!cloud) return new PromptCounter(body, `${prefix}/v1/messages/count_tokens`, COUNTER, '{');
  const { counter } = cloud;
  return counter && new PromptCounter(body, counter.upstreamPath, CLOUD_COUNTER, counter.before);
}

function isEmptyList(body: RequestBody, path: string): boolean {
  const value = body.value(path);
  return Array.isArray(value) && value.length === 0;
}
