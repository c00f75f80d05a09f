import { addressSetting, type CustomProvider, OWN_LIMITS } from '../domain/identity/custom-provider.ts';
import { TollbookError } from '../domain/errors.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { compatibleProvider } from './compatible/compatible.ts';
import { ADDED_HARMLESS } from './compatible/harmless-fields.ts';
import { BOTH, COMPATIBLE_ROWS } from './compatible/rows.ts';
import { google } from './google/google.ts';
import { openai } from './openai/openai.ts';
import type { Provider } from './provider.ts';

/** Every provider of the program. The operator may add compatible ones. */
export const PROVIDERS: readonly Provider[] = [anthropic, google, openai, ...COMPATIBLE_ROWS.map(compatibleProvider)];

export interface ProvidersOptions {
  /** Where a provider is reached instead of its own address, by id: the settings that `addressSetting` names. */
  readonly urls: Readonly<Record<string, string>>;
  readonly custom: readonly CustomProvider[];
}

/** Every provider that is served, by id. Throws a `TollbookError` (`invalid`) for a custom one that can't be served. */
export function buildProviders({ urls, custom }: ProvidersOptions): ReadonlyMap<string, Provider> {
  const providers = new Map<string, Provider>();
  const add = (provider: Provider): unknown => providers.set(provider.id, moved(provider, urls[provider.id]));
  for (const provider of PROVIDERS) add(provider);
  for (const provider of custom) {
    if (providers.has(provider.id))
      throw new TollbookError('conflict', `There is a provider "${provider.id}" already; choose another id.`, 'id');
    add(customProvider(provider));
  }
  return providers;
}

function moved(provider: Provider, url: string | undefined): Provider {
  return url === undefined ? provider : { ...provider, url: provider.readUrl?.(url) ?? url };
}

/** Refuses settings that move no provider, such as one with a slip of the pen in its name. Throws a `TollbookError` (`invalid`). */
export function checkAddresses(urls: ProvidersOptions['urls'], providers: ReadonlyMap<string, Provider>): void {
  for (const id of Object.keys(urls)) {
    if (providers.has(id)) continue;
    const setting = addressSetting(id);
    const known = [...providers.keys()].map(addressSetting).join(', ');
    throw new TollbookError(
      'invalid',
      `${setting} is the address of no provider; take it away, or use one of ${known}.`,
      setting,
    );
  }
}

/** Checks a custom provider and completes it. Throws a `TollbookError` (`invalid`) that names the field. */
export function customProvider({ id, name, url, priceProvider }: CustomProvider): Provider {
  if (id === OWN_LIMITS)
    throw new TollbookError(
      'conflict',
      `/api/proxy/${id} is where the holder of a wrapped key sees its limits; choose another id.`,
      'id',
    );
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(id))
    throw new TollbookError(
      'invalid',
      `"${id}" can't be a provider's id: use up to 32 lower-case letters, digits and "-".`,
      'id',
    );
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:\/\/[^/?#\\\s][^?#\\\s]*$/i.test(url))
    throw new TollbookError(
      'invalid',
      `"${url}" can't be a provider's address: give an http or https address without "?" and "#".`,
      'url',
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw new TollbookError(
      'invalid',
      "A provider's address holds no user name or password; store the key with the wrapped key.",
      'url',
    );
  return compatibleProvider({
    id,
    name,
    url: url.replace(/\/+$/, ''),
    priceProvider,
    includeUsage: true,
    maxima: BOTH,
    harmless: ADDED_HARMLESS,
    keyCheckPath: '/models',
  });
}
