import { refuseAnyKey, setKey } from '../keys.ts';
import { chatRoute } from '../openai/chat-request.ts';
import { embeddingsRoute } from '../openai/embeddings-request.ts';
import { renderError } from '../openai/errors.ts';
import { routeOperation } from '../openai/openai.ts';
import type { Provider } from '../provider.ts';
import type { CompatibleRow } from './rows.ts';

/** @param url where it is reached instead of the row's own address, with its path prefix */
export function compatible(row: CompatibleRow, url = row.url): Provider {
  const operations = {
    '/chat/completions': chatRoute({ prefix: '', includeUsage: row.includeUsage, maxima: row.maxima, own: false }),
    '/embeddings': embeddingsRoute(''),
  };
  return {
    id: row.id,
    name: row.name,
    // A provider without a list of its own is priced by what the user says of it.
    priceProvider: row.priceProvider ?? row.id,
    url,
    route: (method, rest) => routeOperation(operations, '', method, rest),
    authorize: (headers, key) => setKey(headers, 'authorization', `Bearer ${key}`),
    defaultHeaders: {},
    requestIdHeader: 'x-request-id',
    modelListPath: row.keyCheckPath,
    refuseKey: refuseAnyKey,
    renderError,
  };
}
