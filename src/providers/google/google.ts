import { refuseAnyKey, setKey } from '../provider-key.ts';
import type {
  FirstCall,
  MakeClientLines,
  NoRoute,
  Provider,
  ProviderError,
  ProviderRoute,
  RenderedError,
} from '../provider.ts';
import { freeRoute, noRoute, refusePath, renderJson, withoutSlash, wrongMethod } from '../routes.ts';
import type { RequestDemand } from '../../domain/limits/demand.ts';
import { openaiBase } from '../openai/openai-base.ts';
import { batchGenerateRoute, GEMINI_BATCHES } from './batches.ts';
import { batchEmbedRoute, embedRoute } from './embed-request.ts';
import { bareRoute, generateRoute, MODEL_NAME } from './request.ts';
import { litellmLines, vercelLines } from '../framework-lines.ts';
import { python, typescript } from '../client-lines.ts';
import type { ErrorFacts } from '../../domain/errors.ts';

/** Google API reference, "Errors", with the names of google.rpc.Code. */
const STATUS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function renderGoogleError(error: ProviderError): RenderedError {
  const status = STATUS[error.status] ?? (error.status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details: unknown[] = [];
  if (error.facts) details.push(errorInfo(error.type, error.facts));
  if (error.retryAfter !== undefined) details.push(retryInfo(error.retryAfter));
  return renderJson(error, {
    error: { code: error.status, message: error.message, status, ...(details.length > 0 && { details }) },
  });
}

/** Builds an ErrorInfo, whose values can only be texts. */
function errorInfo(type: string, facts: ErrorFacts): unknown {
  const reported = Object.entries(facts).filter(([, value]) => value !== null);
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: type.toUpperCase(),
    domain: 'tollbook',
    metadata: Object.fromEntries(reported.map(([name, value]) => [name, String(value)])),
  };
}

function retryInfo(seconds: number): Readonly<Record<string, string>> {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${Math.max(0, Math.ceil(seconds))}s` };
}

const GOOGLE_FIRST_CALL: FirstCall = {
  path: '/v1beta/models/gemini-2.5-flash:generateContent',
  body: ['{"contents":[{"parts":[{"text":"Hello"}]}]}'],
};

const GOOGLE_CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    typescript('@google/genai', 'GoogleGenAI', [`apiKey: '${key}',`, `httpOptions: { baseUrl: '${address}' },`], {
      import: "import { GoogleGenAI } from '@google/genai';",
      call: [
        'const answer = await client.models.generateContent({',
        "  model: 'gemini-2.5-flash',",
        "  contents: 'Hello',",
        '});',
      ],
    }),
  (address, key) =>
    python('google-genai', 'genai.Client', [`api_key="${key}",`, `http_options={"base_url": "${address}"},`], {
      import: 'from google import genai',
      call: ['answer = client.models.generate_content(', '    model="gemini-2.5-flash",', '    contents="Hello",', ')'],
    }),
  // Without this setting, it asks for the method before the first question, and ends with -p.
  () => ({
    client: 'Gemini CLI: in ~/.gemini/settings.json',
    lines: ['{ "security": { "auth": { "selectedType": "gemini-api-key" } } }'],
  }),
  (address, key) => ({
    client: 'and then, in a shell',
    lines: [`export GOOGLE_GEMINI_BASE_URL=${address}`, `export GEMINI_API_KEY=${key}`, 'gemini'],
  }),
  vercelLines('@ai-sdk/google', 'createGoogleGenerativeAI', 'gemini-2.5-flash', '/v1beta'),
  litellmLines('gemini/gemini-2.5-flash'),
];

const SERVED =
  'Served paths, under /v1beta, under /v1 and without a version: POST /models/{model}:generateContent, :streamGenerateContent, :countTokens, :embedContent, :batchEmbedContents, :batchGenerateContent, GET /models, GET /batches/{name}, POST /batches/{name}:cancel, POST /upload/v1beta/files, and GET and DELETE /files/{name}.';
/** Paths that are not served, below the version, with the reason. */
const REFUSED: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /^\/cachedContents(?:\/|$)/,
    'Cached contents are not supported: their storage is billed by the hour, and can be prolonged later, so nothing bounds it when they are made. Gemini caches what prompts repeat without them.',
  ],
  [/^\/batches$/, 'Lists of batches are not served: they show what other keys have sent. Ask for a batch by its name.'],
  [/^\/files$/, 'Lists of files are not served: they show what other keys have stored. Ask for a file by its name.'],
];
const MODEL_PATH = /^(?:\/(v1|v1beta))?\/models(?:\/([^/:]+)(?::([A-Za-z]+))?)?$/;
/** Gemini API reference, "Files": storage is free of charge. A file is found by its name, which cannot be guessed. */
const FILE_PATH = /^(?:\/(v1|v1beta))?\/files\/[a-z0-9-]+$/;
const BATCH_PATH = /^(?:\/(v1|v1beta))?\/batches\/[\w-]+(:cancel)?$/;
const UPLOAD_PATH = /^\/upload\/v1(?:beta)?\/files$/;
/** Libraries send the file to the address that the first answer names. */
const UPLOAD_OPTIONS = {
  keepsContentType: true,
  queryParameters: ['upload_id', 'upload_protocol'],
  addressHeader: { name: 'x-goog-upload-url', pattern: /^https?:\/\/[^/]+[^?]*?(\/upload\/v1(?:beta)?\/files\?.+)$/ },
} as const;
/** Google docs, "OpenAI compatibility". */
const OPENAI_PATH = /^\/v1beta\/openai(?=\/|$)/;
const OPENAI_ROUTES = openaiBase({
  prefix: '/v1beta/openai',
  harmless: [],
  unreported: unreportedMedia,
  restIsOutput: true,
});
/** Names of models whose answers have tokens of another price. */
const DRAWS_OR_SPEAKS = /image|tts|audio|live/;

function unreportedMedia({ media }: RequestDemand, model: string): string | null {
  if (media.audioIn) return 'content[].input_audio, whose tokens are not reported apart';
  return DRAWS_OR_SPEAKS.test(model) ? 'model, whose pictures or sound are not reported apart' : null;
}

function routeOpenaiForm(method: string, path: string): ProviderRoute | NoRoute {
  const name = path.replace(OPENAI_PATH, '');
  if (/^\/models(?:\/[^/]+)?$/.test(name)) return method === 'GET' ? freeRoute(path) : wrongMethod(method, path, 'GET');
  const { chat, embeddings } = OPENAI_ROUTES;
  const route = name === '/chat/completions' ? chat : name === '/embeddings' ? embeddings : null;
  if (route === null)
    return noRoute(
      404,
      `Unknown path ${path}. Served paths under /v1beta/openai: POST /chat/completions, POST /embeddings, GET /models.`,
    );
  return method === 'POST' ? route : wrongMethod(method, path, 'POST');
}

/** Version of a path without one: the base URL of Google's library has none, that of Vercel's AI SDK has one. */
const DEFAULT_VERSION = '/v1beta';

export const google: Provider = {
  id: 'google',
  name: 'Google',
  priceProvider: 'google',
  pricesListed: 'always',
  // The windows of its models limit the input only. The output limit is added.
  largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: 65_536 },
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
  batches: GEMINI_BATCHES,
  accountHeaders: ['x-goog-user-project'],
};

function routeGoogle(method: string, rest: string): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const path = withoutSlash(rest);
  if (path === '') return method === 'POST' ? bareRoute : wrongMethod(method, '/', 'POST');
  if (OPENAI_PATH.test(path)) return routeOpenaiForm(method, path);
  if (UPLOAD_PATH.test(path))
    return method === 'POST' ? { ...freeRoute(path), ...UPLOAD_OPTIONS } : wrongMethod(method, path, 'POST');
  const batch = BATCH_PATH.exec(path);
  if (batch) return routeBatch(method, path, batch);
  const file = FILE_PATH.exec(path);
  if (file) return routeFile(method, path, file[1]);
  const found = MODEL_PATH.exec(path);
  if (!found) return noRoute(404, `${unservedReason(path) ?? `Unknown path ${path}.`} ${SERVED}`);
  const [, version, model, action] = found;
  if (version === undefined) return routeGoogle(method, DEFAULT_VERSION + path);
  if (model !== undefined && !MODEL_NAME.test(model))
    return noRoute(400, `"${model}" is not a valid model name. Use letters, digits, ".", "_" and "-".`);
  if (model === undefined || action === undefined)
    return method === 'GET' ? freeRoute(path) : wrongMethod(method, path, 'GET');
  return actionRoute(method, path, version, model, action);
}

/** A batch is not deleted through the gateway: its results say what it cost. */
function routeBatch(
  method: string,
  path: string,
  [, version, cancel]: readonly (string | undefined)[],
): ProviderRoute | NoRoute {
  const allowed = cancel === undefined ? 'GET' : 'POST';
  if (method !== allowed) return wrongMethod(method, path, allowed);
  return freeRoute(version === undefined ? DEFAULT_VERSION + path : path);
}

function routeFile(method: string, path: string, version: string | undefined): ProviderRoute | NoRoute {
  if (method !== 'GET' && method !== 'DELETE') return wrongMethod(method, path, 'GET or DELETE');
  return freeRoute(version === undefined ? DEFAULT_VERSION + path : path);
}

function unservedReason(path: string): string | null {
  const name = path.replace(/^\/v1(?:beta)?(?=\/)/, '');
  return REFUSED.find(([pattern]) => pattern.test(name))?.[1] ?? null;
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
    case 'batchGenerateContent':
      return method === 'POST'
        ? batchGenerateRoute(version, model, generateRoute(version, model, 'generateContent'))
        : wrongMethod(method, path, 'POST');
    case 'embedContent':
      return method === 'POST' ? embedRoute(version, model) : wrongMethod(method, path, 'POST');
    case 'batchEmbedContents':
      return method === 'POST' ? batchEmbedRoute(version, model) : wrongMethod(method, path, 'POST');
    case 'countTokens':
      return method === 'POST' ? freeRoute(path) : wrongMethod(method, path, 'POST');
    default:
      return noRoute(404, `":${action}" is not supported, because its cost cannot be determined. ${SERVED}`);
  }
}
