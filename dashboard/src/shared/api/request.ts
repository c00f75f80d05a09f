import { ApiError } from './api-error.ts';

export type RequestQuery = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Undefined or empty fields are left out. */
  readonly query?: RequestQuery;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** null = the request is not about a workspace. */
  readonly workspaceId: string | null;
  readonly signal?: AbortSignal;
}

const WORKSPACE_HEADER = 'x-svc-workspace';

/**
 * Sends one request to the service; the browser adds the session cookie.
 * @throws ApiError for every error response, and when there is no response.
 */
export async function request<Answer>(asked: RequestOptions): Promise<Answer> {
  const answer = await send(asked);
  const text = await answer.text();
  if (!answer.ok) throw toApiError(answer, text);
  // The service validates its responses against the contract.
  return readJson(text) as Answer;
}

/**
 * Checks that a download works without reading it. The browser saves the file by itself, so the page would not see an error.
 * @throws ApiError as `request` does
 */
export async function requireFile(asked: RequestOptions): Promise<void> {
  const answer = await send(asked);
  if (!answer.ok) throw toApiError(answer, await answer.text());
  await answer.body?.cancel();
}

function toApiError({ status }: Response, text: string): ApiError {
  const value = readJson(text);
  return new ApiError(status, typeof value === 'object' && value !== null ? value : {});
}

async function send({
  method = 'GET',
  path,
  query,
  body,
  workspaceId,
  signal,
  ...asked
}: RequestOptions): Promise<Response> {
  const headers = new Headers({ accept: 'application/json', ...asked.headers });
  if (workspaceId !== null) headers.set(WORKSPACE_HEADER, workspaceId);
  // The service accepts unsafe methods from pages only with a JSON body.
  if (method !== 'GET') headers.set('content-type', 'application/json');
  try {
    return await fetch(buildUrl(path, query), {
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

/** Returns the path with its query string. */
export function buildUrl(path: string, query: RequestQuery = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
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
