import { refuseAnyKey, setKey } from '../provider-key.ts';
import type {
  BatchRoute,
  FirstCall,
  InferenceRoute,
  MakeClientLines,
  NoRoute,
  Provider,
  ProviderError,
  ProviderRoute,
  RenderedError,
  SocketRoute,
} from '../provider.ts';
import { noRoute, refusePath, renderJson, withoutSlash, wrongMethod } from '../routes.ts';
import { chatgptLogin } from './chatgpt.ts';
import { readNoCost } from '../stated-cost.ts';
import { langchainLines, litellmLines, opencodeLines, vercelLines } from '../framework-lines.ts';
import { type ChatForm, chatRoute } from './chat-request.ts';
import { batchForm, openaiBatchesRoute } from './batches.ts';
import { embeddingsRoute } from './embeddings-request.ts';
import { completionsRoute } from './completions-request.ts';
import {
  BATCH_FREE,
  COMPATIBLE_FREE,
  findFreeRoute,
  type FreePath,
  freePathNames,
  OPENAI_FREE,
  OPENAI_REFUSED,
  type RefusedPath,
} from './free-routes.ts';
import { imageEditsRoute, imagesRoute } from './image-request.ts';
import { compactRoute, responseCreateRoute, responsesRoute } from './responses-request.ts';
import { responsesSocket } from './responses-socket.ts';
import { speechRoute } from './speech.ts';
import { transcriptionRoute } from './transcription.ts';
import { type ClientProgram, python, typescript } from '../client-lines.ts';

/** `type` and `code` by status: OpenAI's guide "Error codes". */
const SHAPES: Readonly<Record<number, readonly [type: string, code: string]>> = {
  401: ['invalid_request_error', 'invalid_api_key'],
  402: ['insufficient_quota', 'insufficient_quota'],
  403: ['invalid_request_error', 'permission_denied'],
  404: ['invalid_request_error', 'not_found'],
  413: ['invalid_request_error', 'request_too_large'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
  502: ['server_error', 'upstream_unreachable'],
  503: ['server_error', 'unavailable'],
  504: ['server_error', 'upstream_timeout'],
};

export function renderOpenaiError(error: ProviderError): RenderedError {
  const [type, code] =
    SHAPES[error.status] ?? (error.status < 500 ? ['invalid_request_error', null] : ['server_error', null]);
  const details = error.facts && { details: error.facts };
  return renderJson(error, { error: { message: error.message, type, param: error.param ?? null, code, ...details } });
}

const OPENAI_FIRST_CALL: FirstCall = { path: '/responses', body: ['{"model":"gpt-6-luna","input":"Hello"}'] };

const RESPONSES = {
  typescript: ['const answer = await client.responses.create({', "  model: 'gpt-6-luna',", "  input: 'Hello',", '});'],
  python: ['answer = client.responses.create(model="gpt-6-luna", input="Hello")'],
};

const OPENAI_CLIENTS: readonly MakeClientLines[] = [
  ...openaiLibraries(RESPONSES),
  (address) => ({
    client: 'Codex: at the top of ~/.codex/config.toml, above any [section]',
    // Dotted keys, because a section would absorb the settings after it in the user's file.
    lines: [
      'model_provider = "tollbook"',
      'model_providers.tollbook.name = "Tollbook"',
      `model_providers.tollbook.base_url = "${address}"`,
      'model_providers.tollbook.env_key = "TOLLBOOK_KEY"',
      'model_providers.tollbook.wire_api = "responses"',
    ],
  }),
  (_, key) => ({ client: 'and then, in a shell', lines: [`TOLLBOOK_KEY=${key} codex`] }),
  vercelLines('@ai-sdk/openai', 'createOpenAI', 'gpt-6-luna'),
  langchainLines('langchain-openai', 'ChatOpenAI', 'gpt-6-luna'),
  litellmLines('openai/gpt-6-luna'),
  opencodeLines('openai'),
  (address, key) => ({
    client: 'aider',
    lines: [`export OPENAI_API_BASE=${address}`, `export OPENAI_API_KEY=${key}`, 'aider --model openai/gpt-6-luna'],
  }),
];

/** Returns the lines for OpenAI's libraries with a call of one operation. */
export function openaiLibraries(
  call: Record<'typescript' | 'python', ClientProgram['call']>,
): readonly MakeClientLines[] {
  return [
    (address, key) =>
      typescript('openai', 'OpenAI', [`apiKey: '${key}',`, `baseURL: '${address}',`], {
        import: "import OpenAI from 'openai';",
        call: call.typescript,
      }),
    (address, key) =>
      python('openai', 'OpenAI', [`api_key="${key}",`, `base_url="${address}",`], {
        import: 'from openai import OpenAI',
        call: call.python,
      }),
  ];
}

/** Routes of an OpenAI-compatible provider, by path without the version. */
type OperationRoutes = Readonly<Record<string, InferenceRoute>>;

export const OPENAI_FORM: ChatForm = {
  obeysMaxPrice: false,
  prefix: '/v1',
  includeUsage: true,
  maxima: ['max_completion_tokens', 'max_tokens'],
  own: true,
  thinksBeyondMax: () => false,
  readCost: readNoCost,
  harmless: [],
  deployments: null,
};

/** Returns the routes of OpenAI's own API. */
export function openaiOperations(form: ChatForm): OperationRoutes {
  const { prefix, deployments, readCost } = form;
  const pictures = { prefix, deployments, readCost };
  return {
    '/chat/completions': chatRoute(form),
    '/responses': responsesRoute({ ...form, mayRunOn: true }),
    '/responses/compact': compactRoute(form),
    '/embeddings': embeddingsRoute(form),
    '/completions': completionsRoute(form),
    '/images/generations': imagesRoute(pictures),
    '/images/edits': imageEditsRoute(pictures),
    '/audio/speech': speechRoute(prefix, deployments),
    '/audio/transcriptions': transcriptionRoute('transcriptions', prefix, deployments),
    '/audio/translations': transcriptionRoute('translations', prefix, deployments),
  };
}

const OPERATIONS = openaiOperations(OPENAI_FORM);
const SERVED: ServedPaths = {
  operations: OPERATIONS,
  sockets: { '/responses': responsesSocket('/v1', responseCreateRoute(OPENAI_FORM)) },
  batches: openaiBatchesRoute(OPERATIONS),
  free: [...OPENAI_FREE, ...BATCH_FREE],
  refused: OPENAI_REFUSED,
  prefix: '/v1',
};

const base: Omit<Provider, 'subscription' | 'regional'> = {
  id: 'openai',
  name: 'OpenAI',
  priceProvider: 'openai',
  pricesListed: 'always',
  largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
  url: 'https://api.openai.com',
  // The URL may be entered with or without the `/v1` that clients use.
  readUrl: (url) => url.replace(/\/v1$/, ''),
  clientPath: '/v1',
  firstCall: OPENAI_FIRST_CALL,
  clients: OPENAI_CLIENTS,
  hasReports: true,
  route: (method, rest) => routeOperation(SERVED, method, rest),
  authorize: (headers, key) => setKey(headers, 'authorization', `Bearer ${key}`),
  defaultHeaders: {},
  // Azure requires a version, and Codex sends its own when it lists models.
  queryParameters: ['api-version', 'client_version'],
  accountHeaders: ['openai-organization', 'openai-project'],
  requestIdHeader: 'x-request-id',
  backgroundPath: '/v1/responses',
  modelListPath: '/v1/models',
  refuseKey: refuseOpenaiKey,
  renderError: renderOpenaiError,
  batches: batchForm(OPERATIONS),
};

export const openai: Provider = {
  ...base,
  // OpenAI docs, "Data residency": `eu.api.openai.com`.
  regional: true,
  subscription: chatgptLogin(
    base,
    (served, method, rest) =>
      routeOperation({ ...served, batches: null, free: COMPATIBLE_FREE, refused: [], prefix: '' }, method, rest),
    { ...OPENAI_FORM, prefix: '' },
  ),
};

/** Paths that a provider serves, without the version. */
export interface ServedPaths {
  readonly operations: OperationRoutes;
  /** WebSockets; absent = none. */
  readonly sockets?: Readonly<Record<string, SocketRoute>>;
  /** Batches of requests; null, absent = none. */
  readonly batches?: BatchRoute | null;
  readonly free: readonly FreePath[];
  readonly refused: readonly RefusedPath[];
  /** Path prefix upstream, for example `/v1`. */
  readonly prefix: string;
}

/** Finds the route of a path with or without the `/v1` of the base URL. */
export function routeOperation(served: ServedPaths, method: string, rest: string): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const { operations, sockets = {}, batches = null, free, prefix } = served;
  const path = withoutSlash(rest);
  const name = path.replace(/^\/v1(?=\/)/, '');
  if (method === 'GET' && Object.hasOwn(sockets, name)) return sockets[name]!;
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation) return method === 'POST' ? operation : wrongMethod(method, path, 'POST');
  if (batches && name === BATCHES_PATH)
    return method === 'POST' ? batches : { ...wrongMethod(method, path, 'POST'), reason: NO_BATCH_LIST };
  return findFreeRoute(free, method, name, prefix) ?? refuseUnserved(served, path, name);
}

const BATCHES_PATH = '/batches';
const NO_BATCH_LIST =
  'Lists of batches are not served: they show what other keys have sent. Ask for a batch by its id.';

function refuseUnserved({ operations, batches, free, refused }: ServedPaths, path: string, name: string): NoRoute {
  const reason = refused.find(([pattern]) => pattern.test(name))?.[1] ?? `Unknown path ${path || '/'}.`;
  const paid = Object.keys(operations).map((known) => `POST ${known}`);
  const paths = batches ? [...paid, `POST ${BATCHES_PATH}`] : paid;
  const served = [...paths, ...freePathNames(free)].join(', ');
  return noRoute(404, `${reason} Served paths, with and without /v1: ${served}.`);
}

function refuseOpenaiKey(key: string): string | null {
  if (key.startsWith('sk-admin-'))
    return 'This is an admin key, which reads reports and cannot call models. Enter an API key.';
  return refuseAnyKey(key);
}
