import type { NewProvider, ProviderShape } from '../contract/providers.ts';
import { endpoint } from './http/endpoint.ts';
import { computeEtag } from './http/if-match.ts';
import { clientAddress } from '../providers/client-lines.ts';
import type { Provider } from '../providers/provider.ts';
import { TollbookError } from '../domain/errors.ts';
import type { CustomProvider } from '../domain/identity/custom-provider.ts';
import { providerPlace } from '../providers/cloud/cloud-url.ts';
import { addedKind } from '../providers/cloud/provider-kinds.ts';
import { customProvider } from '../providers/providers.ts';
import type { ApiSettings } from './settings.ts';
import type { Records } from '../storage/records/records.ts';
import type { GatewayNotices } from './gateway-notices.ts';

export interface ProviderServices {
  readonly settings: ApiSettings;
  readonly records: Records;
  /** Providers by id, as a live view: added ones appear after `gateway.providersChanged()`. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly gateway: Pick<GatewayNotices, 'providersChanged'>;
}

/** @param row of a provider that the operator added; undefined = built in */
function providerView(provider: Provider, baseUrl: string, row: CustomProvider | undefined): ProviderShape {
  const { id, name, url, priceProvider, hasReports } = provider;
  return {
    id,
    name,
    url,
    proxyUrl: clientAddress(baseUrl, provider),
    priceProvider,
    hasReports,
    hasSubscriptions: provider.subscription !== undefined,
    needsKey: !provider.isKeyless,
    custom: row !== undefined,
    kind: row ? addedKind(row) : null,
    deployments: { ...row?.deployments },
    // A setting may replace the address of an added one.
    etag: providerEtag(row ?? provider),
  };
}

function providerEtag({ id, name, url }: Pick<Provider, 'id' | 'name' | 'url'>): string {
  return computeEtag({ id, name, url });
}

export const listProviders = endpoint(
  'GET /api/manage/providers',
  async (_, { providers, records, settings }: ProviderServices) => {
    const rows = await records.providers.list();
    const added = new Map(rows.map((row) => [row.id, row]));
    return [...providers.values()].map((one) => providerView(one, settings.baseUrl, added.get(one.id)));
  },
);

/** Returns the provider as it is stored. Throws `invalid` for one that the gateway could not serve. */
export function readAddedProvider({
  id,
  name,
  priceProvider,
  kind,
  deployments,
  ...place
}: NewProvider): CustomProvider {
  const { url, region } = providerPlace({ kind, ...place });
  const written = { id, name: name.trim(), priceProvider, kind, deployments, region };
  // A stored provider is read at every start.
  customProvider({ ...written, url });
  return { ...written, url: new URL(url).href.replace(/\/+$/, '') };
}

export const addProvider = endpoint(
  'POST /api/manage/providers',
  async ({ caller, body }, { records, providers, gateway, settings }: ProviderServices) => {
    if (providers.has(body.id))
      throw new TollbookError('conflict', `A provider "${body.id}" already exists. Choose another id.`, 'id');
    const added = readAddedProvider(body);
    const served = customProvider(added);
    await records.providers.add(added, caller.actor);
    await gateway.providersChanged();
    return { ...providerView(served, settings.baseUrl, added), priceProvider: added.priceProvider };
  },
);

export const removeProvider = endpoint(
  'DELETE /api/manage/providers/{id}',
  async ({ caller, path, requireMatch }, { records, gateway }: ProviderServices) => {
    await records.providers.remove(path.id, caller.actor, (now) => requireMatch({ etag: providerEtag(now) }));
    await gateway.providersChanged();
    return { id: path.id };
  },
);
