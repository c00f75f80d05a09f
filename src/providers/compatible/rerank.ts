import type { Usage } from '../../domain/usage/usage.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { NO_DEMAND, NO_WORK, type ProviderWork, type RequestDemand } from '../../domain/limits/demand.ts';
import { TollbookError } from '../../domain/errors.ts';
import { parseSlice } from '../../lib/json/bytes.ts';
import { capture, look } from '../../lib/json/pick.ts';
import { expecting, scanPlan } from '../../lib/json/scan-plan.ts';
import { asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, type UsageTally, withoutZeros } from '../answer-tally.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';
import { fixedRequest } from '../fixed-request.ts';
import type { ChatForm } from '../openai/chat-request.ts';
import type { InferenceRoute, RequestFacts, ResponseHead } from '../provider.ts';
import { unlistedWork } from '../demand-tally.ts';
import { inferenceRoute, type RequestBody } from '../request-body.ts';
import type { ReadStatedCost } from '../stated-cost.ts';
import { DocumentReader } from '../usage-reader.ts';

type RerankForm = Pick<ChatForm, 'prefix' | 'readCost' | 'deployments'>;

const PLAN = expecting(scanPlan({ model: {}, query: {}, documents: {} }, {}), [
  'instruct',
  'max_chunks_per_doc',
  'max_tokens_per_doc',
  'priority',
  'rank_fields',
  'return_documents',
  'top_k',
  'top_n',
  'truncation',
]);
/** Documents are parsed to count them, so their size is limited. */
const DOCUMENTS_BYTES_MAX = 8 * 1_048_576;
/** Names of models that are billed by searches. Others are billed by tokens. */
const BY_SEARCH = /(?:^|[/.])rerank-(?:v[1-4]|english|multilingual)/;
/**
 * Cohere docs, "Rerank pricing": a search is a query with up to 100 documents, and a document longer than 500 tokens with the
 * query counts as several. A query of up to half of that leaves the other half for each part of a document.
 */
const DOCUMENTS_PER_SEARCH = 100;
const PART_TOKENS = 250;

/** `POST /rerank`: orders documents by their relevance for a query. */
export function rerankRoute(form: RerankForm): InferenceRoute {
  return inferenceRoute(
    'rerank',
    PLAN,
    () => ({ receive: () => undefined, facts: (body) => readRerank(body, form) }),
    null,
    form.deployments,
  );
}

function readRerank(body: RequestBody, { prefix, readCost }: RerankForm): RequestFacts {
  const model = body.model();
  return fixedRequest({
    upstreamPath: `${prefix}/rerank`,
    model,
    stream: false,
    demand: BY_SEARCH.test(model) ? demandSearches(body) : demandReadTokens(body),
    openReader: (answer) => new DocumentReader(ANSWER, new RerankTally(readCost, answer.headers)),
  });
}

function demandSearches(body: RequestBody): RequestDemand {
  const { count, bytes } = measureDocuments(body);
  const parts = count + Math.ceil(bytes / PART_TOKENS);
  const uses = { rerankSearch: Math.max(1, Math.ceil(parts / DOCUMENTS_PER_SEARCH)) };
  const isLong = queryBytes(body) > PART_TOKENS;
  const unbounded = isLong ? `query of more than ${PART_TOKENS} bytes, which cuts documents into more parts` : null;
  return { ...NO_DEMAND, outputMax: 0, work: { ...strangeWork(body), uses, ...(unbounded !== null && { unbounded }) } };
}

/** The query is read with each document. */
function demandReadTokens(body: RequestBody): RequestDemand {
  const { count } = measureDocuments(body);
  const textBytes = body.textBytes + count * queryBytes(body);
  return { ...NO_DEMAND, textBytes, listedWindows: 0, outputMax: 0, work: strangeWork(body) };
}

function strangeWork({ stranger }: RequestBody): ProviderWork {
  return stranger === null ? NO_WORK : unlistedWork(stranger);
}

function queryBytes(body: RequestBody): number {
  const span = body.find('query');
  return span ? span.end - span.start : 0;
}

function measureDocuments(body: RequestBody): { readonly count: number; readonly bytes: number } {
  const span = body.find('documents');
  const bytes = span ? span.end - span.start : 0;
  const list = span && bytes <= DOCUMENTS_BYTES_MAX ? parseSlice(body.bytes, span.start, span.end) : undefined;
  if (Array.isArray(list)) return { count: list.length, bytes };
  throw new TollbookError(
    'invalid',
    `"documents" must be a list of at most ${DOCUMENTS_BYTES_MAX} bytes.`,
    'documents',
  );
}

const ID = 0;
const MODEL = 1;
const META = 2;
const USAGE = 3;
const ERROR = 4;
const WORD_BYTES_MAX = 256;
const ANSWER = look({
  id: capture(ID, WORD_BYTES_MAX),
  model: capture(MODEL, WORD_BYTES_MAX),
  meta: capture(META),
  usage: capture(USAGE),
  error: capture(ERROR),
});

class RerankTally implements UsageTally {
  readonly finished = false;
  errored = false;
  error: ErrorNames | null = null;
  model: string | null = null;
  responseId: string | null = null;
  readonly #readCost: ReadStatedCost;
  readonly #headers: ResponseHead['headers'];
  #billed: JsonObject | null = null;
  #usage: JsonObject | null = null;

  constructor(readCost: ReadStatedCost, headers: ResponseHead['headers']) {
    this.#readCost = readCost;
    this.#headers = headers;
  }

  get sawUsage(): boolean {
    return this.#usage !== null || this.#billed !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === ID) this.responseId = asText(value);
    else if (slot === MODEL) this.model = asText(value);
    else if (slot === META) this.#billed = asObject(asObject(value)?.['billed_units']);
    else if (slot === USAGE) this.#usage = asObject(value);
    else {
      this.errored ||= value !== null;
      this.error = readErrorNames(value);
    }
  }

  closeDocument(): void {}
  endEvent(): void {}
  end(): void {}

  usage(): Usage | null {
    const usage = readSearchUsage(this.#billed) ?? readTokenUsage(this.#usage ?? this.#billed);
    const statedCost = this.#readCost(this.#usage ?? {}, this.#headers);
    return usage === null || statedCost === null ? usage : { ...usage, statedCost };
  }
}

function readSearchUsage(billed: JsonObject | null): Usage | null {
  const searches = billed?.['search_units'];
  if (typeof searches !== 'number') return null;
  return plainUsage({ inferences: [], uses: { rerankSearch: searches }, thinking: 0, terms: NO_TERMS });
}

/** Reads the tokens, under one of the names that providers give them. */
function readTokenUsage(used: JsonObject | null): Usage | null {
  if (used === null) return null;
  const input = requiredCount(used['total_tokens'] ?? used['prompt_tokens'] ?? used['input_tokens']);
  const inferences = [{ model: null, tokens: withoutZeros({ input }), promptTokens: input }];
  return plainUsage({ inferences, uses: {}, thinking: 0, terms: NO_TERMS });
}
