import { refuseAnyKey, setKey } from '../keys.ts';
import type { NoRoute, Provider, ProviderRoute } from '../provider.ts';
import { freeRoute, noRoute, refusePath, withoutSlash, wrongMethod } from '../routes.ts';
import { GOOGLE_CLIENTS, GOOGLE_FIRST_CALL } from './clients.ts';
import { renderGoogleError } from './errors.ts';
import { bareRoute, generateRoute, MODEL_NAME } from './request.ts';

const SERVED =
  'Served here under /v1 and /v1beta: POST /models/{model}:generateContent, :streamGenerateContent, :countTokens, and GET /models.';
const MODEL_PATH = /^\/(v1|v1beta)\/models(?:\/([^/:]+)(?::([A-Za-z]+))?)?$/;

export const google: Provider = {
  id: 'google',
  name: 'Google',
  priceProvider: 'google',
  pricesListed: 'always',
  // The windows of its models are the input limits; the output limit comes on top.
  largest: { contextWindow: null, outputTokens: null, outputBesideWindow: 65_536 },
  url: 'https://generativelanguage.googleapis.com',
  clientPath: '',
  firstCall: GOOGLE_FIRST_CALL,
  clients: GOOGLE_CLIENTS,
  hasReports: false,
  route: routeGoogle,
  authorize: (headers, key) => setKey(headers, 'x-goog-api-key', key),
  defaultHeaders: {},
  queryParameters: ['alt=sse', 'alt=json', 'pageSize', 'pageToken'],
  requestIdHeader: 'x-request-id',
  modelListPath: '/v1beta/models',
  refuseKey: refuseAnyKey,
  renderError: renderGoogleError,
};

function routeGoogle(method: string, rest: string): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const path = withoutSlash(rest);
  if (path === '') return method === 'POST' ? bareRoute : wrongMethod(method, '/', 'POST');
  const [, version, model, action] = MODEL_PATH.exec(path) ?? [];
  if (version === undefined) return noRoute(404, `There is no ${path} here. ${SERVED}`);
  if (model !== undefined && !MODEL_NAME.test(model))
    return noRoute(400, `"${model}" is no model name: use letters, digits, ".", "_" and "-".`);
  if (model === undefined || action === undefined)
    return method === 'GET' ? freeRoute(path) : wrongMethod(method, path, 'GET');
  return actionRoute(method, path, version, model, action);
}

function actionRoute(
  method: string,
  path: string,
  version: string,
  model: string,
  action: string,
): ProviderRoute | NoRoute {
  switch (action) {
    case 'generateContent':
    case 'streamGenerateContent':
      return method === 'POST' ? generateRoute(version, model, action) : wrongMethod(method, path, 'POST');
    case 'countTokens':
      return method === 'POST' ? freeRoute(path) : wrongMethod(method, path, 'POST');
    default:
      return noRoute(404, `":${action}" is not served: its cost can't be known. ${SERVED}`);
  }
}
