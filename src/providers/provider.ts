import type { IncomingHttpHeaders } from 'node:http';
import type { RequestDemand } from '../domain/limits/demand.ts';
import type { ErrorNames } from './error-names.ts';
import type { ErrorFacts } from '../domain/errors.ts';
import type { CallBounds, ModelBounds } from '../domain/limits/cost-bound.ts';
import type { BatchFacts } from '../domain/usage/call.ts';
import type { Usage } from '../domain/usage/usage.ts';
import type { ProviderHost } from './provider-host.ts';

/**
 * Declares everything specific to a provider: data and pure functions without network or clock. Settings, pages, docs and
 * tests are derived from the list in `providers.ts`; CONTRIBUTING.md has the recipe.
 */
export interface Provider {
  /** Path segment and identifier, for example `anthropic`. */
  readonly id: string;
  /** Display name, for example `Anthropic`. */
  readonly name: string;
  /** Price list: from the base list, or a file in `prices/overrides`. */
  readonly priceProvider: string;
  /**
   * Lists that include its prices: `always`; only `when_named`, for providers that sell the models of many vendors; or
   * `never`, because only custom prices apply.
   */
  readonly pricesListed: 'always' | 'when_named' | 'never';
  /** Maxima for models without figures. No model of the provider exceeds them. */
  readonly largest: LargestModel;
  /** Origin and path prefix without a trailing slash, for example `https://api.anthropic.com`. */
  readonly url: string;
  /** Normalizes a URL that the operator entered instead of `url`; absent = used unchanged. */
  readonly readUrl?: (url: string) => string;
  /** Subdomains of its host are regions, whose prices may differ; absent = they are not. */
  readonly regional?: boolean;
  /** Models of its deployments; absent = every name in a request is that of a model. */
  readonly deployments?: DeploymentModels;
  /** Facts about the host of `url`; absent = it is the provider's own, without regions. */
  readonly host?: ProviderHost;
  /** Path that the provider's client library expects in its base URL; '' = the library adds it. */
  readonly clientPath: '' | `/${string}`;
  /** First call on the page of a key and in the contract suite. */
  readonly firstCall: FirstCall;
  /** Further clients with lines on the page of a key. */
  readonly clients: readonly MakeClientLines[];
  /** The usage and costs of its organizations can be read with an admin key (`reports/sources.ts`). */
  readonly hasReports: boolean;
  /** Returns the route of a request below `/api/proxy/{id}`, or why there is none. `rest` starts with `/` or is empty. */
  route(method: string, rest: string): ProviderRoute | NoRoute;
  /** Sets the provider's key on the upstream request's headers (lower-case names). */
  authorize(headers: Record<string, string>, key: string): void;
  /**
   * Completes what `authorize` set, if it depends on the time or on the whole request; absent = nothing does.
   * @param now epoch ms
   */
  readonly sign?: (request: OutgoingRequest, key: string, now: number) => void;
  /** Request headers that choose a tier with another price, and are refused; absent = none. */
  readonly tierHeaders?: readonly string[];
  /** Request headers to add if the client did not send them, for example `anthropic-version`. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  /** Request headers that choose an account of the provider key: they are kept to ask about work that goes on. Absent = none. */
  readonly accountHeaders?: readonly string[];
  /**
   * Query parameters sent upstream: a name, or `name=value` if only that value is allowed. All others are dropped, because
   * some change how the provider reads a request or remove the usage from its answer.
   */
  readonly queryParameters: readonly string[];
  /** Answer header with the provider's request id. */
  readonly requestIdHeader: string;
  /** Path before the id of a response that was made in the background; absent = none is. */
  readonly backgroundPath?: string;
  /** Path of a free GET that checks a key. */
  readonly modelListPath: string;
  /** Reports an answer to that GET that says nothing about the key; absent = its status does. */
  readonly isKeyUnknown?: (status: number, headers: Pick<Headers, 'get'>) => boolean;
  /** Its servers usually ask for no key, so a wrapped key may have none; absent = it needs one. */
  readonly isKeyless?: true;
  /** Writes a provider key that is a file as one word. Others stay. Absent = all are one word. */
  readonly compactKey?: (key: string) => string;
  /** Returns why this cannot be a provider key (for example an admin key); null = it may be one. Keys are opaque. */
  refuseKey(key: string): string | null;
  /** Absent = its batches are not served. */
  readonly batches?: BatchForm;
  /** Absent = its calls can't use the login of a client's subscription. */
  readonly subscription?: SubscriptionLogin;
  /** Renders an error of Tollbook in this provider's format. */
  renderError(error: ProviderError): RenderedError;
}

/** A request to a provider that is ready to be sent. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Lower-case names; may be changed. */
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | null;
}

/** Name under which a provider serves a model → the model, whose price and limits apply. */
export type DeploymentModels = ReadonlyMap<string, string>;

/** The login of a client's own subscription, which the client sends with each call. */
export interface SubscriptionLogin {
  /** Returns why a bearer token is not such a login (for example an API key, which is billed); null = it may be one. */
  refuseLogin(token: string): string | null;
  /** Reports whether a response's headers say that the call is billed by use, not covered by the subscription; absent = they never do. */
  readonly isBilledByUse?: (headers: IncomingHttpHeaders) => boolean;
  /** Speeds that are always billed by use; absent = none. */
  readonly speedsBilledByUse?: readonly string[];
  /** Provider that takes the calls in place of this one, with an id for its address setting; absent = this one. */
  readonly upstream?: { readonly id: string; readonly provider: Provider };
  /** Clients with lines on the page of a key whose calls use such a login. */
  readonly clients: readonly MakeClientLines[];
}

/** Lines for one client, ready to use with a wrapped key. */
export interface ClientLines {
  readonly client: string;
  readonly lines: readonly string[];
}

/** Builds the lines of a client. `address` is the base URL that `clientAddress` returns. */
export type MakeClientLines = (address: string, key: string) => ClientLines;

/** First call of a client. */
export interface FirstCall {
  /** Path after the base URL of clients. */
  readonly path: string;
  /** JSON in lines that fit into 80 columns with `-d '` before and `' \` after. */
  readonly body: readonly string[];
}

/** Maxima of a provider's models. null = not documented: then only the largest of any provider bounds a call. */
interface LargestModel {
  readonly contextWindow: number | null;
  /** Output tokens of one answer, including thinking. */
  readonly outputTokens: number | null;
  /** Output tokens of one answer if the context window limits only the prompt; null = it limits both together. */
  readonly outputOutsideWindow: number | null;
}

export interface NoRoute {
  readonly kind: 'none';
  /** Message for the caller: what is not served, and what is. */
  readonly reason: string;
  readonly status: 400 | 404 | 405;
}

export type ProviderRoute = FreeRoute | InferenceRoute | SocketRoute | BatchRoute;

/** WebSocket on which a client begins calls one after the other, or several in streams. */
export interface SocketRoute {
  readonly kind: 'socket';
  /** Path below `url`, without the query. */
  readonly upstreamPath: string;
  /** Reason that a plain GET is not served. */
  readonly plainReason: string;
  /** Reads the messages that begin a call. */
  readonly call: InferenceRoute;
  /** Streams of one socket, and responses at a time, that the provider serves. */
  readonly streamsMax: number;
  readonly responsesMax: number;
  readHead(message: Uint8Array): MessageHead;
  /** Returns why a message of a client can't be forwarded; null = it begins a call. */
  refuseMessage(head: MessageHead): string | null;
  /** Reports the last message of a response. */
  endsResponse(head: MessageHead): boolean;
  /** Renders an error of the gateway as a message. @param streamId of the response; null = none */
  renderError(error: RenderedError, streamId: string | null): string;
}

/** Head of a message. */
export interface MessageHead {
  /** null = it is not a JSON object with a type. */
  readonly type: string | null;
  readonly streamId: string | null;
  /** Status of an error; null = none. */
  readonly status: number | null;
  /** Values that replace headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Route that is free and not recorded: counting tokens, listing models, stored responses and files. */
export interface FreeRoute {
  readonly kind: 'free';
  /** Path below `url`, without the query. */
  readonly upstreamPath: string;
  /** Query parameters sent upstream in addition to those of the provider; absent = none. */
  readonly queryParameters?: readonly string[];
  /** The body has the type that the client names, for example a form with a file; absent = it is JSON. */
  readonly keepsContentType?: true;
  /**
   * Place of an address of the provider in the answer. Only the two groups are kept, so that it becomes a path of the gateway.
   * Absent = there is none.
   */
  readonly ownAddress?: RegExp;
  /** Header of the answer with an address of the provider, which becomes one of the gateway. Absent = there is none. */
  readonly addressHeader?: AddressHeader;
}

export interface AddressHeader {
  /** Lower case. */
  readonly name: string;
  /** Its group is the path below `url`, with the query. An address that does not match stays. */
  readonly pattern: RegExp;
}

/**
 * Place for the cost of a call in its stream: a field at the end of the last event, a chunk without choices before the mark
 * `[DONE]`, or a field of `usageMetadata` in the last event.
 */
export type StreamCostForm = 'last_event' | 'last_chunk' | 'usage_metadata';

/** Creates a batch of requests, whose usage comes with its results. */
export type BatchRoute = ListBatchRoute | FileBatchRoute;

interface AnyBatchRoute {
  readonly kind: 'batch';
  readonly operation: string;
  readonly upstreamPath: string;
  openReader(answer: ResponseHead): UsageReader;
}

/** The body has the requests. */
export interface ListBatchRoute extends AnyBatchRoute {
  /**
   * Yields each request, and undefined where other calls may run. Throws `invalid` for a body that the gateway and the provider
   * might read differently.
   */
  readLines(body: Uint8Array): Generator<BatchRequest | undefined>;
}

/** A file at the provider has the requests. */
export interface FileBatchRoute extends AnyBatchRoute {
  readFile(body: Uint8Array): BatchFile;
}

/** A file with a request in each line. */
export interface BatchFile {
  /** Path of its content below `url`. */
  readonly path: string;
  /** Reads the next request, and yields where other calls may run. Throws `invalid`. */
  readLine(line: Uint8Array): Generator<undefined, BatchRequest>;
}

/** One request of a batch. */
export interface BatchRequest {
  /** Its number and id, for errors. */
  readonly name: string;
  readonly facts: RequestFacts;
}

/** Result of one request of a batch: its usage, why it is free of charge, or that its usage can't be read. */
export type BatchLine = BatchAnswer | 'errored' | 'canceled' | 'expired' | 'unknown';

export interface BatchAnswer {
  readonly usage: Usage;
  readonly model: string | null;
}

/** Reads a provider's batches when they have ended. */
export interface BatchForm {
  /** Path of a batch below `url`; null = the id is none. @param id as the provider said it */
  path(id: string): string | null;
  /** Reads a batch; null = it has not ended. */
  readEnd(batch: unknown): EndedBatch | null;
  /** Reads a parsed line of the results. */
  readResult(line: unknown): BatchLine;
}

export interface EndedBatch {
  /** Paths of the results below `url`, each with a JSON document per line. */
  readonly resultPaths: readonly string[];
  /** Results that are in the batch itself; absent = none. */
  readonly results?: readonly unknown[];
  /** Number of requests that are billed; NaN = not known. */
  readonly billed: number;
}

export interface InferenceRoute {
  readonly kind: 'inference';
  /** Name, for example `messages`. */
  readonly operation: string;
  /** Place for the cost of a call in its stream; null = none. */
  readonly streamCost: StreamCostForm | null;
  /**
   * Reads what the gateway must know from the request. Throws a `TollbookError` (`invalid`) for a body that the gateway and
   * the provider might read differently. A `model` in the path overrides the body.
   */
  readRequest(body: Uint8Array): RequestFacts;
  /** Does the same for large bodies, and yields after each mebibyte so that other calls can run. */
  readRequestInSlices(body: Uint8Array): Generator<undefined, RequestFacts, undefined>;
  /** Sets the provider's key in another header than the provider's other routes; absent = it is the same. */
  readonly authorize?: Provider['authorize'];
  /** Reads the request from a form with files, which is sent upstream with the type that the client names. Absent = it is JSON. */
  readonly readForm?: (body: Uint8Array, contentType: string) => RequestFacts;
}

/** Replaces bytes `[start, end)` of the request body with `text` (start = end inserts). Splices are ascending and disjoint. */
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
  /** Changes of the body that are always made; usually none. */
  readonly splices: readonly BodySplice[];
  /** The most that the request lets the provider do. */
  readonly demand: RequestDemand;
  /** Bounds of a batch: the sum of those of its requests. Absent = `demand` gives them. */
  readonly bounds?: CallBounds;
  /** Absent = it is no batch. */
  readonly batch?: BatchFacts;
  /** Field with the output maximum, for errors: `generationConfig.maxOutputTokens`. null or absent = there is none. */
  readonly outputField?: string | null;
  /** Tools of the provider whose uses `forward` can limit; null = none. */
  readonly tools: CappableTools | null;
  /** Returns the splices, including `splices`, that make the provider obey the terms. */
  forward(terms: ForwardTerms): readonly BodySplice[];
  /** The provider works on after the connection has ended (`Provider.backgroundPath`); absent = it does not. */
  readonly runsOn?: true;
  /** The provider's free counter of the prompt; null = none. */
  readonly counter: TokenCounter | null;
  /** Opens a reader of the answer's usage. */
  openReader(answer: ResponseHead): UsageReader;
}

/** Terms that the gateway imposes on the provider; null = as the body says. */
export interface ForwardTerms {
  /** Maximum output tokens of one answer. */
  readonly outputMax: number | null;
  /** Thinking budget; absent = as the body says. */
  readonly thinkingBudget?: number | null;
  /** Maximum uses of each tool of the provider; absent = as the body says. */
  readonly toolUses?: number | null;
  readonly tier: string | null;
  /** Models whose prices no endpoint may exceed; null = any endpoint may answer. */
  readonly models: readonly ModelBounds[] | null;
}

/** Tools of the provider that have a field for the maximum of their uses. */
export interface CappableTools {
  /** The largest maximum in the body; null = a tool has none. */
  readonly usesMax: number | null;
  /** Returns the demand if each tool is used at most so often. */
  demandAt(uses: number): RequestDemand;
}

/** A free request that counts the tokens of the prompt. */
export interface TokenCounter {
  /** Path below `url`, for POST. */
  readonly upstreamPath: string;
  /** Builds the body of the request from the call's decoded body. */
  requestOf(body: Uint8Array): Uint8Array;
  /** The prompt's tokens at most, from the answer's decoded body: the provider's count and what it may be off by. null = it can't be read. */
  read(answer: Uint8Array): number | null;
}

export interface ResponseHead {
  readonly status: number;
  /** Lower case without parameters; '' = none. */
  readonly contentType: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Reads an answer piece by piece while it is forwarded, in constant memory. `push` accepts decoded bytes, split anywhere.
 */
export interface UsageReader {
  push(piece: Uint8Array): void;
  /** Call at the end of the bytes. */
  end(): void;
  /** The final event of the answer was read, or its JSON document is closed. */
  readonly complete: boolean;
  /** The answer contains an error of the provider, for example in the middle of a stream. */
  readonly errored: boolean;
  /** Returns the usage read so far; null = none. Call it at the end of an answer, not per piece. */
  usage(): Usage | null;
  /** Input usage was read but the answer is not complete (first event of a stream). The journal then notes it. */
  readonly early: boolean;
  /** Names of the error in the answer; null or absent = none. */
  readonly error?: ErrorNames | null;
  /** Model that answered; null = not reported. */
  readonly model: string | null;
  readonly responseId: string | null;
  /** Bytes of generated text so far. They give an estimate of the output if no usage follows. */
  readonly outputBytes: number;
  /**
   * Returns the bytes to forward for the pieces pushed since the last call, if the gateway requested something that the client
   * did not (`include_usage`). Absent = forward the pieces unchanged.
   */
  takeOutput?(): Uint8Array[];
}

/** Error of Tollbook on a proxied call. `type` is one of the table in `domain/errors.ts`. */
export interface ProviderError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** Seconds, sent as Retry-After. Absent = retrying does not help. */
  readonly retryAfter?: number | undefined;
  /** Field of the request that the error concerns. */
  readonly param?: string | undefined;
  /** Facts for programs, if the provider's format has a place for them. */
  readonly facts?: ErrorFacts | undefined;
  readonly callId: string | null;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
