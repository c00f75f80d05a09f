import type { z } from 'zod';
import type { AccessRight, MemberRole, TokenScope } from '../../domain/identity/access.ts';
import type { Actor } from '../../storage/records/audit.ts';
import { readShape } from './read-shape.ts';
import type { Services } from '../services.ts';
import type { RequestInfo } from './request-info.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who asks, and in which workspace the answer is to be found. */
export interface Caller {
  readonly actor: Actor;
  readonly workspaceId: string;
  /** Owns the data folder: came through the control socket. */
  readonly isOwner: boolean;
  /** The request said which workspace it is about; a token always does. */
  readonly namesWorkspace: boolean;
  readonly scopes: readonly TokenScope[];
  /** What a person who is signed in is in this workspace; null = no person asks. */
  readonly role: MemberRole | null;
}

/** Names in braces of a path: `/keys/{id}` gives `id`. */
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

interface EndpointRequest<Path extends string, Query, Body> {
  readonly caller: Caller;
  readonly path: Readonly<Record<PathNames<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** One endpoint, said once: the same shapes check requests, type the handler and write the OpenAPI document. */
export interface Declaration<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> {
  readonly method: HttpMethod;
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  /** What an access token needs. */
  readonly scope: TokenScope;
  /** What a person needs. What concerns the whole installation (`operate`, `folder`) is for no token. */
  readonly right: AccessRight;
  readonly query?: Query;
  readonly body?: Body;
  /** What a well-formed body that does not fit its shape is. Default: `invalid`. */
  readonly refusal?: 'invalid' | 'unprocessable';
  readonly answer: Answer;
  /** Default: 200. */
  readonly status?: 200 | 201;
  /** Content types of an answer that is not JSON; the handler then returns a `Response`. */
  readonly streams?: readonly string[];
  handle(
    asked: EndpointRequest<Path, z.output<Query>, z.output<Body>>,
    services: Services,
  ): Promise<z.input<Answer> | Response>;
}

/** What is left of a declaration once its types have done their work. */
export interface Endpoint {
  readonly method: HttpMethod;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  /** null = it is public. */
  readonly scope: TokenScope | null;
  /** `public`: for whoever asks. */
  readonly right: AccessRight | 'public';
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly answer: z.ZodType;
  readonly status: 200 | 201;
  readonly streams: readonly string[];
  /** Takes a password or a code: counted by client address before the body is read. */
  readonly countsAttempt: boolean;
  /** Checks the request against its shapes and answers it. */
  run(raw: RawRequest, services: Services): Promise<unknown>;
}

/** A request as it came, nothing of it checked. */
interface RawRequest {
  /** null = the endpoint is public. */
  readonly caller: Caller | null;
  readonly visit: RequestInfo;
  readonly path: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

export function endpoint<
  const Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodType,
>(declared: Declaration<Path, Query, Body, Answer>): Endpoint {
  return {
    method: declared.method,
    path: declared.path,
    summary: declared.summary,
    description: declared.description,
    scope: declared.scope,
    right: declared.right,
    query: declared.query,
    body: declared.body,
    answer: declared.answer,
    status: declared.status ?? 200,
    streams: declared.streams ?? [],
    countsAttempt: false,
    run: (raw, services) =>
      declared.handle(
        {
          caller: requireCaller(raw.caller),
          path: raw.path,
          query: readShape(declared.query, raw.query),
          body: readShape(declared.body, raw.body, declared.refusal),
        },
        services,
      ),
  };
}

function requireCaller(caller: Caller | null): Caller {
  if (caller) return caller;
  throw new Error('An endpoint that is not public was asked by nobody.');
}

interface PublicDeclaration<Body extends z.ZodType, Answer extends z.ZodType> {
  readonly method: HttpMethod;
  readonly path: string;
  readonly summary: string;
  readonly body?: Body;
  readonly answer: Answer;
  /** Default: false. */
  readonly countsAttempt?: boolean;
  handle(
    asked: { readonly visit: RequestInfo; readonly body: z.output<Body> },
    services: Services,
  ): Promise<z.input<Answer>>;
}

/** One that whoever asks may ask, with a session or without. */
export function publicEndpoint<Body extends z.ZodType = z.ZodUndefined, Answer extends z.ZodType = z.ZodType>(
  declared: PublicDeclaration<Body, Answer>,
): Endpoint {
  const { method, path, summary, body, answer, countsAttempt = false } = declared;
  return {
    method,
    path,
    summary,
    description: undefined,
    scope: null,
    right: 'public',
    query: undefined,
    body,
    answer,
    status: 200,
    streams: [],
    countsAttempt,
    run: (raw, services) => declared.handle({ visit: raw.visit, body: readShape(body, raw.body) }, services),
  };
}
