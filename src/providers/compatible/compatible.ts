import { refuseAnyKey, setKey } from '../provider-key.ts';
import {
  readLitellmCost,
  readNoCost,
  readOpenRouterCost,
  readPerplexityCost,
  type ReadStatedCost,
  readXaiCost,
} from '../stated-cost.ts';
import { type ChatForm, chatRoute } from '../openai/chat-request.ts';
import { completionsRoute } from '../openai/completions-request.ts';
import { embeddingsRoute } from '../openai/embeddings-request.ts';
import { COMPATIBLE_FREE } from '../openai/free-routes.ts';
import { openaiLibraries, renderOpenaiError, routeOperation, type ServedPaths } from '../openai/openai.ts';
import { responsesRoute } from '../openai/responses-request.ts';
import type { FirstCall, MakeClientLines, Provider } from '../provider.ts';
import { rerankRoute } from './rerank.ts';
import type { CompatibleRow } from './rows.ts';

const COMPATIBLE_FIRST_CALL: FirstCall = {
  path: '/chat/completions',
  body: ['{"model":"MODEL",', ' "messages":[{"role":"user","content":"Hello"}]}'],
};

/** First call to a provider that has no chat completions. */
const RESPONSES_FIRST_CALL: FirstCall = { path: '/responses', body: ['{"model":"MODEL","input":"Hello"}'] };

const RESPONSES_CLIENTS: readonly MakeClientLines[] = openaiLibraries({
  typescript: ['const answer = await client.responses.create({', "  model: 'MODEL',", "  input: 'Hello',", '});'],
  python: ['answer = client.responses.create(model="MODEL", input="Hello")'],
});

const COMPATIBLE_CLIENTS: readonly MakeClientLines[] = openaiLibraries({
  typescript: [
    'const answer = await client.chat.completions.create({',
    "  model: 'MODEL',",
    "  messages: [{ role: 'user', content: 'Hello' }],",
    '});',
  ],
  python: [
    'answer = client.chat.completions.create(',
    '    model="MODEL",',
    '    messages=[{"role": "user", "content": "Hello"}],',
    ')',
  ],
});

/** Readers of stated costs, by price list, or by id without one. */
const COST_READERS: ReadonlyMap<string, ReadStatedCost> = new Map([
  ['openrouter', readOpenRouterCost],
  ['x-ai', readXaiCost],
  ['litellm', readLitellmCost],
  ['perplexity', readPerplexityCost],
]);
/** A provider with this price list obeys maximum prices, at any URL. */
const OPENROUTER_PRICES = 'openrouter';

/**
 * Alibaba Model Studio docs, "OpenAI Chat": `max_tokens` does not limit the length of the chain of thought. OpenRouter
 * serves Qwen models from there. Some of them never think.
 */
function thinkingBeyondMax({ url, priceProvider }: CompatibleRow): (model: string) => boolean {
  if (ALIBABA_HOST.test(URL.parse(url)?.hostname ?? '')) return () => true;
  return priceProvider === OPENROUTER_PRICES ? (model) => QWEN.test(model) && !PLAIN_QWEN.test(model) : () => false;
}

const ALIBABA_HOST = /(?:^|\.)aliyuncs\.com$/;
const QWEN = /qwen|qwq|qvq/i;
const PLAIN_QWEN = /coder|instruct|qwen-?2/i;

export function compatibleProvider(row: CompatibleRow): Provider {
  const form: ChatForm = {
    prefix: '',
    includeUsage: row.includeUsage,
    maxima: row.maxima,
    own: false,
    obeysMaxPrice: row.priceProvider === OPENROUTER_PRICES,
    thinksBeyondMax: thinkingBeyondMax(row),
    readCost: COST_READERS.get(row.priceProvider ?? row.id) ?? readNoCost,
    harmless: row.harmless,
    deployments: row.deployments,
  };
  const served: ServedPaths = {
    operations: {
      '/chat/completions': chatRoute(form),
      '/responses': responsesRoute(form),
      '/embeddings': embeddingsRoute(form),
      '/completions': completionsRoute(form),
      '/rerank': rerankRoute(form),
      // Perplexity's own libraries use this name.
      ...(!row.hasChat && { '/agent': responsesRoute(form) }),
    },
    free: COMPATIBLE_FREE,
    refused: [],
    prefix: '',
  };
  return {
    id: row.id,
    name: row.name,
    // A provider without a price list has only custom prices.
    priceProvider: row.priceProvider ?? row.id,
    pricesListed: row.priceProvider === null ? 'never' : 'when_named',
    largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
    url: row.url,
    ...(row.deployments && { deployments: row.deployments }),
    clientPath: '/v1',
    firstCall: row.hasChat ? COMPATIBLE_FIRST_CALL : RESPONSES_FIRST_CALL,
    clients: row.hasChat ? COMPATIBLE_CLIENTS : RESPONSES_CLIENTS,
    hasReports: false,
    route: (method, rest) => routeOperation(served, method, rest),
    authorize: (headers, key) => setKey(headers, 'authorization', `Bearer ${key}`),
    defaultHeaders: {},
    // `api-version` is for Azure; the others filter the models that OpenRouter lists.
    queryParameters: ['api-version', 'category', 'supported_parameters', 'output_modalities'],
    requestIdHeader: 'x-request-id',
    modelListPath: row.keyCheckPath,
    ...(row.isKeyless && { isKeyless: true as const }),
    refuseKey: refuseAnyKey,
    renderError: renderOpenaiError,
  };
}
