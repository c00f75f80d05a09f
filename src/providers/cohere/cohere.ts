import { python, typescript } from '../client-lines.ts';
import { rerankRoute } from '../compatible/rerank.ts';
import { type ChatForm, chatRoute } from '../openai/chat-request.ts';
import type {
  FirstCall,
  InferenceRoute,
  MakeClientLines,
  NoRoute,
  Provider,
  ProviderError,
  ProviderRoute,
  RenderedError,
} from '../provider.ts';
import { refuseAnyKey, setKey } from '../provider-key.ts';
import { freeRoute, noRoute, refusePath, renderJson, withoutSlash, wrongMethod } from '../routes.ts';
import { readNoCost } from '../stated-cost.ts';
import { openCohereReader } from './answer.ts';
import { cohereEmbedRoute } from './embed-request.ts';

/** Models that do not think. Nothing says that the output maximum of the others bounds their thinking. */
const PLAIN = /^(?:command-(?:r|light|a-(?:03|translate|vision))|c4ai-|command$)/;

const CHAT: ChatForm = {
  prefix: '/v2',
  includeUsage: false,
  maxima: ['max_tokens'],
  own: false,
  obeysMaxPrice: false,
  thinksBeyondMax: (model) => !PLAIN.test(model),
  readCost: readNoCost,
  // Cohere docs, "Chat".
  harmless: [
    'citation_options',
    'documents',
    'k',
    'p',
    'priority',
    'raw_prompting',
    'safety_mode',
    'stop_sequences',
    'strict_tools',
    'thinking',
  ],
  deployments: null,
  dialect: { operation: 'chat', upstreamPath: '/v2/chat', openReader: openCohereReader },
};

const OPERATIONS: Readonly<Record<string, InferenceRoute>> = {
  '/v2/chat': chatRoute(CHAT),
  '/v2/embed': cohereEmbedRoute(),
  '/v2/rerank': rerankRoute(CHAT),
};
const SERVED = 'Served paths: POST /v2/chat, POST /v2/embed, POST /v2/rerank, GET /v1/models.';

const FIRST_CALL: FirstCall = {
  path: '/v2/chat',
  body: ['{"model":"command-r7b-12-2024",', ' "messages":[{"role":"user","content":"Hello"}]}'],
};

const CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    typescript('cohere-ai', 'CohereClientV2', [`token: '${key}',`, `environment: '${address}',`], {
      import: "import { CohereClientV2 } from 'cohere-ai';",
      call: [
        'const answer = await client.chat({',
        "  model: 'command-r7b-12-2024',",
        "  messages: [{ role: 'user', content: 'Hello' }],",
        '});',
      ],
    }),
  (address, key) =>
    python('cohere', 'ClientV2', [`api_key="${key}",`, `base_url="${address}",`], {
      import: 'from cohere import ClientV2',
      call: [
        'answer = client.chat(',
        '    model="command-r7b-12-2024",',
        '    messages=[{"role": "user", "content": "Hello"}],',
        ')',
      ],
    }),
];

export const cohere: Provider = {
  id: 'cohere',
  name: 'Cohere',
  priceProvider: 'cohere',
  pricesListed: 'always',
  largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
  url: 'https://api.cohere.com',
  clientPath: '',
  firstCall: FIRST_CALL,
  clients: CLIENTS,
  hasReports: false,
  route: routeCohere,
  authorize: (headers, key) => setKey(headers, 'authorization', `Bearer ${key}`),
  defaultHeaders: {},
  queryParameters: ['page_size', 'page_token', 'endpoint', 'default_only'],
  requestIdHeader: 'x-debug-trace-id',
  modelListPath: '/v1/models',
  refuseKey: refuseAnyKey,
  renderError: renderCohereError,
};

function routeCohere(method: string, rest: string): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const path = withoutSlash(rest);
  const operation = Object.hasOwn(OPERATIONS, path) ? OPERATIONS[path] : undefined;
  if (operation) return method === 'POST' ? operation : wrongMethod(method, path, 'POST');
  if (/^\/v1\/models(\/[^/]+)?$/.test(path))
    return method === 'GET' ? freeRoute(path) : wrongMethod(method, path, 'GET');
  if (/^\/v1\/(?:chat|embed|rerank)$/.test(path))
    return noRoute(404, `Version 1 of Cohere's API is not supported. ${SERVED}`);
  return noRoute(404, `Unknown path ${path || '/'}. ${SERVED}`);
}

/** Cohere API reference, "Errors". */
function renderCohereError(error: ProviderError): RenderedError {
  const details = error.facts && { details: error.facts };
  return renderJson(error, { id: error.callId, message: error.message, ...details });
}
