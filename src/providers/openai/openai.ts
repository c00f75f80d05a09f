import { refuseAnyKey, setKey } from '../keys.ts';
import type { FreeRoute, InferenceRoute, NoRoute, Provider, ProviderRoute } from '../provider.ts';
import { freeRoute, noRoute, refusePath, withoutSlash, wrongMethod } from '../routes.ts';
import { chatRoute } from './chat-request.ts';
import { OPENAI_CLIENTS, OPENAI_FIRST_CALL } from './clients.ts';
import { embeddingsRoute } from './embeddings-request.ts';
import { renderOpenaiError } from './errors.ts';
import { responsesRoute } from './responses-request.ts';

/** What a provider of this form answers, by path without the version. */
export type OperationRoutes = Readonly<Record<string, InferenceRoute>>;

const OPERATIONS: OperationRoutes = {
  '/chat/completions': chatRoute({
    obeysMaxPrice: false,
    prefix: '/v1',
    includeUsage: true,
    maxima: ['max_completion_tokens', 'max_tokens'],
    own: true,
    harmless: [],
  }),
  '/responses': responsesRoute('/v1'),
  '/embeddings': embeddingsRoute('/v1'),
};

export const openai: Provider = {
  id: 'openai',
  name: 'OpenAI',
  priceProvider: 'openai',
  pricesListed: 'always',
  largest: { contextWindow: null, outputTokens: null, outputBesideWindow: null },
  url: 'https://api.openai.com',
  // Given with or without the `/v1` that its clients write.
  readUrl: (url) => url.replace(/\/v1$/, ''),
  clientPath: '/v1',
  firstCall: OPENAI_FIRST_CALL,
  clients: OPENAI_CLIENTS,
  hasReports: true,
  route: (method, rest) => routeOperation(OPERATIONS, '/v1', method, rest),
  authorize: (headers, key) => setKey(headers, 'authorization', `Bearer ${key}`),
  defaultHeaders: {},
  // Addresses at Azure want a version, and Codex says its own when it lists models.
  queryParameters: ['api-version', 'client_version'],
  requestIdHeader: 'x-request-id',
  modelListPath: '/v1/models',
  refuseKey: refuseOpenaiKey,
  renderError: renderOpenaiError,
};

/** Clients write paths with and without the `/v1` that belongs to the base address. */
export function routeOperation(
  operations: OperationRoutes,
  prefix: string,
  method: string,
  rest: string,
): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const path = withoutSlash(rest);
  const name = path.replace(/^\/v1(?=\/)/, '');
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation) return method === 'POST' ? operation : wrongMethod(method, path, 'POST');
  if (/^\/models(\/.+)?$/.test(name))
    return method === 'GET' ? modelList(prefix, name) : wrongMethod(method, path, 'GET');
  const served = [...Object.keys(operations).map((known) => `POST ${known}`), 'GET /models'].join(', ');
  return noRoute(404, `There is no ${path || '/'} here. Served, with and without /v1: ${served}.`);
}

function modelList(prefix: string, path: string): FreeRoute {
  return freeRoute(`${prefix}${path}`);
}

function refuseOpenaiKey(key: string): string | null {
  if (key.startsWith('sk-admin-'))
    return 'This is an admin key: it reads reports and cannot run models. Give an ordinary API key here.';
  return refuseAnyKey(key);
}
