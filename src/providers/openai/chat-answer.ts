import type { Usage } from '../../domain/usage/usage.ts';
import { capture, eachElement, look, measure, type PickNode } from '../../lib/json/pick.ts';
import type { ResponseHead, UsageReader } from '../provider.ts';
import { asObject, asText, asWord } from '../../lib/json/values.ts';
import type { UsageTally } from '../answer-tally.ts';
import type { ReadStatedCost } from '../stated-cost.ts';
import type { WriteLifetime } from '../demand-tally.ts';
import { TrimmingReader } from '../trimming-reader.ts';
import { DocumentReader, StreamReader } from '../usage-reader.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';
import { readChatUsage } from './usage.ts';

const ID = 0;
const MODEL = 1;
const TIER = 2;
const USAGE = 3;
const CHOICE = 4;
const ERROR = 5;
const RUN_TOOL = 6;
const WORD_BYTES_MAX = 256;

const word = (slot: number): PickNode => capture(slot, WORD_BYTES_MAX);
const message = look({
  content: measure(),
  refusal: measure(),
  reasoning: measure(),
  reasoning_content: measure(),
  tool_calls: eachElement(look({ function: look({ name: measure(), arguments: measure() }) })),
  // Groq charges for its own tools by use or by time, and does not say how much.
  executed_tools: eachElement(look({}, null, RUN_TOOL)),
});

/** A completion of a chat or a text, one of its chunks, or a list of embeddings. */
const ANSWER = look({
  id: word(ID),
  model: word(MODEL),
  service_tier: word(TIER),
  choices: eachElement(look({ delta: message, message, text: measure() }, null, CHOICE)),
  usage: capture(USAGE),
  x_groq: look({ usage: capture(USAGE) }),
  error: capture(ERROR),
});

class ChatTally implements UsageTally {
  /** The mark `[DONE]` ends a stream; the reader handles it. */
  readonly finished = false;
  errored = false;
  error: ErrorNames | null = null;
  readonly #writes: WriteLifetime;
  readonly #readCost: ReadStatedCost;
  readonly #headers: ResponseHead['headers'];
  readonly #restIsOutput: boolean;
  model: string | null = null;
  responseId: string | null = null;
  #tier: string | null = null;
  #usage: Readonly<Record<string, unknown>> | null = null;
  #eventHasUsage = false;
  #eventHasChoice = false;
  #ranTools = false;

  constructor(
    writes: WriteLifetime,
    readCost: ReadStatedCost,
    headers: ResponseHead['headers'],
    restIsOutput: boolean,
  ) {
    this.#restIsOutput = restIsOutput;
    this.#writes = writes;
    this.#readCost = readCost;
    this.#headers = headers;
  }

  get sawUsage(): boolean {
    return this.#usage !== null;
  }

  /** True if the current event is the one that `include_usage` adds: usage without choices. */
  get isExtraUsage(): boolean {
    return this.#eventHasUsage && !this.#eventHasChoice;
  }

  receive(slot: number, value: unknown): void {
    if (slot === ID) this.responseId = asText(value) ?? this.responseId;
    else if (slot === MODEL) this.model = asText(value) ?? this.model;
    else if (slot === TIER) this.#tier = asWord(value) ?? this.#tier;
    else if (slot === USAGE) this.#addUsage(asObject(value));
    else if (slot === CHOICE) this.#eventHasChoice = true;
    else if (slot === RUN_TOOL) this.#ranTools = true;
    else if (slot === ERROR) this.#addError(value);
  }

  closeDocument(): void {}

  endEvent(name: string): void {
    if (name === 'error') this.errored = true;
    this.#eventHasUsage = false;
    this.#eventHasChoice = false;
  }

  end(): void {}

  usage(): Usage | null {
    const fields = this.#usage;
    if (fields === null) return null;
    const usage = readChatUsage(fields, this.#tier, this.#writes, this.#restIsOutput);
    const statedCost = this.#readCost(fields, this.#headers);
    if (usage === null) return null;
    if (statedCost !== null) return { ...usage, statedCost };
    return this.#ranTools ? { ...usage, hasUnlistedFee: true } : usage;
  }

  #addError(error: unknown): void {
    this.errored ||= error !== null;
    this.error = readErrorNames(error);
  }

  #addUsage(usage: Readonly<Record<string, unknown>> | null): void {
    if (usage === null) return;
    this.#usage = usage;
    this.#eventHasUsage = true;
  }
}

/**
 * Opens a reader for the answer of completions of chats and texts, whole or streamed, and of embeddings.
 * @param trim the gateway requested the usage and the client did not, so its event is removed from the output
 * @param readCost reads the cost that the usage states, for providers that bill by it
 * @param writes lifetime of the cache writes that the request asks for, which the answer may not say
 * @param restIsOutput tokens of the total that no part names are thinking
 */
export function openChatReader(
  trim: boolean,
  answer: ResponseHead,
  readCost: ReadStatedCost,
  writes: WriteLifetime = 'default',
  restIsOutput = false,
): UsageReader {
  const tally = new ChatTally(writes, readCost, answer.headers, restIsOutput);
  if (answer.contentType !== 'text/event-stream') return new DocumentReader(ANSWER, tally);
  return trim ? new TrimmingReader(ANSWER, tally, () => tally.isExtraUsage) : new StreamReader(ANSWER, tally);
}
