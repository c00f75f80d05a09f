import { NO_TERMS, type Usage } from '../../domain/usage/usage.ts';
import { capture, eachElement, look, measure, type PickNode } from '../../lib/json/pick.ts';
import { asCount, asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, type UsageTally, withoutZeros } from '../answer-tally.ts';
import { asErrorType, type ErrorNames } from '../error-names.ts';
import type { ResponseHead, UsageReader } from '../provider.ts';
import { DocumentReader, StreamReader } from '../usage-reader.ts';

const TYPE = 0;
const ID = 1;
const BILLED = 2;
const REASON = 3;
const ERROR = 4;
const WORD_BYTES_MAX = 256;

const word = (slot: number): PickNode => capture(slot, WORD_BYTES_MAX);
const calls = look({ function: look({ name: measure(), arguments: measure() }) });
const content = look({ text: measure(), thinking: measure() });
const billed = look({ billed_units: capture(BILLED) });

/** A whole answer of a chat, or a list of embeddings. */
const ANSWER = look({
  id: word(ID),
  finish_reason: word(REASON),
  message: look({ content: eachElement(content), tool_plan: measure(), tool_calls: eachElement(calls) }),
  usage: billed,
  meta: billed,
});

/** One event of a stream. */
const EVENT = look({
  type: word(TYPE),
  id: word(ID),
  delta: look({
    finish_reason: word(REASON),
    error: word(ERROR),
    message: look({ content, tool_plan: measure(), tool_calls: calls }),
    usage: billed,
  }),
});

/** Reasons to finish for which the answer is broken off by an error of the provider. */
const BROKEN = new Set(['ERROR', 'TIMEOUT']);

/** Cohere docs, "Chat" and "Embed": billed are the tokens of `billed_units`, which are fewer than those that were read. */
class CohereTally implements UsageTally {
  readonly model = null;
  finished = false;
  errored = false;
  error: ErrorNames | null = null;
  responseId: string | null = null;
  #type: string | null = null;
  #billed: JsonObject | null = null;

  get sawUsage(): boolean {
    return this.#billed !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === TYPE) this.#type = asText(value);
    else if (slot === ID) this.responseId ??= asText(value);
    else if (slot === BILLED) this.#billed = asObject(value);
    else this.#readEnd(slot, asText(value));
  }

  #readEnd(slot: number, text: string | null): void {
    if (text === null || (slot === REASON && !BROKEN.has(text))) return;
    this.errored = true;
    // The sentence of an error may quote the request.
    if (slot === REASON) this.error = { code: text, type: asErrorType(text) };
  }

  closeDocument(): void {
    if (this.#type === 'message-end') this.finished = true;
    this.#type = null;
  }

  endEvent(): void {}
  end(): void {}

  usage(): Usage | null {
    const units = this.#billed;
    if (units === null) return null;
    const inputImage = asCount(units['image_tokens']);
    // Pictures billed by number have no known price.
    if (asCount(units['images']) > 0 && inputImage === 0) return null;
    const input = inputImage > 0 ? asCount(units['input_tokens']) : requiredCount(units['input_tokens']);
    const tokens = withoutZeros({ input, inputImage, output: asCount(units['output_tokens']) });
    const inferences = [{ model: null, tokens, promptTokens: input + inputImage }];
    return plainUsage({ inferences, uses: {}, thinking: 0, terms: NO_TERMS });
  }
}

export function openCohereReader(answer: ResponseHead): UsageReader {
  const tally = new CohereTally();
  return answer.contentType === 'text/event-stream'
    ? new StreamReader(EVENT, tally)
    : new DocumentReader(ANSWER, tally);
}
