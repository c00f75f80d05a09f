import type { Operations, RefreshResult } from '../api/services.ts';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../core/errors.ts';
import { fetchPrices } from '../jobs/refresh-prices.ts';
import { backup } from './backup.ts';
import { doctor } from './doctor.ts';
import type { OperationParts } from './operation-parts.ts';
import { testKey } from './test-key.ts';

/** Work on the folder and the network that endpoints ask for. */
export function operationsOf(parts: OperationParts): Operations {
  const { config, files, engine } = parts;
  return {
    testKey: (provider, key) => testKey(provider, key, LIMITS.keyTestMsMax),
    backup: (folder) => backup(files, engine, folder, config.secret === null),
    refreshPrices: () => refreshPrices(parts),
    doctor: (online) => doctor(parts, online),
  };
}

async function refreshPrices({ config, pricesRefreshed }: OperationParts): Promise<RefreshResult> {
  const source = config.pricesUrl;
  if (source === null)
    throw new TollbookError(
      'impossible',
      'There is no address to refresh prices from. Set SVC_PRICES_URL and start again.',
    );
  const priceFiles = await fetchPrices(source);
  pricesRefreshed(source, priceFiles);
  return { source, cards: priceFiles.reduce((sum, file) => sum + file.prices.length, 0) };
}
