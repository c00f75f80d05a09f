import { TollbookError } from '../../domain/errors.ts';
import type { Provider } from '../../providers/provider.ts';
import type { Services } from '../services.ts';

/**
 * Tries a provider key out. Returns warnings: a provider that can't be reached, or a refusal that the caller wants to
 * live with. A key of the wrong kind is never taken.
 * @throws TollbookError `impossible` for a key of the wrong kind, `key_refused` for one that the provider refuses.
 */
export async function checkProviderKey(
  provider: Provider,
  providerKey: string,
  force: boolean,
  services: Services,
): Promise<string[]> {
  const refusal = provider.refuseKey(providerKey);
  if (refusal) throw new TollbookError('impossible', refusal, 'providerKey');
  const test = await services.installation.testKey(provider, providerKey);
  if (test.ok) return [];
  if (test.offline || force) return [test.message];
  throw new TollbookError('key_refused', `${test.message} Check it, or keep it all the same.`, 'providerKey');
}
