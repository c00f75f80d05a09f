import type { z } from 'zod';
import type { AccessRight, TokenScope } from '../domain/identity/access.ts';

/** One endpoint: the shapes that check its requests, type its handler and its callers, and write the OpenAPI document. */
export interface Route {
  readonly summary: string;
  readonly description?: string;
  /** Scope that an access token needs; null = public. */
  readonly scope: TokenScope | null;
  /** Right that a person needs. `operate` and `folder` concern the whole installation; tokens never have them. */
  readonly right: AccessRight | 'public';
  /** Takes a password or a code. Attempts are counted by client address before the body is read. */
  readonly countsAttempt?: boolean;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Error type of a well-formed body that does not fit its shape. Default: `invalid`. */
  readonly refusal?: 'invalid' | 'unprocessable';
  /**
   * Content types of a body that is not read as JSON of a shape. Clients send telemetry without asking, so these requests
   * have a request limit of their own.
   */
  readonly bodyTypes?: readonly string[];
  readonly response: z.ZodType;
  /** Changes one record. With the header If-Match, only if the record still has that `etag`; otherwise 412. */
  readonly ifMatch?: true;
  /** Default: 200. */
  readonly status?: 200 | 201;
  /** Content types of a response that is not JSON. */
  readonly streams?: readonly string[];
}

/** Routes by method and path; names in braces are parameters of the path. */
export type RouteTable = Readonly<Record<`${HttpMethod} /${string}`, Route>>;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body is only read, so a client may build it from constants. */
export type SentBody<Body> = Body extends readonly (infer Item)[]
  ? readonly SentBody<Item>[]
  : Body extends object
    ? { readonly [Name in keyof Body]: SentBody<Body[Name]> }
    : Body;
