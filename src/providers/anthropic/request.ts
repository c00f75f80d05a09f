import { isPlainSpeed } from '../../domain/pricing/pricing.ts';
import { type ScanRecord, type ScanValues, UNCLEAR } from '../../lib/json/scan-record.ts';
import { DemandTally, readCacheControl, textBytes } from '../demand-tally.ts';
import { AS_IT_IS, type ForwardPlan, type OutputMaximum, buildSplices } from '../forward-plan.ts';
import { type CounterForm, PromptCounter } from '../prompt-counter.ts';
import type { InferenceRoute, RequestFacts, TokenCounter } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openMessageReader } from './answer.ts';
import { MESSAGES_PLAN } from './request-plan.ts';
import { readAnthropicTool } from './tools.ts';

/** Role marks and the words around tools (at most 804) and output formats. */
const PREAMBLE_TOKENS_MAX = 2_048;
/** Claude docs, "Vision": the most that models of the high-resolution tier make of one picture. */
const IMAGE_TOKENS_MAX = 4_784;

/** Parts that are nothing but their text in the body. */
const TEXT_PART =
  /^(?:text|thinking|redacted_thinking|search_result|compaction|fallback|tool_(?:reference|addition|removal)|mcp_tool_listing|browser_state|(?:\w+_)?tool_use|\w+_(?:result|error|output))$/;
/** Sources whose content stays what it was when the prompt was counted: not those by address. */
const FIXED_SOURCES: ReadonlySet<string> = new Set(['base64', 'text', 'content', 'file']);
/** Edits of the context that call no model. */
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

/** `POST /v1/messages` */
export const messagesRoute: InferenceRoute = inferenceRoute('messages', MESSAGES_PLAN, () => new MessagesReader());

class MessagesReader implements RequestReader {
  readonly #tally = new DemandTally();
  /** Maxima of models that answer where the one before declined. */
  readonly #fallbackMaxima: OutputMaximum[] = [];
  /** A speed of theirs that is not the ordinary one. */
  #fallbackSpeed: string | null = null;
  /** The largest thinking budget of theirs. */
  #fallbackBudget = 0;

  receive(record: ScanRecord): void {
    if (record.kind === 'part') this.#readPart(record);
    else if (record.kind === 'tool') readAnthropicTool(record, this.#tally);
    else if (record.kind === 'fallback') this.#readFallback(record);
    else if (record.kind === 'edit' && !PLAIN_EDIT.test(record.text('type') ?? UNCLEAR)) this.#tally.compaction();
  }

  facts(body: RequestBody): RequestFacts {
    const model = body.model();
    this.#readBody(body);
    const forwarding: ForwardPlan = {
      maxima: [{ place: body.place('max_tokens'), says: body.count('max_tokens') }, ...this.#fallbackMaxima],
      tier: body.place('service_tier'),
      tierSays: body.text('service_tier'),
      always: null,
    };
    return {
      upstreamPath: '/v1/messages',
      model,
      stream: body.isTrue('stream'),
      splices: buildSplices(forwarding, AS_IT_IS),
      demand: this.#tally.demand(body, model, claudeImageTokensMax, {
        preambleTokens: PREAMBLE_TOKENS_MAX,
        outputMax: largestMaximum(forwarding.maxima),
        pictureTokens: 0,
        answers: 1,
        outputLeast: body.count('thinking.budget_tokens') ?? 0,
        liftsMaxUpTo: liftedUpTo(Math.max(readBudget(body), this.#fallbackBudget), forwarding.maxima),
        speed: dearerSpeed(body.word('speed'), this.#fallbackSpeed),
        tier: readTier(body),
        geo: body.word('inference_geo'),
        pinTier: null,
      }),
      forward: (terms) => buildSplices(forwarding, terms),
      counter: this.#tally.reruns > 0 || !this.#tally.isFixed ? null : createClaudeCounter(body),
      openReader: openMessageReader,
    };
  }

  #readBody(body: RequestBody): void {
    const tally = this.#tally;
    readCacheControl(body, tally);
    if (body.notes('cache_control')) tally.cacheWrite('unknown');
    if (body.notesAny(MEDIA_NOTES)) tally.fetched();
    if (body.notesAny(MEDIA_NOTES) || body.uses('container') || body.uses('thread.previous_message_id'))
      tally.reference();
    if (body.notesAny(TOOL_NOTES)) tally.unbounded('a tool of the provider in a place that is not known');
    if (body.stranger !== null) tally.unbounded(body.stranger);
    // It comes in place of an answer, and may be longer than `max_tokens`.
    if (body.uses('compaction')) tally.work(1, null, 'compaction');
    if (body.uses('mcp_servers') && !isEmptyList(body, 'mcp_servers')) tally.unbounded('mcp_servers');
    if (body.uses('fallbacks') && tally.reruns === 0 && !isEmptyList(body, 'fallbacks'))
      tally.anyModel('fallbacks without a list of models');
  }

  #readPart(part: ScanRecord): void {
    const tally = this.#tally;
    readCacheControl(part, tally);
    if (part.says('type', 'text')) return;
    const type = part.text('type');
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
    this.#fallbackSpeed = dearerSpeed(this.#fallbackSpeed, speed);
    const span = fallback.find('max_tokens');
    const says = fallback.count('max_tokens');
    // Without a number of its own it goes by the request's.
    if (span && says !== null)
      this.#fallbackMaxima.push({
        place: { span: { ...span }, gap: { ...span, comma: false }, name: 'max_tokens' },
        says,
      });
    else if (fallback.uses('max_tokens')) this.#tally.unbounded('fallbacks[].max_tokens');
  }
}

function claudeImageTokensMax(): number {
  return IMAGE_TOKENS_MAX;
}

/**
 * Claude docs, "Extended thinking": where thinking is interleaved with tools, a budget that is not smaller than the maximum
 * makes the whole window the limit. Without that such a request is refused.
 */
function liftedUpTo(budget: number, maxima: readonly OutputMaximum[]): number {
  if (budget === 0) return 0;
  const some = maxima.some(({ place, says }) => (says === null ? place.span !== null : says <= budget));
  return some ? Number.MAX_SAFE_INTEGER : budget;
}

/** 0 = none; one that is no whole number may be any. */
function readBudget(values: ScanValues): number {
  if (!values.uses('thinking.budget_tokens')) return 0;
  return values.count('thinking.budget_tokens') ?? Number.MAX_SAFE_INTEGER;
}

/** Two speeds beyond the ordinary one have no common price. */
function dearerSpeed(one: string | null, other: string | null): string | null {
  if (isPlainSpeed(other)) return one;
  return isPlainSpeed(one) || one === other ? other : UNCLEAR;
}

/** With several maxima the largest one bounds. */
function largestMaximum([own, ...others]: readonly OutputMaximum[]): number | null {
  if (own === undefined || own.says === null) return null;
  let most = own.says;
  for (const { says } of others) most = Math.max(most, says ?? 0);
  return most;
}

/** Without a word, or with `auto`, priority capacity that was paid for in advance may serve. */
function readTier(body: RequestBody): string | null {
  const word = body.word('service_tier');
  if (word === 'standard_only') return 'standard';
  return word === 'auto' ? null : word;
}

/** It knows nothing of what is kept at the provider, and other models count otherwise. */
function createClaudeCounter(body: RequestBody): TokenCounter | null {
  return body.uses('container') || body.uses('thread.previous_message_id')
    ? null
    : new PromptCounter(body, '/v1/messages/count_tokens', COUNTER, '{');
}

function isEmptyList(body: RequestBody, path: string): boolean {
  const value = body.value(path);
  return Array.isArray(value) && value.length === 0;
}
