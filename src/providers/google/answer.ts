import type { Usage, UseCounts } from '../../domain/usage/usage.ts';
import { capture, eachElement, look, measure, type PickNode } from '../../lib/json/pick.ts';
import type { ResponseHead, UsageReader } from '../provider.ts';
import { asObject, asText, asWord } from '../../lib/json/values.ts';
import type { UsageTally } from '../answer-tally.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';
import { ArrayStreamReader, DocumentReader, StreamReader } from '../usage-reader.ts';
import { readGeminiUsage } from './usage.ts';

/** After this many different queries, each one counts as new. */
const QUERIES_MAX = 1_000;
/** First generation billed per query. Older ones are billed once per grounded answer. */
const BY_QUERY_SINCE = 3;

/**
 * Counts searches. A stream may repeat a candidate's queries or add to them from event to event, so a query counts as
 * often as it occurs in the list that has it most often.
 */
class GroundingTally {
  readonly #most = new Map<string, number>();
  #queries = 0;
  #usesMaps = false;

  /** Notes a place on Google Maps in the sources of an answer. */
  addPlace(): void {
    this.#usesMaps = true;
  }

  /** Adds all queries of one JSON document. */
  add(queries: readonly string[]): void {
    const here = new Map<string, number>();
    for (const query of queries) {
      const count = (here.get(query) ?? 0) + 1;
      here.set(query, count);
      if (count <= (this.#most.get(query) ?? 0)) continue;
      this.#queries++;
      if (this.#most.size < QUERIES_MAX) this.#most.set(query, count);
    }
  }

  /** @param model the model that answered */
  uses(model: string | null): UseCounts {
    if (billsByQuery(model)) return this.#queries === 0 ? {} : { groundingQuery: this.#queries };
    return { ...(this.#queries > 0 && { groundedPrompt: 1 }), ...(this.#usesMaps && { mapsPrompt: 1 }) };
  }

  /** Queries to Google Maps are billed, and the answer does not contain their number. */
  hasUnlistedFee(model: string | null): boolean {
    return this.#usesMaps && billsByQuery(model);
  }
}

function billsByQuery(model: string | null): boolean {
  const generation = /gemini-(\d+)/.exec(model ?? '')?.[1];
  return generation === undefined || Number(generation) >= BY_QUERY_SINCE;
}

const USAGE = 0;
const MODEL = 1;
const ID = 2;
const FINISH_REASON = 3;
const BLOCK_REASON = 4;
const QUERIES = 5;
const ERROR = 6;
const CLOSED = 7;
const PLACE = 8;
const WORD_BYTES_MAX = 256;

const word = (slot: number): PickNode => capture(slot, WORD_BYTES_MAX);

const MEMBERS: Readonly<Record<string, PickNode>> = {
  candidates: eachElement(
    look({
      content: look({ parts: eachElement(look({ text: measure(), functionCall: measure() })) }),
      finishReason: word(FINISH_REASON),
      groundingMetadata: look({
        webSearchQueries: capture(QUERIES),
        groundingChunks: eachElement(look({ maps: look({}, null, PLACE) })),
      }),
    }),
  ),
  usageMetadata: capture(USAGE),
  modelVersion: word(MODEL),
  responseId: word(ID),
  promptFeedback: look({ blockReason: word(BLOCK_REASON) }),
  error: capture(ERROR),
};
const ANSWER = look(MEMBERS);
/** An array of answers. An error before the first one is a separate object. */
const ANSWERS = look(MEMBERS, look(MEMBERS, null, CLOSED));

class GenerateTally implements UsageTally {
  finished = false;
  errored = false;
  error: ErrorNames | null = null;
  model: string | null = null;
  responseId: string | null = null;
  readonly #request: GenerateRequest;
  readonly #tierHeader: string | null;
  readonly #grounding = new GroundingTally();
  #metadata: Readonly<Record<string, unknown>> | null = null;
  /** The current document contains usage. */
  #reportsUsage = false;
  #finishedCandidates = 0;
  #blocked = false;
  #queries: string[] = [];

  constructor(request: GenerateRequest, tierHeader: string | null) {
    this.#request = request;
    this.#tierHeader = tierHeader;
  }

  get sawUsage(): boolean {
    return this.#metadata !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === USAGE) this.#addUsage(asObject(value));
    else if (slot === MODEL) this.model = asText(value) ?? this.model;
    else if (slot === ID) this.responseId = asText(value) ?? this.responseId;
    else if (slot === FINISH_REASON) this.#finishedCandidates += asText(value) === null ? 0 : 1;
    else if (slot === BLOCK_REASON) this.#blocked ||= asText(value) !== null;
    else if (slot === QUERIES) this.#addQueries(value);
    else if (slot === ERROR) this.#addError(value);
    else if (slot === PLACE) this.#grounding.addPlace();
    else if (slot === CLOSED) this.closeDocument();
  }

  closeDocument(): void {
    if (this.#queries.length > 0) this.#grounding.add(this.#queries);
    this.#queries = [];
    // Usage grows from event to event: older usage must not replace the usage that may follow the last text.
    if (this.#reportsUsage && this.#over()) this.finished = true;
    this.#reportsUsage = false;
  }

  endEvent(): void {}

  end(): void {
    // An answer that ended properly is complete even without usage.
    this.finished ||= this.#over();
  }

  usage(): Usage | null {
    const { model: requested, geo } = this.#request;
    const model = this.model ?? requested;
    const terms = { tierHeader: this.#tierHeader, geo };
    const usage = this.#metadata && readGeminiUsage(this.#metadata, this.#grounding.uses(model), terms);
    return usage && this.#grounding.hasUnlistedFee(model) ? { ...usage, hasUnlistedFee: true } : usage;
  }

  #addError(error: unknown): void {
    this.errored ||= error !== null;
    this.error = readErrorNames(error);
  }

  #addUsage(metadata: Readonly<Record<string, unknown>> | null): void {
    if (metadata === null) return;
    this.#metadata = metadata;
    this.#reportsUsage = true;
  }

  #over(): boolean {
    return this.#blocked || this.#finishedCandidates >= this.#request.candidates;
  }

  #addQueries(value: unknown): void {
    if (!Array.isArray(value)) return;
    for (const query of value) if (typeof query === 'string' && query !== '') this.#queries.push(query);
  }
}

export interface GenerateRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Number of requested candidates. */
  readonly candidates: number;
  /** Geography that the location on Vertex AI decides; null = the Gemini API. */
  readonly geo: string | null;
}

/** Opens a reader for the answer of `:generateContent` or `:streamGenerateContent`, as events or as one array. */
export function openGenerateReader(request: GenerateRequest, answer: ResponseHead): UsageReader {
  const tally = new GenerateTally(request, asWord(answer.headers['x-gemini-service-tier']));
  if (answer.contentType === 'text/event-stream') return new StreamReader(ANSWER, tally);
  return request.stream ? new ArrayStreamReader(ANSWERS, tally) : new DocumentReader(ANSWER, tally);
}
