import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { renderErrorResponse } from './http/answer-error.ts';
import { checkAllowed } from './http/caller.ts';
import { Authenticator } from './http/authenticator.ts';
import { DashboardSite } from './http/dashboard-site.ts';
import type { HttpMethod } from '../contract/route.ts';
import type { Endpoint } from './http/endpoint.ts';
import { endpoints } from './endpoints.ts';
import { alertPage, homePage, TEXT_PAGE_HEADERS } from './http/home-page.ts';
import { openApiDocument } from './http/openapi.ts';
import { readJsonBody } from './http/read-body.ts';
import { isOptional, readParameters, rejectUnknownParameters } from './http/read-shape.ts';
import type { Services } from './services.ts';
import { readRequestInfo } from './http/request-info.ts';

/**
 * Transport of a request: `owner` for the control socket and for commands that open the folder themselves. The default
 * is `public`, which needs an access token or a session.
 */
export interface Transport {
  readonly caller?: 'owner' | 'public';
}

interface ApiEnvironment {
  Bindings: Transport;
  Variables: { requestId: string };
}

export type Api = Hono<ApiEnvironment>;

/**
 * Creates the HTTP API and the dashboard site, without the proxy and the health endpoints: `app.fetch(request,
 * transport)`.
 */
export function createApi(services: Services): Api {
  const app: Api = new Hono<ApiEnvironment>();
  const authenticator = new Authenticator(services);
  const dashboard = DashboardSite.of(services.site);
  let document: string | null = null;

  app.use(async (context, next) => {
    const requestId = `req_${randomUUID()}`;
    context.set('requestId', requestId);
    context.header('x-request-id', requestId);
    context.header('cache-control', 'no-store');
    context.header('x-content-type-options', 'nosniff');
    await next();
  });
  const showHome: RouteHandler = (context) =>
    dashboard?.page(context) ?? context.html(homePage(services), 200, TEXT_PAGE_HEADERS);
  serveMethods(app, '/', new Map([['GET', showHome]]));
  const showAlert: RouteHandler = (context) =>
    dashboard?.page(context) ??
    context.html(alertPage(context.req.param('id') ?? '', services), 200, TEXT_PAGE_HEADERS);
  serveMethods(app, '/alerts/:id', new Map([['GET', showAlert]]));
  serveMethods(
    app,
    '/openapi.json',
    new Map([
      [
        'GET',
        (context) => {
          // Built at the first request for it, so that no start waits for it.
          document ??= JSON.stringify(openApiDocument(endpoints, services.settings));
          return context.body(document, 200, JSON_HEADERS);
        },
      ],
    ]),
  );
  for (const [path, byMethod] of groupByPath(endpoints)) {
    const handlers = new Map<HttpMethod, RouteHandler>();
    for (const [method, asked] of byMethod)
      handlers.set(method, (context) => answerEndpoint(context, asked, services, authenticator));
    serveMethods(app, path.replaceAll(/\{(\w+)\}/g, ':$1'), handlers);
  }
  app.notFound((context) => {
    const found = dashboard?.answer(context);
    if (found) return found;
    throw new TollbookError('not_found', `There is nothing at ${context.req.path}. /openapi.json lists all endpoints.`);
  });
  app.onError((error, context) => {
    const { status, headers, body } = renderErrorResponse(error, context.get('requestId'), services.log);
    return context.json(body, status, { ...headers });
  });
  return app;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

type RouteHandler = (context: Context<ApiEnvironment>) => Response | Promise<Response>;

/** Serves all methods of one path: HEAD is a GET without its body, OPTIONS lists the methods, other methods get a 405. */
function serveMethods(app: Api, path: string, handlers: ReadonlyMap<HttpMethod, RouteHandler>): void {
  const allow = [...handlers.keys(), ...(handlers.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  app.all(path, (context) => {
    const { method } = context.req;
    if (method === 'OPTIONS') return context.body(null, 204, { allow });
    const handler = handlers.get((method === 'HEAD' ? 'GET' : method) as HttpMethod);
    if (handler) return handler(context);
    context.header('allow', allow);
    throw new TollbookError(
      'method_not_allowed',
      `${context.req.path} does not support ${method}. Use one of ${allow}.`,
    );
  });
}

/**
 * Groups endpoints by path. Paths with parameters come last, so that `/prices/refresh` is not read as a price with the
 * id `refresh`.
 */
function groupByPath(list: readonly Endpoint<Services>[]): [string, Map<HttpMethod, Endpoint<Services>>][] {
  const paths = new Map<string, Map<HttpMethod, Endpoint<Services>>>();
  for (const one of list) {
    const methods = paths.get(one.path) ?? new Map<HttpMethod, Endpoint<Services>>();
    paths.set(one.path, methods.set(one.method, one));
  }
  return [...paths].toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')));
}

async function answerEndpoint(
  context: Context<ApiEnvironment>,
  asked: Endpoint<Services>,
  services: Services,
  authenticator: Authenticator,
): Promise<Response> {
  const request = context.req.raw;
  const requestInfo = readRequestInfo(request);
  const setHeader = (name: string, value: string): void => context.header(name, value);
  // In-process requests have no environment.
  const transport: Transport | undefined = context.env;
  const caller = await authenticator.admit({
    request,
    requestInfo,
    asked,
    owner: transport?.caller === 'owner',
    setHeader,
  });
  if (caller) checkAllowed(caller, asked);
  const query = readParameters(new URL(context.req.url));
  if (caller) rejectUnknownParameters(query, asked.query);
  if (asked.countsAttempt) await services.accounts.countAttempt(requestInfo);
  const bodyBytesMax = caller ? LIMITS.apiBodyBytesMax : LIMITS.publicBodyBytesMax;
  const result = await asked.run(
    {
      caller,
      requestInfo,
      path: context.req.param(),
      query: asked.query && query,
      body: asked.body && (await readJsonBody(request, isOptional(asked.body), bodyBytesMax)),
      request,
      ifMatch: asked.ifMatch ? request.headers.get('if-match') : null,
    },
    services,
  );
  // Telemetry changes nothing that the gateway applies, and arrives often.
  const changesGateway = asked.method !== 'GET' && caller !== null && !asked.bodyTypes;
  if (changesGateway) await waitUntilApplied(services, context);
  for (const cookie of requestInfo.cookies) context.header('set-cookie', cookie, { append: true });
  if (!(result instanceof Response)) {
    const etag = readEtag(result);
    if (etag !== null) context.header('etag', `"${etag}"`);
    return context.json(result, asked.status);
  }
  for (const [name, value] of result.headers) context.header(name, value);
  return result.body ? context.body(result.body) : context.body(null);
}

/** Returns the version of the record that an answer describes; null = it does not describe one that can be changed. */
function readEtag(result: unknown): string | null {
  const isRecord = typeof result === 'object' && result !== null && 'etag' in result;
  return isRecord && typeof result.etag === 'string' ? result.etag : null;
}

/** Waits until a change is in force before its answer is sent, or adds a warning that it is not yet. */
async function waitUntilApplied({ gateway }: Services, context: Context<ApiEnvironment>): Promise<void> {
  if (!(await gateway.whenApplied())) context.header('x-svc-warning', 'saved; the gateway applies it shortly');
}
