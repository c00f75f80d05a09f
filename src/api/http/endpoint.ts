import type { z } from 'zod';
import type { HttpMethod, Route } from '../../contract/route.ts';
import {
  type PathParameters,
  type RouteBody,
  type RouteKey,
  type RouteQuery,
  type RouteResult,
  routes,
} from '../../contract/routes.ts';
import type { MemberRole, TokenScope } from '../../domain/identity/access.ts';
import type { Actor } from '../../storage/records/audit.ts';
import { requireMatch } from './if-match.ts';
import { readShape } from './read-shape.ts';
import type { RequestInfo } from './request-info.ts';

/** The authenticated caller, and the workspace of the request. */
export interface Caller {
  readonly actor: Actor;
  readonly workspaceId: string;
  /** The caller owns the data folder and uses the control socket. */
  readonly isOwner: boolean;
  /** The request named its workspace; always true for a token. */
  readonly namesWorkspace: boolean;
  readonly scopes: readonly TokenScope[];
  /** Role of a signed-in person in this workspace; null = the caller is not a person. */
  readonly role: MemberRole | null;
}

interface EndpointRequest<Key extends RouteKey> {
  readonly caller: Caller;
  readonly path: PathParameters<Key>;
  readonly query: RouteQuery<Key>;
  readonly body: RouteBody<Key>;
  /** Checks the condition that the client set, against the record as it is stored; null = there is none. */
  readonly requireMatch: (now: { readonly etag: string } | null) => void;
}

/** A route with its handler, and the services that the handler needs. */
export interface Endpoint<Needed = never> extends Route {
  readonly method: HttpMethod;
  readonly path: string;
  readonly status: 200 | 201;
  readonly streams: readonly string[];
  /** Takes a password or a code. Attempts are counted by client address before the body is read. */
  readonly countsAttempt: boolean;
  /** Validates the request and answers it. */
  run(raw: RawRequest, services: Needed): Promise<unknown>;
}

/** An unchecked request. */
interface RawRequest {
  /** null = the endpoint is public. */
  readonly caller: Caller | null;
  readonly requestInfo: RequestInfo;
  readonly path: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** The request itself, for a body that is not JSON of a shape. */
  readonly request: Request;
  /** The header If-Match; null = none, or the route has no conditions. */
  readonly ifMatch: string | null;
}

/** Handles a route of the contract. A route with `streams` may answer with a `Response`. */
export function endpoint<Key extends RouteKey, Needed = unknown>(
  key: Key,
  handle: (request: EndpointRequest<Key>, services: Needed) => Promise<RouteResult<Key> | Response>,
): Endpoint<Needed> {
  const route: Route = routes[key];
  return build(key, ({ caller, path, query, body, ifMatch }, services) =>
    handle(
      {
        caller: requireCaller(caller),
        path: path,
        query: readShape<z.ZodType>(route.query, query) as RouteQuery<Key>,
        body: readShape<z.ZodType>(route.body, body, route.refusal) as RouteBody<Key>,
        requireMatch: (now) => requireMatch(ifMatch, now),
      },
      services,
    ),
  );
}

/** Handles a route with `bodyTypes`, whose handler reads the body itself. */
export function rawEndpoint<Needed>(
  key: RouteKey,
  handle: (request: { readonly caller: Caller; readonly request: Request }, services: Needed) => Promise<Response>,
): Endpoint<Needed> {
  return build(key, ({ caller, request }, services) => handle({ caller: requireCaller(caller), request }, services));
}

/** Handles a public route: anyone may call it, with or without a session. */
export function publicEndpoint<Key extends RouteKey, Needed = unknown>(
  key: Key,
  handle: (
    request: { readonly requestInfo: RequestInfo; readonly body: RouteBody<Key> },
    services: Needed,
  ) => Promise<RouteResult<Key>>,
): Endpoint<Needed> {
  const route: Route = routes[key];
  return build(key, ({ requestInfo, body }, services) =>
    handle({ requestInfo, body: readShape<z.ZodType>(route.body, body) as RouteBody<Key> }, services),
  );
}

function build<Needed>(key: RouteKey, run: Endpoint<Needed>['run']): Endpoint<Needed> {
  const route: Route = routes[key];
  const [method, path] = key.split(' ', 2) as [HttpMethod, string];
  return {
    ...route,
    method,
    path,
    status: route.status ?? 200,
    streams: route.streams ?? [],
    countsAttempt: route.countsAttempt ?? false,
    run,
  };
}

function requireCaller(caller: Caller | null): Caller {
  if (caller) return caller;
  throw new Error('Request to a protected endpoint without a caller.');
}
