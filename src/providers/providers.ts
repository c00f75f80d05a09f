import { addressSetting, type CustomProvider, OWN_LIMITS } from '../domain/identity/custom-provider.ts';
import { TollbookError } from '../domain/errors.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { cohere } from './cohere/cohere.ts';
import { compatibleProvider } from './compatible/compatible.ts';
import { buildAdded } from './cloud/provider-kinds.ts';
import { COMPATIBLE_ROWS } from './compatible/rows.ts';
import { google } from './google/google.ts';
import { openai } from './openai/openai.ts';
import type { Provider } from './provider.ts';
import { describeHost } from './provider-host.ts';

/** Built-in providers. The operator may add compatible ones. */
export const PROVIDERS: readonly Provider[] = [
  anthropic,
  google,
  openai,
  ...COMPATIBLE_ROWS.map(compatibleProvider),
  cohere,
];

export interface ProvidersOptions {
  /** URLs that replace the default ones, by provider id: the settings that `addressSetting` names. */
  readonly urls: Readonly<Record<string, string>>;
  readonly custom: readonly CustomProvider[];
}

/** Returns all served providers by id. Throws a `TollbookError` (`invalid`) for an invalid custom provider. */
export function buildProviders({ urls, custom }: ProvidersOptions): ReadonlyMap<string, Provider> {
  const providers = new Map<string, Provider>();
  const add = (provider: Provider, own: string | null): unknown =>
    providers.set(provider.id, moved(provider, own, urls));
  for (const provider of PROVIDERS) add(provider, provider.url);
  for (const provider of custom) {
    if (providers.has(provider.id))
      throw new TollbookError('conflict', `The provider "${provider.id}" already exists. Choose another id.`, 'id');
    add(customProvider(provider), null);
  }
  return providers;
}

function moved(provider: Provider, own: string | null, urls: ProvidersOptions['urls'], id = provider.id): Provider {
  const setting = urls[id];
  const url = setting === undefined ? provider.url : (provider.readUrl?.(setting) ?? setting);
  const there = { ...provider, url, host: describeHost(own, url, provider.regional) };
  const upstream = provider.subscription?.upstream;
  if (!provider.subscription || !upstream) return there;
  const login = { ...upstream, provider: moved(upstream.provider, upstream.provider.url, urls, upstream.id) };
  return { ...there, subscription: { ...provider.subscription, upstream: login } };
}

/** Refuses URL settings of unknown providers, for example with a typo. Throws a `TollbookError` (`invalid`). */
export function checkAddresses(urls: ProvidersOptions['urls'], providers: ReadonlyMap<string, Provider>): void {
  const ids = new Set([...providers.values()].flatMap(addressIds));
  for (const id of Object.keys(urls)) {
    if (ids.has(id)) continue;
    const setting = addressSetting(id);
    const known = [...ids].map(addressSetting).join(', ');
    throw new TollbookError(
      'invalid',
      `${setting} does not belong to a provider. Remove it, or use one of ${known}.`,
      setting,
    );
  }
}

function addressIds({ id, subscription }: Provider): string[] {
  return subscription?.upstream ? [id, subscription.upstream.id] : [id];
}

/** Validates and builds a custom provider. Throws a `TollbookError` (`invalid`) that names the field. */
export function customProvider(provider: CustomProvider): Provider {
  const { id, url } = provider;
  if (id === OWN_LIMITS)
    throw new TollbookError(
      'conflict',
      `/api/proxy/${id} is reserved for the limits of a wrapped key. Choose another id.`,
      'id',
    );
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(id))
    throw new TollbookError(
      'invalid',
      `"${id}" is not a valid provider id. Use up to 32 lower-case letters, digits and "-".`,
      'id',
    );
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:\/\/[^/?#\\\s][^?#\\\s]*$/i.test(url))
    throw new TollbookError(
      'invalid',
      `"${url}" is not a valid provider URL. Enter an http or https URL without "?" and "#".`,
      'url',
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw new TollbookError(
      'invalid',
      'A provider URL cannot contain a username or password. Store the key with the wrapped key.',
      'url',
    );
  return buildAdded(provider);
}
