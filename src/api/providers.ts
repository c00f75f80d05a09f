import { z } from 'zod';
import { provider, type ProviderShape } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { clientAddress } from '../providers/client-lines.ts';
import type { Provider } from '../providers/provider.ts';
import { TollbookError } from '../domain/errors.ts';
import { customProvider } from '../providers/providers.ts';

/** @param added by the operator */
export function providerView(provider: Provider, baseUrl: string, added: boolean): ProviderShape {
  const { id, name, url, priceProvider, hasReports } = provider;
  return { id, name, url, proxyUrl: clientAddress(baseUrl, provider), priceProvider, hasReports, custom: added };
}

export const listProviders = endpoint({
  method: 'GET',
  path: '/api/manage/providers',
  summary: 'List providers',
  scope: 'admin',
  right: 'read',
  answer: z.array(provider),
  async handle(_, { providers, records, settings }) {
    const rows = await records.providers.list();
    const added = new Set(rows.map(({ id }) => id));
    return [...providers.values()].map((one) => providerView(one, settings.baseUrl, added.has(one.id)));
  },
});

export const addProvider = endpoint({
  method: 'POST',
  path: '/api/manage/providers',
  summary: 'Add an OpenAI-compatible provider',
  description: 'Its address may be private, which is why only the owner of the data folder adds one.',
  scope: 'admin',
  right: 'operate',
  body: z.strictObject({
    id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be a lower-case word such as ollama'),
    name: z.string().min(1).max(100),
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
    priceProvider: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'Whose prices apply; null = only your own' }),
  }),
  answer: provider,
  status: 201,
  async handle({ caller, body }, { records, providers, gateway: gate, settings }) {
    if (providers.has(body.id)) throw new TollbookError('conflict', `There is a provider "${body.id}" already.`, 'id');
    // What the gate could not serve is refused here: a stored row is read at every start.
    const served = customProvider(body);
    const row = { ...body, url: body.url.replace(/\/+$/, '') };
    await records.providers.add(row, caller.actor);
    await gate.providersChanged();
    return { ...providerView(served, settings.baseUrl, true), priceProvider: row.priceProvider };
  },
});

export const removeProvider = endpoint({
  method: 'DELETE',
  path: '/api/manage/providers/{id}',
  summary: 'Remove a provider that was added',
  description: 'Its wrapped keys stop working; its entries stay in the book.',
  scope: 'admin',
  right: 'operate',
  answer: z.object({ id: z.string() }),
  async handle({ caller, path }, { records, gateway: gate }) {
    await records.providers.remove(path.id, caller.actor);
    await gate.providersChanged();
    return { id: path.id };
  },
});
