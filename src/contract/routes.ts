import type { SentBody } from './route.ts';
import type { z } from 'zod';
import { accountRoutes } from './routes/accounts.ts';
import { alertRoutes } from './routes/alerts.ts';
import { assistantRoutes } from './routes/assistants.ts';
import { keyRoutes } from './routes/keys.ts';
import { limitRoutes } from './routes/limits.ts';
import { observedRoutes } from './routes/observed.ts';
import { refusalRoutes } from './routes/refusals.ts';
import { savingRoutes } from './routes/savings.ts';
import { usageRoutes } from './routes/usage.ts';
import { workspaceRoutes } from './routes/workspaces.ts';

/** Every endpoint of the API. The server, the OpenAPI document and the typed client are made from this table. */
export const routes = {
  ...accountRoutes,
  ...usageRoutes,
  ...savingRoutes,
  ...assistantRoutes,
  ...observedRoutes,
  ...alertRoutes,
  ...keyRoutes,
  ...limitRoutes,
  ...refusalRoutes,
  ...workspaceRoutes,
} as const;

type Routes = typeof routes;
export type RouteKey = keyof Routes;

/** Names of the parameters of a path: `/keys/{id}` gives `id`. */
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;
export type PathParameters<Key extends RouteKey> = Readonly<Record<PathNames<Key>, string>>;

type ShapeOf<Key extends RouteKey, Part extends 'query' | 'body'> = Routes[Key] extends {
  readonly [Name in Part]: infer Shape extends z.ZodType;
}
  ? Shape
  : z.ZodUndefined;

/** Validated values that a handler receives, with defaults. */
export type RouteQuery<Key extends RouteKey> = z.output<ShapeOf<Key, 'query'>>;
export type RouteBody<Key extends RouteKey> = z.output<ShapeOf<Key, 'body'>>;
/** Values that a handler returns and a client receives. */
export type RouteResult<Key extends RouteKey> = z.input<Routes[Key]['response']>;
export type RouteResponse<Key extends RouteKey> = z.output<Routes[Key]['response']>;

/** Value of a query parameter as a client sends it: text, or a number. */
type Sent<Value> = string extends Value ? Value | number : Value;
type SentQuery<Query> = { readonly [Name in keyof Query]: Sent<Query[Name]> };

type OptionalIfEmpty<Name extends string, Value> = undefined extends Value
  ? { readonly [Key in Name]?: Value }
  : Partial<Value> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

/** `ifMatch`: the `etag` of the record as it was read. If it has changed since, the request fails with 412. */
type SentCondition<Key extends RouteKey> = Routes[Key] extends { readonly ifMatch: true }
  ? { readonly ifMatch?: string }
  : unknown;

/** Parts of a request that a client sends. */
export type RouteRequest<Key extends RouteKey> = OptionalIfEmpty<'params', PathParameters<Key>> &
  OptionalIfEmpty<'query', SentQuery<z.input<ShapeOf<Key, 'query'>>>> &
  OptionalIfEmpty<'body', SentBody<z.input<ShapeOf<Key, 'body'>>>> &
  SentCondition<Key>;
