import type { Operations, RefreshResult } from '../api/services.ts';
import { type Config, LIMITS } from '../config.ts';
import { TollbookError } from '../core/errors.ts';
import { fetchPrices } from '../jobs/refresh-prices.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';
import { backup } from './backup.ts';
import { doctor } from './doctor.ts';
import type { DataFiles } from './files.ts';
import { testKey } from './test-key.ts';

export interface OperationParts {
  readonly config: Config;
  readonly files: DataFiles;
  readonly records: Records;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly clock: Clock;
  readonly pricesRefreshed: (files: readonly PriceFile[]) => void;
}

/** Work on the folder and the network that endpoints ask for. */
export function operationsOf(parts: OperationParts): Operations {
  const { config, files } = parts;
  return {
    testKey: (provider, key) => testKey(provider, key, LIMITS.keyTestMsMax),
    backup: async (folder) => backup(files, folder, config.secret === null),
    refreshPrices: () => refreshPrices(parts),
    doctor: (online) => doctor(parts, online),
  };
}

async function refreshPrices({ config, pricesRefreshed }: OperationParts): Promise<RefreshResult> {
  const source = config.pricesUrl;
  if (source === null)
    throw new TollbookError('impossible', 'There is no address to refresh prices from. Set SVC_PRICES_URL and start again.');
  const priceFiles = await fetchPrices(source);
  pricesRefreshed(priceFiles);
  return { source, cards: priceFiles.reduce((sum, file) => sum + file.prices.length, 0) };
}
