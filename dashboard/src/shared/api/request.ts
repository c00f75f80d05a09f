import type { PathParameters, RouteResponse, RouteKey, RouteRequest } from '../../../../src/contract/routes.ts';
import { ApiError } from './api-error.ts';

type QueryValue = string | number | boolean;
/** A list repeats its parameter. */
export type RequestQuery = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

interface RequestContext {
  readonly headers?: Readonly<Record<string, string>>;
  /** null = the request is not about a workspace. */
  readonly workspaceId: string | null;
  readonly signal?: AbortSignal;
}

/** A request by its route in the contract. Undefined or empty fields of the query are left out. */
export type ApiRequest<Key extends RouteKey> = RequestContext & RouteRequest<Key> & { readonly route: Key };

/** Adds a route that is not known when the code is compiled: the compiler cannot combine the parts of a type parameter. */
export function addRoute<Key extends RouteKey>(
  route: Key,
  parts: RouteRequest<Key>,
  context: RequestContext,
): ApiRequest<Key> {
  return Object.assign({ route }, context, parts);
}

/** A request as it is sent, without the types of its route. */
interface UntypedRequest extends RequestContext {
  readonly route: RouteKey;
  readonly params?: PathValues;
  readonly query?: RequestQuery;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
}

type PathValues = Readonly<Record<string, string>>;

const WORKSPACE_HEADER = 'x-svc-workspace';

/**
 * Sends one request to the service; the browser adds the session cookie.
 * @throws ApiError for every error response, and when there is no response.
 */
export async function request<Key extends RouteKey>(asked: ApiRequest<Key>): Promise<RouteResponse<Key>> {
  const answer = await send(asked as UntypedRequest);
  const text = await answer.text();
  if (!answer.ok) throw toApiError(answer, text);
  // The service validates its responses against the contract.
  return readJson(text) as RouteResponse<Key>;
}

/**
 * Checks that a download works without reading it. The browser saves the file by itself, so the page would not see an error.
 * @throws ApiError as `request` does
 */
export async function requireFile<Key extends RouteKey>(asked: ApiRequest<Key>): Promise<void> {
  const answer = await send(asked as UntypedRequest);
  if (!answer.ok) throw toApiError(answer, await answer.text());
  await answer.body?.cancel();
}

function toApiError({ status }: Response, text: string): ApiError {
  const value = readJson(text);
  return new ApiError(status, typeof value === 'object' && value !== null ? value : {});
}

async function send({
  route,
  params = {},
  query,
  body,
  ifMatch,
  workspaceId,
  signal,
  ...asked
}: UntypedRequest): Promise<Response> {
  const [method = 'GET'] = route.split(' ', 1);
  const headers = new Headers({ accept: 'application/json', ...asked.headers });
  if (workspaceId !== null) headers.set(WORKSPACE_HEADER, workspaceId);
  if (ifMatch !== undefined) headers.set('if-match', `"${ifMatch}"`);
  // The service accepts unsafe methods from pages only with a JSON body.
  if (method !== 'GET') headers.set('content-type', 'application/json');
  try {
    return await fetch(buildUrl(fillPath(route, params), query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, {});
  }
}

/** Returns the path of a route with its parameters. */
export function buildPath<Key extends RouteKey>(route: Key, params: PathParameters<Key>): string {
  return fillPath(route, params);
}

function fillPath(route: RouteKey, params: PathValues): string {
  const [, template = ''] = route.split(' ', 2);
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** Returns the path with its query string. */
export function buildUrl(path: string, query: RequestQuery = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') for (const one of [value].flat()) parameters.append(name, String(one));
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

function readJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
