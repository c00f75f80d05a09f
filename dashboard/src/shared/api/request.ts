import { ApiError } from './api-error.ts';

export type RequestQuery = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Fields that are undefined or empty are left out. */
  readonly query?: RequestQuery;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** null = the request is about no workspace. */
  readonly workspaceId: string | null;
  readonly signal?: AbortSignal;
}

const WORKSPACE_HEADER = 'x-svc-workspace';

/**
 * One request to the service this page came from; the session's cookie goes along by itself.
 * @throws ApiError for every answer that is not the one asked for, and for none at all.
 */
export async function request<Answer>(asked: RequestOptions): Promise<Answer> {
  const answer = await send(asked);
  const text = await answer.text();
  if (!answer.ok) throw toApiError(answer, text);
  // Shapes are those of the service's own contract, which checks them on its side.
  return readJson(text) as Answer;
}

/**
 * Whether a file would be given; nothing of it is taken. What the browser saves by itself goes past the page, which would
 * never hear why there is none.
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
  // An empty body is JSON too: unsafe methods are taken from a page in no other form.
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

/** The path with its query, ready for a request or a link. */
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
