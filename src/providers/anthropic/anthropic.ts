import { refuseAnyKey, setKey } from '../keys.ts';
import type { NoRoute, Provider, ProviderRoute } from '../provider.ts';
import { freeRoute, noRoute, refusePath, withoutSlash, wrongMethod } from '../routes.ts';
import { ANTHROPIC_CLIENTS, ANTHROPIC_FIRST_CALL } from './clients.ts';
import { renderAnthropicError } from './errors.ts';
import { messagesRoute } from './request.ts';

const SERVED = 'Served here: POST /v1/messages, POST /v1/messages/count_tokens, GET /v1/models.';
const COUNT_PATH = '/v1/messages/count_tokens';

export const anthropic: Provider = {
  id: 'anthropic',
  name: 'Anthropic',
  priceProvider: 'anthropic',
  pricesListed: 'always',
  largest: { contextWindow: null, outputTokens: null, outputBesideWindow: null },
  url: 'https://api.anthropic.com',
  clientPath: '',
  firstCall: ANTHROPIC_FIRST_CALL,
  clients: ANTHROPIC_CLIENTS,
  hasReports: true,
  route: routeAnthropic,
  authorize: (headers, key) => setKey(headers, 'x-api-key', key),
  defaultHeaders: { 'anthropic-version': '2023-06-01' },
  queryParameters: ['beta', 'limit', 'before_id', 'after_id'],
  requestIdHeader: 'request-id',
  modelListPath: '/v1/models',
  refuseKey: refuseAnthropicKey,
  renderError: renderAnthropicError,
};

function routeAnthropic(method: string, rest: string): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const path = withoutSlash(rest);
  if (path === '' || path === '/v1/messages')
    return method === 'POST' ? messagesRoute : wrongMethod(method, path || '/', 'POST');
  if (path === COUNT_PATH || path === '/count_tokens')
    return method === 'POST' ? freeRoute(COUNT_PATH) : wrongMethod(method, path, 'POST');
  if (/^\/v1\/models(\/[^/]+)?$/.test(path))
    return method === 'GET' ? freeRoute(path) : wrongMethod(method, path, 'GET');
  if (path.startsWith('/v1/messages/batches'))
    return noRoute(404, `Batches are not served yet: their usage arrives in another answer. ${SERVED}`);
  return noRoute(404, `There is no ${path} here. ${SERVED}`);
}

function refuseAnthropicKey(key: string): string | null {
  if (key.startsWith('sk-ant-admin'))
    return 'This is an admin key: it reads reports and cannot run models. Give an ordinary API key here.';
  return refuseAnyKey(key);
}
