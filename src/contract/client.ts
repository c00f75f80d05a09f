import type { HttpMethod } from './route.ts';
import type { RouteKey, RouteRequest } from './routes.ts';

/** A request of the typed client, ready to send. */
export interface ClientRequest {
  readonly method: HttpMethod;
  /** Path with its parameters and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; absent = no body. */
  readonly body?: string;
}

interface RequestParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
}

/** Builds a request from a route and its parts. The types check the parts; at run time only the key is needed. */
export function buildRequest<Key extends RouteKey>(key: Key, parts: RouteRequest<Key>): ClientRequest {
  const { params = {}, query = {}, body, ifMatch } = parts as RequestParts;
  const [method, template] = key.split(' ', 2) as [HttpMethod, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) for (const one of [value].flat()) search.append(name, String(one));
  return {
    method,
    path: search.size === 0 ? path : `${path}?${search.toString()}`,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}
