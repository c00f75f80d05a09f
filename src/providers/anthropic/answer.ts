import type { Usage } from '../../domain/usage/usage.ts';
import { capture, eachElement, look, measure, type PickNode } from '../../lib/json/pick.ts';
import type { ResponseHead, UsageReader } from '../provider.ts';
import { EVENT_MESSAGES_TYPE } from '../../lib/http/event-stream.ts';
import { parseSlice } from '../../lib/json/bytes.ts';
import { asObject, asText } from '../../lib/json/values.ts';
import type { UsageTally, TextEvent } from '../answer-tally.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';
import { DocumentReader, EventMessageReader, StreamReader } from '../usage-reader.ts';
import { mergeUsage, readMessageUsage, unbilled } from './usage.ts';

const TYPE = 0;
const ID = 1;
const MODEL = 2;
const USAGE = 3;
const STOP_REASON = 4;
const CONTENT = 5;
const ERROR = 6;
const WORD_BYTES_MAX = 256;

const word = (slot: number): PickNode => capture(slot, WORD_BYTES_MAX);
const block = look({ text: measure(), thinking: measure(), input: measure() }, null, CONTENT);

/** A whole message. */
const MESSAGE = look({
  type: word(TYPE),
  id: word(ID),
  model: word(MODEL),
  usage: capture(USAGE),
  stop_reason: word(STOP_REASON),
  error: capture(ERROR),
  content: eachElement(block),
});

/** One event of a stream. */
const eventMembers = {
  type: word(TYPE),
  message: look({ id: word(ID), model: word(MODEL), usage: capture(USAGE) }),
  content_block: block,
  usage: capture(USAGE),
  error: capture(ERROR),
};
const STOP = { stop_reason: word(STOP_REASON) };
const EVENT = look({ ...eventMembers, delta: look(STOP) });
/** One event of a stream whose text events have no name of their own. */
const UNNAMED_EVENT = look({
  ...eventMembers,
  delta: look({ ...STOP, text: measure(), thinking: measure(), partial_json: measure() }),
});

/** Events with text only. Usage and stop reasons are in other events. */
const TEXT_EVENT: TextEvent = {
  name: 'content_block_delta',
  aroundBytes: '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}'.length,
};

class MessageTally implements UsageTally {
  readonly textEvent = TEXT_EVENT;
  readonly #terms: AnswerTerms;
  finished = false;
  errored = false;
  error: ErrorNames | null = null;
  model: string | null = null;
  responseId: string | null = null;
  #type: string | null = null;
  #usage: Readonly<Record<string, unknown>> | null = null;
  #stopReason: string | null = null;
  #sawContent = false;

  constructor(terms: AnswerTerms) {
    this.#terms = terms;
  }

  get sawUsage(): boolean {
    return this.#usage !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === TYPE) this.#type = asText(value);
    else if (slot === ID) this.responseId = asText(value);
    else if (slot === MODEL) this.model = this.#terms.model ?? asText(value);
    else if (slot === USAGE) this.#usage = mergeUsage(this.#usage, value);
    else if (slot === STOP_REASON) this.#stopReason = asText(value);
    else if (slot === ERROR) this.error = readErrorNames(value);
    else this.#sawContent = true;
  }

  closeDocument(): void {
    if (this.#type === 'message_stop') this.finished = true;
    else if (this.#type === 'error') this.errored = true;
    this.#type = null;
  }

  endEvent(name: string): void {
    if (name === 'error') this.errored = true;
  }

  end(): void {}

  usage(): Usage | null {
    const { othersPay = false, geo = null } = this.#terms;
    const read = this.#usage && readMessageUsage(this.#usage, othersPay);
    const usage = read && geo !== null ? { ...read, terms: { ...read.terms, geo } } : read;
    return usage && this.#stopReason === 'refusal' && !this.#sawContent ? unbilled(usage) : usage;
  }
}

/** Terms of an answer that it does not state itself. */
interface AnswerTerms {
  /** The request has someone else billed. */
  readonly othersPay?: boolean;
  /** Geography that the address of a cloud decides. */
  readonly geo?: string | null;
  /** Model by the name that the request gave it, in place of that of the answer. */
  readonly model?: string;
}

/** Opens a reader for the answer of `POST /v1/messages`, whole or streamed. */
export function openMessageReader(answer: ResponseHead, terms: AnswerTerms = {}): UsageReader {
  const tally = new MessageTally(terms);
  if (answer.contentType === EVENT_MESSAGES_TYPE) return new EventMessageReader(UNNAMED_EVENT, tally, readChunk);
  return answer.contentType === 'text/event-stream'
    ? new StreamReader(EVENT, tally)
    : new DocumentReader(MESSAGE, tally);
}

/** Returns the event in a message of Amazon Bedrock: Bedrock API reference, `PayloadPart`. */
function readChunk(payload: Uint8Array): Uint8Array | null {
  const bytes = asText(asObject(parseSlice(payload, 0, payload.length))?.['bytes']);
  return bytes === null ? null : Buffer.from(bytes, 'base64');
}
