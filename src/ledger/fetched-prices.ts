import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../lib/fs/files.ts';
import type { Log } from '../lib/log.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import { parseFetched } from '../prices/refresh-cards.ts';

/** A list that was fetched. */
export interface FetchedPrices {
  readonly files: readonly PriceFile[];
  /** Epoch ms; null = nothing was fetched. */
  readonly fetchedAt: number | null;
}

const NOTHING_FETCHED: FetchedPrices = { files: [], fetchedAt: null };

/** Keeps the last list that an address gave, so that the next start prices calls as this one did. */
export function saveFetchedPrices(file: string, source: string, { files, fetchedAt }: FetchedPrices, log: Log): void {
  try {
    replaceFile(file, `${JSON.stringify({ source, fetchedAt, files }, null, 2)}\n`);
  } catch (error) {
    log.error(
      { err: error },
      `${file} can't be written: after a restart, calls have older prices until the next fetch.`,
    );
  }
}

/** What was kept from this address; none where nothing is fetched any more, or from elsewhere. */
export function readFetchedPrices(file: string, source: string | null, log: Log): FetchedPrices {
  if (source === null || !existsSync(file)) return NOTHING_FETCHED;
  try {
    const kept = parseFetched(readFileSync(file, 'utf8'));
    return kept.source === source ? kept : NOTHING_FETCHED;
  } catch (error) {
    log.error(
      { err: error },
      `${file} can't be read and is ignored: until the next fetch, calls have the prices that came with this version.`,
    );
    return NOTHING_FETCHED;
  }
}
