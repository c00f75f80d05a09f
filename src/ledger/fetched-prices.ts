import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../lib/fs/files.ts';
import type { Log } from '../lib/log.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import { parseFetched } from '../prices/refresh-cards.ts';

/** Fetched price lists. */
export interface FetchedPrices {
  readonly files: readonly PriceFile[];
  /** Epoch ms; null = never fetched. */
  readonly fetchedAt: number | null;
}

const NOTHING_FETCHED: FetchedPrices = { files: [], fetchedAt: null };

/** Saves the last list from an address, so that the next start uses the same prices. */
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

/** Reads the saved list of this address; empty if there is no address or it changed. */
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
