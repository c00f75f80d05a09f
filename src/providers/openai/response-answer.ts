import type { Usage, UseCounts } from '../../core/usage.ts';
import { capture, each, look, measure, type PickNode } from '../../lib/json-plan.ts';
import { withoutZeros } from '../plain-usage.ts';
import type { AnswerHead, UsageReader } from '../provider.ts';
import { countOf, objectOf, type Tally, textOf, wordOf } from '../tally.ts';
import { DocumentReader, StreamReader } from '../usage-reader.ts';
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
const WORD_BYTES_MAX = 256;
/** More containers in one answer are counted one by one, without looking for repeats. */
const CONTAINERS_MAX = 1_000;

/** The last event of a stream; each carries the whole response. */
const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

const word = (slot: number): PickNode => capture(slot, WORD_BYTES_MAX);
/** An output item. Its text is measured in a whole answer; in a stream the deltas told it already. */
const item = (text: PickNode | null, closed = -1): PickNode =>
  look(
    {
      type: word(ITEM_TYPE),
      action: look({ type: word(ITEM_ACTION) }),
      container_id: word(ITEM_CONTAINER),
      ...(text
        ? { content: each(look({ text, refusal: text })), summary: each(look({ text })), arguments: text, input: text }
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
  output: each(item(text, LISTED)),
});

const ANSWER = look({ ...members(measure()), error: capture(ERROR) });
const EVENT = look({
  type: word(TYPE),
  delta: measure(),
  item: item(null),
  response: look(members(null)),
  error: capture(ERROR),
});

/** Work of tools, counted from output items. */
class ToolCount {
  items = 0;
  #webSearch = 0;
  #fileSearch = 0;
  #codeInterpreter = 0;
  readonly #containers = new Set<string>();

  add(type: string | null, action: string | null, container: string | null): void {
    this.items++;
    // Opening a page or looking into it is no search; an item without an action is of the time before there were others.
    if (type === 'web_search_call' && (action === null || action === 'search')) this.#webSearch++;
    else if (type === 'file_search_call') this.#fileSearch++;
    else if (type === 'code_interpreter_call') this.#addContainer(container);
  }

  /** @param searches what the provider itself counted; null = it didn't say */
  uses(searches: number | null): UseCounts {
    return withoutZeros({
      webSearch: searches ?? this.#webSearch,
      fileSearch: this.#fileSearch,
      codeInterpreter: this.#codeInterpreter,
    });
  }

  #addContainer(container: string | null): void {
    if (container !== null && this.#containers.has(container)) return;
    this.#codeInterpreter++;
    if (container !== null && this.#containers.size < CONTAINERS_MAX) this.#containers.add(container);
  }
}

class ResponseTally implements Tally {
  finished = false;
  model: string | null = null;
  responseId: string | null = null;
  #failed = false;
  #type: string | null = null;
  #tier: string | null = null;
  #usage: Readonly<Record<string, unknown>> | null = null;
  #searches: number | null = null;
  /** Items that the whole response lists, and those that a stream told one by one. */
  #listed = new ToolCount();
  readonly #told = new ToolCount();
  #itemType: string | null = null;
  #itemAction: string | null = null;
  #itemContainer: string | null = null;

  /** A response that failed with its usage told is over and known; without it, nothing is. */
  get errored(): boolean {
    return this.#failed && this.#usage === null;
  }

  get sawUsage(): boolean {
    return this.#usage !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === TYPE) this.#type = textOf(value);
    else if (slot === ID) this.responseId = textOf(value) ?? this.responseId;
    else if (slot === MODEL) this.model = textOf(value) ?? this.model;
    else if (slot === TIER) this.#tier = wordOf(value) ?? this.#tier;
    else if (slot === USAGE) this.#usage = objectOf(value) ?? this.#usage;
    else if (slot === TOOL_USAGE) this.#searches = searchesOf(value) ?? this.#searches;
    else if (slot === ERROR) this.#failed ||= value !== null;
    else this.#receiveItem(slot, value);
  }

  closeDocument(): void {
    const type = this.#type;
    if (type === 'response.output_item.done') this.#addItem(this.#told);
    else if (type === 'response.failed' || type === 'error') this.#failed = true;
    if (type !== null && TERMINAL.has(type)) this.finished = true;
    // A response told before its end lists what a later event lists again.
    else if (type !== null && this.#listed.items > 0) this.#listed = new ToolCount();
    this.#type = null;
    this.#clearItem();
  }

  endEvent(name: string): void {
    if (name === 'error') this.#failed = true;
  }

  end(): void {}

  usage(): Usage | null {
    const tools = this.#listed.items > 0 ? this.#listed : this.#told;
    return this.#usage && readResponseUsage(this.#usage, tools.uses(this.#searches), this.#tier);
  }

  #receiveItem(slot: number, value: unknown): void {
    if (slot === ITEM_TYPE) this.#itemType = textOf(value);
    else if (slot === ITEM_ACTION) this.#itemAction = textOf(value);
    else if (slot === ITEM_CONTAINER) this.#itemContainer = textOf(value);
    else if (slot === LISTED) this.#addItem(this.#listed);
  }

  #addItem(count: ToolCount): void {
    count.add(this.#itemType, this.#itemAction, this.#itemContainer);
    this.#clearItem();
  }

  #clearItem(): void {
    this.#itemType = null;
    this.#itemAction = null;
    this.#itemContainer = null;
  }
}

/** Billable searches, where the provider counts them itself. */
function searchesOf(toolUsage: unknown): number | null {
  const count = objectOf(objectOf(toolUsage)?.['web_search'])?.['num_requests'];
  return count === undefined || count === null ? null : countOf(count);
}

/** Reads the answer of `POST /responses`, whole or streamed. */
export function openResponseReader(answer: AnswerHead): UsageReader {
  const tally = new ResponseTally();
  return answer.contentType === 'text/event-stream'
    ? new StreamReader(EVENT, tally)
    : new DocumentReader(ANSWER, tally);
}
