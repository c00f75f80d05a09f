import type { IncomingHttpHeaders } from 'node:http';
import { refuseAnyKey, setKey } from '../provider-key.ts';
import { batchesRoute, MESSAGE_BATCHES } from './batches.ts';
import type {
  BatchRoute,
  ClientLines,
  DeploymentModels,
  FirstCall,
  InferenceRoute,
  MakeClientLines,
  NoRoute,
  Provider,
  ProviderError,
  ProviderRoute,
  RenderedError,
} from '../provider.ts';
import { freeRoute, noRoute, refusePath, renderJson, withoutSlash, wrongMethod } from '../routes.ts';
import { openaiBase } from '../openai/openai-base.ts';
import { type MessagesForm, messagesRoute } from './request.ts';
import { langchainLines, litellmLines, opencodeLines, vercelLines } from '../framework-lines.ts';
import { callClaudeInPython, callClaudeInTypescript } from './claude-lines.ts';
import { python, typescript } from '../client-lines.ts';

/** Anthropic API reference, "Errors". Other statuses use the type of their class. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
};

export function renderAnthropicError(error: ProviderError): RenderedError {
  const type = TYPES[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'api_error');
  const details = error.facts && { details: error.facts };
  return renderJson(error, {
    type: 'error',
    error: { type, message: error.message, ...details },
    request_id: error.callId,
  });
}

export const ANTHROPIC_FIRST_CALL: FirstCall = {
  path: '/v1/messages',
  body: ['{"model":"claude-haiku-4-5","max_tokens":64,', ' "messages":[{"role":"user","content":"Hello"}]}'],
};

const ANTHROPIC_CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    typescript('@anthropic-ai/sdk', 'Anthropic', [`apiKey: '${key}',`, `baseURL: '${address}',`], {
      import: "import Anthropic from '@anthropic-ai/sdk';",
      call: callClaudeInTypescript('claude-haiku-4-5'),
    }),
  (address, key) =>
    python('anthropic', 'Anthropic', [`api_key="${key}",`, `base_url="${address}",`], {
      import: 'from anthropic import Anthropic',
      call: callClaudeInPython('claude-haiku-4-5'),
    }),
  (address, key) => ({
    client: 'Claude Code',
    lines: [`export ANTHROPIC_BASE_URL=${address}`, `export ANTHROPIC_AUTH_TOKEN=${key}`, 'claude'],
  }),
  vercelLines('@ai-sdk/anthropic', 'createAnthropic', 'claude-haiku-4-5', '/v1'),
  langchainLines('langchain-anthropic', 'ChatAnthropic', 'claude-haiku-4-5'),
  litellmLines('anthropic/claude-haiku-4-5'),
  opencodeLines('anthropic', '/v1'),
  (address, key) => ({
    client: 'aider',
    lines: [
      `export ANTHROPIC_API_BASE=${address}`,
      `export ANTHROPIC_API_KEY=${key}`,
      'aider --model anthropic/claude-haiku-4-5',
    ],
  }),
];

const SERVED =
  'Served paths, with and without /v1: POST /messages, POST /messages/count_tokens, POST /messages/batches, GET /messages/batches/{id}, GET /models.';
const COUNT_PATH = '/v1/messages/count_tokens';

export const anthropic: Provider = {
  id: 'anthropic',
  name: 'Anthropic',
  priceProvider: 'anthropic',
  pricesListed: 'always',
  largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
  url: 'https://api.anthropic.com',
  clientPath: '',
  firstCall: ANTHROPIC_FIRST_CALL,
  clients: ANTHROPIC_CLIENTS,
  hasReports: true,
  route: (method, rest) => routeChat(method, rest) ?? routeOwn(method, rest),
  authorize: (headers, key) => setKey(headers, 'x-api-key', key),
  defaultHeaders: { 'anthropic-version': '2023-06-01' },
  queryParameters: ['beta', 'limit', 'before_id', 'after_id'],
  requestIdHeader: 'request-id',
  modelListPath: '/v1/models',
  refuseKey: refuseAnthropicKey,
  subscription: {
    refuseLogin: refuseAnthropicLogin,
    isBilledByUse: isExtraUsage,
    // Fast mode is billed as extra usage from the first token.
    speedsBilledByUse: ['fast'],
    clients: [claudeCodeLogin],
  },
  renderError: renderAnthropicError,
  batches: MESSAGE_BATCHES,
};

/** Anthropic docs, "OpenAI SDK compatibility": fields that it takes, or ignores. */
const CHAT = openaiBase({ prefix: '/v1', harmless: ['thinking'], unreported: () => null }).chat;
const routeOwn = routeMessages(null);

/** Returns the route of OpenAI's form; null = the path is another. */
function routeChat(method: string, rest: string): ProviderRoute | NoRoute | null {
  const path = withoutSlash(rest);
  if (path !== '/v1/chat/completions' && path !== '/chat/completions') return null;
  return method === 'POST' ? CHAT : wrongMethod(method, path, 'POST');
}

const UNVERSIONED = /^\/(?:messages|models)(?:\/|$)/;

/** Returns the routes of a provider that serves Anthropic's API. */
export function routeMessages(deployments: DeploymentModels | null, form?: MessagesForm): Provider['route'] {
  const messages = messagesRoute(deployments, form);
  // Others that serve the API have no batches, or other prices for them.
  const batches = deployments === null && !form ? batchesRoute(messages) : null;
  return (method, rest) => routeAnthropic(messages, batches, method, rest);
}

function routeAnthropic(
  messages: InferenceRoute,
  batches: BatchRoute | null,
  method: string,
  rest: string,
): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const asked = withoutSlash(rest);
  // The base URL of Anthropic's libraries has no version, that of Vercel's AI SDK has one.
  const path = UNVERSIONED.test(asked) ? `/v1${asked}` : asked;
  if (path === '' || path === '/v1/messages')
    return method === 'POST' ? messages : wrongMethod(method, path || '/', 'POST');
  if (path === COUNT_PATH || path === '/count_tokens')
    return method === 'POST' ? freeRoute(COUNT_PATH) : wrongMethod(method, path, 'POST');
  if (/^\/v1\/models(\/[^/]+)?$/.test(path))
    return method === 'GET' ? freeRoute(path) : wrongMethod(method, path, 'GET');
  if (path.startsWith('/v1/messages/batches')) return routeBatches(batches, method, path);
  return noRoute(404, `Unknown path ${path}. ${SERVED}`);
}

/** `…/batches`, `…/batches/{id}`, `…/batches/{id}/cancel`, `…/batches/{id}/results` */
function routeBatches(batches: BatchRoute | null, method: string, path: string): ProviderRoute | NoRoute {
  if (!batches) return noRoute(404, `Batches of this provider are not supported. ${SERVED}`);
  if (path === batches.upstreamPath)
    return method === 'POST' ? batches : { ...wrongMethod(method, path, 'POST'), reason: NO_LIST };
  const found = BATCH_PATH.exec(path);
  if (!found) return noRoute(404, `Unknown path ${path}. ${SERVED}`);
  const part = found[1] ?? '';
  const allowed = part === '/cancel' ? 'POST' : 'GET';
  if (method === 'DELETE' && part === '') return { ...wrongMethod(method, path, allowed), reason: NO_DELETION };
  if (method !== allowed) return wrongMethod(method, path, allowed);
  return part === '' ? { ...freeRoute(path), ownAddress: RESULTS_ADDRESS } : freeRoute(path);
}

const BATCH_PATH = /^\/v1\/messages\/batches\/msgbatch_\w+(\/cancel|\/results)?$/;
/** Clients fetch the results from the address that the batch names, which must be the gateway's. */
const RESULTS_ADDRESS = /("results_url"\s*:\s*")https?:\/\/[^"/]+[^"]*?(\/v1\/messages\/batches\/)/;
const NO_LIST = 'Lists of batches are not served: they show what other keys have sent. Ask for a batch by its id.';
const NO_DELETION =
  'Batches are not deleted through Tollbook, because their results say what they cost. The provider deletes them after 29 days.';

/** Tokens of a claude.ai login begin with `sk-ant-oat`; keys of the API and of admins are billed by use. */
function refuseAnthropicLogin(token: string): string | null {
  return token.startsWith('sk-ant-oat')
    ? null
    : 'This is not the token of a claude.ai login, so no subscription covers it. Log in with "claude /login", and unset ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN.';
}

/**
 * Reports whether extra usage pays for a call because the plan's own is used up. Claude Code 2.1.197 reads the same
 * headers.
 */
function isExtraUsage(headers: IncomingHttpHeaders): boolean {
  const read = (name: string): string => String(headers[`anthropic-ratelimit-unified-${name}`] ?? '');
  return (
    read('overage-in-use') === 'true' || (read('status') === 'rejected' && read('overage-status').startsWith('allowed'))
  );
}

function claudeCodeLogin(address: string, key: string): ClientLines {
  return {
    client: 'Claude Code, logged in to claude.ai',
    lines: [`export ANTHROPIC_BASE_URL=${address}`, `export ANTHROPIC_CUSTOM_HEADERS="x-svc-key: ${key}"`, 'claude'],
  };
}

function refuseAnthropicKey(key: string): string | null {
  if (key.startsWith('sk-ant-admin'))
    return 'This is an admin key, which reads reports and cannot call models. Enter an API key.';
  return refuseAnyKey(key);
}
