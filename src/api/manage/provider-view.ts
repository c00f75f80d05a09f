import { clientAddress } from '../../providers/client-lines.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ProviderShape } from '../../contract/usage.ts';

/** @param added by the operator */
export function providerView(provider: Provider, baseUrl: string, added: boolean): ProviderShape {
  const { id, name, url, priceProvider, hasReports } = provider;
  return { id, name, url, proxyUrl: clientAddress(baseUrl, provider), priceProvider, hasReports, added };
}
