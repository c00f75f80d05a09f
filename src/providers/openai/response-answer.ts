import type { Inference, Usage } from '../../domain/usage/usage.ts';
import { capture, captureShort, eachElement, look, measure, type PickNode } from '../../lib/json/pick.ts';
import type { ResponseHead, UsageReader } from '../provider.ts';
import { MESSAGES } from '../../lib/http/message-end.ts';
import { asObject, asText, asWord } from '../../lib/json/values.ts';
import type { UsageTally } from '../answer-tally.ts';
import type { ReadStatedCost } from '../stated-cost.ts';
import { DocumentReader, MessageReader, StreamReader } from '../usage-reader.ts';
import type { ToolFees } from './requested-tools.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';
import { type OutputItem, readPictures, readSearches, ToolWork } from './tool-work.ts';
import { readResponseUsage } from './usage.ts';

const TYPE = 0;
const ID = 1;
const MODEL = 2;
const TIER = 3;
const USAGE = 4;
const TOOL_USAGE = 5;
const ITEM_TYPE = 6;
const ITEM_ACTION = 7;
const ITEM_CONTAINER = 8;
const LISTED = 9;
const ERROR = 10;
const CODE = 11;
const WORD_BYTES_MAX = 256;

/** Final events of a stream. Each contains the whole response. */
export const TERMINAL: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

const word = (slot: number): PickNode => capture(slot, WORD_BYTES_MAX);
/** An output item. Its text is measured in a whole answer only, because a stream has the same text in deltas. */
const item = (text: PickNode | null, closed = -1): PickNode =>
  look(
    {
      type: word(ITEM_TYPE),
      action: look({ type: word(ITEM_ACTION) }),
      container_id: word(ITEM_CONTAINER),
      environment: look({ container_id: word(ITEM_CONTAINER) }),
      ...(text
        ? {
            content: eachElement(look({ text, refusal: text })),
            summary: eachElement(look({ text })),
            arguments: text,
            input: text,
          }
        : {}),
    },
    null,
    closed,
  );

const members = (text: PickNode | null): Readonly<Record<string, PickNode>> => ({
  id: word(ID),
  model: word(MODEL),
  service_tier: word(TIER),
  usage: capture(USAGE),
  tool_usage: capture(TOOL_USAGE),
  output: eachElement(item(text, LISTED)),
});

const ANSWER = look({ ...members(measure()), error: capture(ERROR) });
const EVENT = look({
  type: word(TYPE),
  delta: measure(),
  item: item(null),
  response: look({ ...members(null), error: capture(ERROR) }),
  error: capture(ERROR),
  // That of an error. Other events have a model's code here.
  code: captureShort(CODE, WORD_BYTES_MAX),
});

const NO_ITEM: OutputItem = { type: null, action: null, container: null };

class ResponseTally implements UsageTally {
  finished = false;
  model: string | null = null;
  responseId: string | null = null;
  #failed = false;
  #type: string | null = null;
  #code: unknown = null;
  error: ErrorNames | null = null;
  #tier: string | null = null;
  #usage: Readonly<Record<string, unknown>> | null = null;
  #searches: number | null = null;
  #pictures: Inference | null = null;
  /** Items listed in the whole response, and items streamed one by one. */
  #listed: ToolWork;
  readonly #streamed: ToolWork;
  readonly #fees: ToolFees;
  readonly #readCost: ReadStatedCost;
  readonly #headers: ResponseHead['headers'];
  #item: OutputItem = NO_ITEM;

  constructor(fees: ToolFees, readCost: ReadStatedCost, headers: ResponseHead['headers']) {
    this.#fees = fees;
    this.#readCost = readCost;
    this.#headers = headers;
    this.#listed = new ToolWork(fees);
    this.#streamed = new ToolWork(fees);
  }

  /** True if the response failed without usage. With usage, its cost is known. */
  get errored(): boolean {
    return this.#failed && this.#usage === null;
  }

  get sawUsage(): boolean {
    return this.#usage !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === TYPE) this.#type = asText(value);
    else if (slot === ID) this.responseId = asText(value) ?? this.responseId;
    else if (slot === MODEL) this.model = asText(value) ?? this.model;
    else if (slot === TIER) this.#tier = asWord(value) ?? this.#tier;
    else if (slot === USAGE) this.#usage = asObject(value) ?? this.#usage;
    else if (slot === TOOL_USAGE) this.#addToolUsage(value);
    else if (slot === ERROR) this.#addError(value);
    else if (slot === CODE) this.#code = value;
    else this.#receiveItem(slot, value);
  }

  closeDocument(): void {
    const type = this.#type;
    if (type === 'response.output_item.done') this.#addItem(this.#streamed);
    else if (type === 'response.failed') this.#failed = true;
    else if (type === 'error') this.#addError({ code: this.#code });
    if (type !== null && TERMINAL.has(type)) this.finished = true;
    // A response before its end lists items that a later event lists again.
    else if (type !== null && this.#listed.items > 0) this.#listed = new ToolWork(this.#fees);
    this.#type = null;
    this.#code = null;
    this.#item = NO_ITEM;
  }

  endEvent(name: string): void {
    if (name === 'error') this.#failed = true;
  }

  end(): void {}

  usage(): Usage | null {
    const tools = this.#listed.items > 0 ? this.#listed : this.#streamed;
    // Without the tokens of its pictures, the cost of the call is unknown.
    if (this.#usage === null || (tools.pictures > 0 && this.#pictures === null)) return null;
    const uses = { known: tools.uses(this.#searches), open: tools.openUses };
    const usage = readResponseUsage(this.#usage, uses, this.#pictures, this.#tier);
    const statedCost = this.#readCost(this.#usage, this.#headers);
    return usage === null || statedCost === null ? usage : { ...usage, statedCost };
  }

  #addError(error: unknown): void {
    if (error === null) return;
    this.#failed = true;
    const names = readErrorNames(error);
    if (this.error === null || names.type !== null) this.error = names;
  }

  #addToolUsage(value: unknown): void {
    this.#searches = readSearches(value) ?? this.#searches;
    this.#pictures = readPictures(value) ?? this.#pictures;
  }

  #receiveItem(slot: number, value: unknown): void {
    if (slot === ITEM_TYPE) this.#item = { ...this.#item, type: asText(value) };
    else if (slot === ITEM_ACTION) this.#item = { ...this.#item, action: asText(value) };
    else if (slot === ITEM_CONTAINER) this.#item = { ...this.#item, container: asText(value) };
    else if (slot === LISTED) this.#addItem(this.#listed);
  }

  #addItem(work: ToolWork): void {
    work.add(this.#item);
    this.#item = NO_ITEM;
  }
}

/** Opens a reader for the answer of `POST /responses`, whole or streamed, or for messages on a WebSocket. */
export function openResponseReader(answer: ResponseHead, fees: ToolFees, readCost: ReadStatedCost): UsageReader {
  const tally = new ResponseTally(fees, readCost, answer.headers);
  if (answer.contentType === MESSAGES) return new MessageReader(EVENT, tally);
  return answer.contentType === 'text/event-stream'
    ? new StreamReader(EVENT, tally)
    : new DocumentReader(ANSWER, tally);
}
