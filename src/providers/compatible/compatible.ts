import { refuseAnyKey, setKey } from '../provider-key.ts';
import { chatRoute } from '../openai/chat-request.ts';
import { embeddingsRoute } from '../openai/embeddings-request.ts';
import { openaiLibraries, renderOpenaiError, routeOperation } from '../openai/openai.ts';
import type { FirstCall, MakeClientLines, Provider } from '../provider.ts';
import type { CompatibleRow } from './rows.ts';

const COMPATIBLE_FIRST_CALL: FirstCall = {
  path: '/chat/completions',
  body: ['{"model":"MODEL",', ' "messages":[{"role":"user","content":"Hello"}]}'],
};

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

/** A provider with this price list obeys maximum prices, at any URL. */
const OPENROUTER_PRICES = 'openrouter';

export function compatibleProvider(row: CompatibleRow): Provider {
  const { includeUsage, maxima, harmless } = row;
  const obeysMaxPrice = row.priceProvider === OPENROUTER_PRICES;
  const operations = {
    '/chat/completions': chatRoute({ prefix: '', includeUsage, maxima, own: false, obeysMaxPrice, harmless }),
    '/embeddings': embeddingsRoute('', obeysMaxPrice, harmless),
  };
  return {
    id: row.id,
    name: row.name,
    // A provider without a price list has only custom prices.
    priceProvider: row.priceProvider ?? row.id,
    pricesListed: row.priceProvider === null ? 'never' : 'when_named',
    largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
    url: row.url,
    clientPath: '/v1',
    firstCall: COMPATIBLE_FIRST_CALL,
    clients: COMPATIBLE_CLIENTS,
    hasReports: false,
    route: (method, rest) => routeOperation(operations, '', method, rest),
    authorize: (headers, key) => setKey(headers, 'authorization', `Bearer ${key}`),
    defaultHeaders: {},
    // `api-version` is for Azure; the others filter the models that OpenRouter lists.
    queryParameters: ['api-version', 'category', 'supported_parameters', 'output_modalities'],
    requestIdHeader: 'x-request-id',
    modelListPath: row.keyCheckPath,
    refuseKey: refuseAnyKey,
    renderError: renderOpenaiError,
  };
}
