import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { Provider } from '../providers/provider.ts';
import type { StorageEngine } from '../storage/engine.ts';
import type { Records } from '../storage/records/records.ts';
import type { DataFiles } from './files.ts';

/** What work on a whole installation needs. */
export interface OperationParts {
  readonly config: Config;
  readonly files: DataFiles;
  readonly engine: StorageEngine;
  readonly records: Records;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly prices: Pick<PriceBook, 'checkedAt'>;
  readonly clock: Clock;
  readonly pricesRefreshed: (source: string, files: readonly PriceFile[]) => void;
}
