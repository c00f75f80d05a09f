import { TollbookError } from '../../domain/errors.ts';
import type { RequestFacts, BodySplice } from '../provider.ts';
import { buildProviders } from '../providers.ts';

const providers = buildProviders({ urls: {}, custom: [] });

/** Reads a body with a provider's reader. A string is used as the raw body. */
export function readBody(address: string, body: unknown): RequestFacts {
  const [id = '', ...rest] = address.split('/');
  const route = providers.get(id)?.route('POST', rest.length > 0 ? `/${rest.join('/')}` : '');
  if (route?.kind !== 'inference') throw new Error(`${address} is no route that runs a model.`);
  return route.readRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}

/** Returns type and field of the error for a body; null = it is accepted. */
export function readRefusal(address: string, body: unknown): string | null {
  try {
    readBody(address, body);
    return null;
  } catch (error) {
    if (error instanceof TollbookError) return `${error.type} ${error.param ?? ''}`.trim();
    throw error;
  }
}

/** Returns the body as it is sent upstream. */
export function spliced(body: string, splices: readonly BodySplice[]): string {
  const bytes = Buffer.from(body);
  let text = '';
  let at = 0;
  for (const { start, end, text: put } of splices) {
    if (start < at) throw new Error('The splices are not ascending and disjoint.');
    text += bytes.toString('utf8', at, start) + put;
    at = end;
  }
  return text + bytes.toString('utf8', at);
}
