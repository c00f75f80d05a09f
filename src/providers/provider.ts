import type { RequestDemand } from '../domain/limits/demand.ts';
import type { ErrorFacts } from '../domain/errors.ts';
import type { ModelBounds } from '../domain/limits/hold.ts';
import type { Usage } from '../domain/usage/usage.ts';

/**
 * Declares all that is a provider's own: data and pure functions, no network and no clock. Settings, pages, docs and
 * tests are derived from the list in `providers.ts`; CONTRIBUTING.md has the recipe.
 */
export interface Provider {
  /** Path segment and identifier: `anthropic`. */
  readonly id: string;
  /** For people: `Anthropic`. */
  readonly name: string;
  /** Price list that applies: of the base list, or of a file in `prices/overrides`. */
  readonly priceProvider: string;
  /**
   * When its prices are listed: `always`; only `when_named`, as those of providers that sell the models of many; or `never`,
   * because there is no list and only the user's own prices apply.
   */
  readonly pricesListed: 'always' | 'when_named' | 'never';
  /** Maxima that no model of the provider exceeds, for models without figures of their own. */
  readonly largest: LargestModel;
  /** Origin and path prefix without a trailing slash, for instance `https://api.anthropic.com`. */
  readonly url: string;
  /** Returns the address that an operator gave instead of `url` as this provider needs it; absent = as it is given. */
  readonly readUrl?: (url: string) => string;
  /** Path that the provider's usual client library expects in its base address: '' where the library adds it itself. */
  readonly clientPath: '' | `/${string}`;
  /** What the page of a key and the contract suite begin with. */
  readonly firstCall: FirstCall;
  /** Further clients that the page of a key shows lines for. */
  readonly clients: readonly MakeClientLines[];
  /** The usage and costs of its organizations can be read with an admin key (`reports/sources.ts`). */
  readonly hasReports: boolean;
  /** Route of a request below `/api/proxy/{id}`; a string says why there is none. `rest` begins with `/` or is empty. */
  route(method: string, rest: string): ProviderRoute | NoRoute;
  /** Sets the provider's key on the upstream request's headers (lower-case names). */
  authorize(headers: Record<string, string>, key: string): void;
  /** Request headers to add when the client sent none, for instance `anthropic-version`. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  /**
   * Query parameters that go upstream: a name, or `name=value` where no other value may. All others stay here, because
   * some change what the provider reads of a request, or leave the usage out of its answer.
   */
  readonly queryParameters: readonly string[];
  /** Answer header that carries the provider's request id. */
  readonly requestIdHeader: string;
  /** A free GET that tells whether a key is good. */
  readonly modelListPath: string;
  /** Why this can't be a provider key (an admin key, for instance); null = fine. Keys are opaque otherwise. */
  refuseKey(key: string): string | null;
  /** An error of our own in this provider's shape. */
  renderError(error: ProviderError): RenderedError;
}

/** Lines that are ready to be used with a wrapped key, for one client. */
export interface ClientLines {
  readonly client: string;
  readonly lines: readonly string[];
}

/** @param address the base address that `clientAddress` gives */
export type MakeClientLines = (address: string, key: string) => ClientLines;

/** A first call, as a client makes it. */
export interface FirstCall {
  /** Behind the base address of clients. */
  readonly path: string;
  /** JSON in lines that fit a terminal of 80 columns with `-d '` before and `' \` behind. */
  readonly body: readonly string[];
}

/** null = the provider documents no such maximum: then only the largest of any provider bounds a call. */
interface LargestModel {
  readonly contextWindow: number | null;
  /** Output tokens of one answer, thinking included. */
  readonly outputTokens: number | null;
  /** Output tokens of one answer, where the context window bounds the prompt alone; null = it bounds both together. */
  readonly outputBesideWindow: number | null;
}

export interface NoRoute {
  readonly kind: 'none';
  /** A sentence for the caller: what is not served and what is. */
  readonly reason: string;
  readonly status: 400 | 404 | 405;
}

export type ProviderRoute = FreeRoute | InferenceRoute;

/** Costs nothing and is not booked: counting tokens, listing models. */
export interface FreeRoute {
  readonly kind: 'free';
  /** Path and query-less upstream address below `url`. */
  readonly upstreamPath: string;
}

export interface InferenceRoute {
  readonly kind: 'inference';
  /** For instance `messages`. */
  readonly operation: string;
  /**
   * Reads what the gate must know from the request. Throws a `TollbookError` (`invalid`) for a body the gate and the
   * provider might read differently. `model` from the path wins over the body.
   */
  readRequest(body: Uint8Array): RequestFacts;
  /** The same for large bodies: yields after each mebibyte, so that the caller can let other calls run. */
  readRequestInSlices(body: Uint8Array): Generator<undefined, RequestFacts, undefined>;
}

/** Bytes `[start, end)` of the request body are replaced by `text` (an insertion has start = end). Ascending, disjoint. */
export interface BodySplice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface RequestFacts {
  /** Path below `url`, without the query. */
  readonly upstreamPath: string;
  readonly model: string;
  readonly stream: boolean;
  /** Places where the body changes on its way upstream; usually none. */
  readonly splices: readonly BodySplice[];
  /** All that the request lets the provider do at most. */
  readonly demand: RequestDemand;
  /** The body's splices, those of `splices` included, that make the provider obey these terms. */
  forward(terms: ForwardTerms): readonly BodySplice[];
  /** The provider's free way of counting the prompt; null = it has none. */
  readonly counter: TokenCounter | null;
  /** Reads the usage out of the answer. `contentType` is the answer's. */
  openReader(answer: AnswerHead): UsageReader;
}

/** What the gate wants the provider to obey, whatever the body says; null = as the body says. */
export interface ForwardTerms {
  /** Output tokens of one answer at most. */
  readonly outputMax: number | null;
  readonly tier: string | null;
  /** Models that may answer: an endpoint that is dearer than their prices must not. null = any may. */
  readonly models: readonly ModelBounds[] | null;
}

/** A free request that tells how many tokens the prompt has. */
export interface TokenCounter {
  /** Path below `url`, for POST. */
  readonly upstreamPath: string;
  /** The request's body, made of the call's decoded body. */
  requestOf(body: Uint8Array): Uint8Array;
  /** The prompt's tokens at most, from the answer's decoded body: the provider's count and what it may be off by. null = it can't be read. */
  read(answer: Uint8Array): number | null;
}

export interface AnswerHead {
  readonly status: number;
  /** Lower case, without parameters; '' = none. */
  readonly contentType: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Reads an answer piece by piece on the side, in constant memory.
 * `push` takes decoded bytes as they come, torn anywhere.
 */
export interface UsageReader {
  push(piece: Uint8Array): void;
  /** The bytes have ended. */
  end(): void;
  /** The answer's terminal event has been seen: the provider says it is complete. For a JSON answer: the document closed. */
  readonly complete: boolean;
  /** The answer carried an error of the provider (a mid-stream error event). */
  readonly errored: boolean;
  /** What is known so far; null = no usage was seen. Cheap enough to ask at every end; do not ask per piece. */
  usage(): Usage | null;
  /** Input usage was seen but the answer is not complete (a stream's first event): worth a note in the journal. */
  readonly early: boolean;
  /** Model that answered; null = not said. */
  readonly model: string | null;
  readonly responseId: string | null;
  /** Bytes of generated text seen so far: from it the delivered part is estimated when the usage never comes. */
  readonly outputBytes: number;
  /**
   * Only where the gate asked for something the client didn't (`include_usage`): the bytes to hand on for the pieces
   * pushed since the last call. Absent = hand on the pieces themselves.
   */
  takeOutput?(): Uint8Array[];
}

/** Errors of our own on proxied calls. `type` is one of the table in `core/errors.ts`. */
export interface ProviderError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** Seconds; sent as Retry-After. Absent = repeating the call doesn't help. */
  readonly retryAfter?: number | undefined;
  /** Field of the request it is about. */
  readonly param?: string | undefined;
  /** For programs, where the provider's shape has a place for it. */
  readonly facts?: ErrorFacts | undefined;
  readonly callId: string | null;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
