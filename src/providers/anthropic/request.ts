import type { ScanRecord } from '../../lib/json-scan-record.ts';
import { DemandTally, textBytes } from '../demand-tally.ts';
import { AS_IT_IS, type Forwarding, type Maximum, splicesOf } from '../forwarding.ts';
import { type CounterForm, PromptCounter } from '../prompt-counter.ts';
import type { InferenceRoute, RequestFacts, TokenCounter } from '../provider.ts';
import { inferenceRoute, type RequestBody, type RequestReader } from '../request-body.ts';
import { openMessageReader } from './answer.ts';
import { MESSAGES_PLAN } from './request-plan.ts';
import { readTool } from './tools.ts';

/** Role marks and the words around tools (at most 804) and output formats. */
const PREAMBLE_TOKENS_MAX = 2_048;
/** Claude docs, "Vision": the most that models of the high-resolution tier make of one picture. */
const IMAGE_TOKENS_MAX = 4_784;

/** Parts that are nothing but their text in the body. */
const TEXT_PART =
  /^(?:text|thinking|redacted_thinking|search_result|compaction|fallback|tool_(?:reference|addition|removal)|mcp_tool_listing|browser_state|(?:\w+_)?tool_use|\w+_(?:result|error|output))$/;
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
  readonly #fallbackMaxima: Maximum[] = [];
  #fast = false;

  receive(record: ScanRecord): void {
    if (record.kind === 'part') this.#readPart(record);
    else if (record.kind === 'tool') readTool(record, this.#tally);
    else if (record.kind === 'fallback') this.#readFallback(record);
    else if (record.kind === 'edit' && !PLAIN_EDIT.test(record.text('type') ?? ''))
      this.#tally.work(1, null, 'context_management');
  }

  facts(body: RequestBody): RequestFacts {
    const model = body.model();
    this.#readBody(body);
    const forwarding: Forwarding = {
      maxima: [{ place: body.place('max_tokens'), says: body.count('max_tokens') }, ...this.#fallbackMaxima],
      tier: body.place('service_tier'),
      tierSays: body.text('service_tier'),
      always: null,
    };
    const speed = this.#fast ? 'fast' : body.word('speed');
    return {
      upstreamPath: '/v1/messages',
      model,
      stream: body.isTrue('stream'),
      splices: splicesOf(forwarding, AS_IT_IS),
      demand: this.#tally.demand(body, model, imageTokensMax, {
        preambleTokens: PREAMBLE_TOKENS_MAX,
        outputMax: largestOf(forwarding.maxima),
        answers: 1,
        outputLeast: body.count('thinking.budget_tokens') ?? 0,
        speed,
        tier: tierOf(body),
        geo: body.word('inference_geo'),
        pinTier: null,
      }),
      forward: (terms) => splicesOf(forwarding, terms),
      counter: counter(body),
      openReader: openMessageReader,
    };
  }

  #readBody(body: RequestBody): void {
    const tally = this.#tally;
    if (body.uses('cache_control')) tally.cacheWrite(body.text('cache_control.ttl'));
    if (body.notes('cache_control')) tally.cacheWrite('unknown');
    if (body.notesAny(MEDIA_NOTES) || body.uses('container') || body.uses('thread.previous_message_id'))
      tally.reference();
    if (body.notesAny(TOOL_NOTES)) tally.unbounded('a tool of the provider in a place that is not known');
    if (body.uses('mcp_servers') && !isEmptyList(body, 'mcp_servers')) tally.unbounded('mcp_servers');
    if (body.uses('fallbacks') && tally.reruns === 0 && !isEmptyList(body, 'fallbacks'))
      tally.unbounded('fallbacks without a list of models');
  }

  #readPart(part: ScanRecord): void {
    const tally = this.#tally;
    if (part.uses('cache_control')) tally.cacheWrite(part.text('cache_control.ttl'));
    if (part.says('type', 'text')) return;
    const type = part.text('type');
    if (type !== null && TEXT_PART.test(type)) return;
    const source = part.text('source.type');
    if (type === 'image') {
      tally.images++;
      if (source === 'base64') tally.media(textBytes(part, 'source.data'));
    } else if (type !== 'document' || (source !== 'text' && source !== 'content')) tally.reference();
  }

  #readFallback(fallback: ScanRecord): void {
    this.#tally.reruns++;
    this.#tally.otherModel(fallback.value('model'), 'fallbacks[]');
    if (fallback.text('speed')?.toLowerCase() === 'fast') this.#fast = true;
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

function imageTokensMax(): number {
  return IMAGE_TOKENS_MAX;
}

/** With several maxima the largest one bounds. */
function largestOf([own, ...others]: readonly Maximum[]): number | null {
  if (own === undefined || own.says === null) return null;
  let most = own.says;
  for (const { says } of others) most = Math.max(most, says ?? 0);
  return most;
}

/** Without a word, or with `auto`, priority capacity that was paid for in advance may serve. */
function tierOf(body: RequestBody): string | null {
  const word = body.word('service_tier');
  if (word === 'standard_only') return 'standard';
  return word === 'auto' ? null : word;
}

/** It knows nothing of what is kept at the provider. */
function counter(body: RequestBody): TokenCounter | null {
  return body.uses('container') || body.uses('thread.previous_message_id')
    ? null
    : new PromptCounter(body, '/v1/messages/count_tokens', COUNTER, '{');
}

function isEmptyList(body: RequestBody, path: string): boolean {
  const value = body.value(path);
  return Array.isArray(value) && value.length === 0;
}
