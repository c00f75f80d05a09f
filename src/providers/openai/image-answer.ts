import type { Inference, Usage } from '../../domain/usage/usage.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { capture, eachElement, look, type PickNode } from '../../lib/json/pick.ts';
import { asCount, asMembers, asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, type UsageTally, withoutZeros } from '../answer-tally.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';
import type { ResponseHead, UsageReader } from '../provider.ts';
import type { ReadStatedCost } from '../stated-cost.ts';
import { DocumentReader, StreamReader } from '../usage-reader.ts';

const TYPE = 0;
const USAGE = 1;
const SVG_USAGE = 2;
const PICTURE = 3;
const ERROR = 4;
const MODEL = 5;
const WORD_BYTES_MAX = 256;

const word = (slot: number): PickNode => capture(slot, WORD_BYTES_MAX);
/** A whole answer, or an event of a stream. */
const ANSWER = look({
  type: word(TYPE),
  model: word(MODEL),
  usage: capture(USAGE),
  svg_usage: capture(SVG_USAGE),
  data: eachElement(look({}, null, PICTURE)),
  error: capture(ERROR),
});
const COMPLETED = /^image_(?:generation|edit)\.completed$/;

class ImageTally implements UsageTally {
  errored = false;
  error: ErrorNames | null = null;
  model: string | null = null;
  readonly responseId = null;
  readonly #wanted: number;
  readonly #readCost: ReadStatedCost;
  readonly #headers: ResponseHead['headers'];
  #type: string | null = null;
  #usage: JsonObject | null = null;
  #pictures = 0;
  #streamed = 0;
  readonly #passes: Inference[] = [];
  #statedCost: number | null = null;

  /** @param wanted pictures after which a stream has ended */
  constructor(wanted: number, readCost: ReadStatedCost, headers: ResponseHead['headers']) {
    this.#wanted = wanted;
    this.#readCost = readCost;
    this.#headers = headers;
  }

  get finished(): boolean {
    return this.#streamed >= this.#wanted;
  }

  get sawUsage(): boolean {
    return this.#passes.length > 0;
  }

  receive(slot: number, value: unknown): void {
    if (slot === TYPE) this.#type = asText(value);
    else if (slot === MODEL) this.model = asText(value);
    else if (slot === USAGE) this.#usage = asObject(value);
    else if (slot === SVG_USAGE) this.#addDrawing(asObject(value));
    else if (slot === PICTURE) this.#pictures += 1;
    else if (slot === ERROR) {
      this.errored ||= value !== null;
      this.error = readErrorNames(value);
    }
  }

  closeDocument(): void {
    const completed = this.#type !== null && COMPLETED.test(this.#type);
    if (completed) this.#streamed += 1;
    else if (this.#type === 'error') this.errored = true;
    if (this.#usage !== null && (this.#type === null || completed)) this.#addPictures(this.#usage);
    this.#type = null;
    this.#usage = null;
  }

  endEvent(name: string): void {
    if (name === 'error') this.errored = true;
  }

  end(): void {}

  usage(): Usage | null {
    const inferences = this.#passes;
    if (inferences.length < this.#streamed || (inferences.length === 0 && this.#pictures === 0)) return null;
    const uses = inferences.length === 0 ? { image: this.#pictures } : {};
    const usage = plainUsage({ inferences, uses, thinking: 0, terms: NO_TERMS });
    return usage === null || this.#statedCost === null ? usage : { ...usage, statedCost: this.#statedCost };
  }

  #addPictures(used: JsonObject): void {
    const pass = readPicturePass(used);
    if (pass !== null) this.#passes.push(pass);
    this.#statedCost = this.#readCost(used, this.#headers);
  }

  /** Adds the tokens of the model that wrote a drawing. */
  #addDrawing(used: JsonObject | null): void {
    if (used === null) return;
    const tokens = withoutZeros({
      input: requiredCount(used['input_tokens']),
      output: requiredCount(used['output_tokens']),
    });
    this.#passes.push({ model: asText(used['model']), tokens, promptTokens: tokens.input ?? 0 });
  }
}

/** Reads the tokens of pictures (OpenAI API reference, "Image"); null = the usage has none. */
function readPicturePass(used: JsonObject): Inference | null {
  if (used['input_tokens'] === undefined && used['output_tokens'] === undefined) return null;
  const details = asMembers(used['input_tokens_details']);
  const inputImage = asCount(details['image_tokens']);
  const input = requiredCount(used['input_tokens']);
  const output = asCount(asMembers(used['output_tokens_details'])['text_tokens']);
  // Cached pictures have another price than cached text, and no field tells them apart.
  const isCached = asCount(details['cached_tokens']) > 0;
  const tokens = withoutZeros({
    input: isCached ? Number.NaN : input - inputImage,
    inputImage,
    output,
    outputImage: requiredCount(used['output_tokens']) - output,
  });
  return { model: null, tokens, promptTokens: input };
}

/** Opens a reader for the answer of `POST /images/…`, whole or streamed. */
export function openImageReader(answer: ResponseHead, wanted: number, readCost: ReadStatedCost): UsageReader {
  const tally = new ImageTally(wanted, readCost, answer.headers);
  return answer.contentType === 'text/event-stream'
    ? new StreamReader(ANSWER, tally)
    : new DocumentReader(ANSWER, tally);
}
