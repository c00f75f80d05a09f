import { buildRequest, type ClientRequest } from '../contract/client.ts';
import type { RouteResponse, RouteKey, RouteRequest } from '../contract/routes.ts';
import type { ErrorShape } from '../contract/errors.ts';
import { ERROR_STATUS, type ErrorType, TollbookError } from '../domain/errors.ts';

/** A tool that waits longer has lost its listener. */
const ANSWER_MS_MAX = 30_000;

interface CallOptions {
  readonly signal: AbortSignal;
  /** Instead of the client's own access token. */
  readonly apiKey?: string | undefined;
}

/** Sends one request; rejects if there is no response. */
export type SendRequest = (
  url: string,
  init: RequestInit & { readonly method: string },
) => Response | Promise<Response>;

export interface ApiClientOptions {
  /** Without a trailing slash. */
  readonly url: string;
  /** Access token; null = none was given. */
  readonly apiKey: string | null;
  readonly send: SendRequest;
  /** Advice about a missing or rejected token. */
  readonly advice: ErrorAdvice;
  /** Default: 30 s. */
  readonly answerMsMax?: number;
}

/** Sentences on what to do next; they differ by where the tools run. */
export interface ErrorAdvice {
  readonly noKey: string;
  /** After a sentence on a token that is refused, or lacks a scope. */
  readonly newKey: string;
  readonly unreachable: (url: string, reason: string) => string;
}

/** HTTP client of the tools, which sends the access token. */
export class ApiClient {
  readonly url: string;
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.url = options.url;
  }

  /** The access token, if there is one. */
  anySecret(given: string | undefined): string | null {
    return given ?? this.#options.apiKey;
  }

  /** The access token: the given one, or the client's own. */
  secret(given: string | undefined): string {
    const secret = this.anySecret(given);
    if (secret === null) throw new TollbookError('missing_secret', this.#options.advice.noKey);
    return secret;
  }

  /** Sends a request of the contract. Returns the fields that the route declares. Throws `TollbookError`s. */
  async call<Key extends RouteKey>(key: Key, parts: RouteRequest<Key> & CallOptions): Promise<RouteResponse<Key>> {
    const request = buildRequest(key, parts);
    // The shapes load with the first call, so that the server starts sooner.
    const [answer, { routes }] = await Promise.all([this.#send(request, parts), import('../contract/routes.ts')]);
    const body: unknown = await answer.json().catch(() => null);
    if (!answer.ok) throw this.#refusal(answer, body);
    const read = routes[key].response.safeParse(body);
    if (read.success) return read.data as RouteResponse<Key>;
    const [path] = request.path.split('?', 1);
    throw new TollbookError(
      'upstream_unreachable',
      `The service at ${this.url} is not this version of Tollbook (${path}). Check SVC_API_URL, and that both have the same version.`,
    );
  }

  async #send({ path, headers, ...request }: ClientRequest, { signal, apiKey }: CallOptions): Promise<Response> {
    const key = this.secret(apiKey);
    const { answerMsMax = ANSWER_MS_MAX } = this.#options;
    const time = AbortSignal.timeout(answerMsMax);
    try {
      return await this.#options.send(`${this.url}${path}`, {
        ...request,
        headers: { authorization: `Bearer ${key}`, ...headers },
        signal: AbortSignal.any([signal, time]),
        // A redirect would carry the token elsewhere.
        redirect: 'error',
      });
    } catch (error) {
      signal.throwIfAborted();
      const reason = time.aborted ? `no answer within ${answerMsMax / 1_000} s` : failureReason(error);
      throw new TollbookError('upstream_unreachable', this.#options.advice.unreachable(this.url, reason));
    }
  }

  #refusal(answer: Response, body: unknown): TollbookError {
    const { error, type, param } = (body ?? {}) as Partial<ErrorShape>;
    const { newKey } = this.#options.advice;
    if (typeof error !== 'string')
      return new TollbookError(
        'upstream_unreachable',
        `The service at ${this.url} is not Tollbook (status ${answer.status}). Check SVC_API_URL.`,
      );
    const known = Object.keys(ERROR_STATUS).find((name): name is ErrorType => name === type) ?? 'internal';
    if (answer.status === 401) return new TollbookError(known, `The access token was rejected. ${newKey}`);
    if (known === 'wrong_secret')
      return new TollbookError(known, `SVC_API_KEY is a wrapped key, which works only for the proxy. ${newKey}`);
    if (known === 'missing_scope') return new TollbookError(known, `${error} ${newKey}`);
    if (answer.status >= 500) return new TollbookError(known, `The service failed: ${error} See its log.`);
    return new TollbookError(known, error, param);
  }
}

function failureReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return String(cause);
}
