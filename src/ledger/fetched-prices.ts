import type { Log } from '../lib/log.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import { parseFetched } from '../prices/refresh-cards.ts';
import type { DocumentRecords } from '../storage/records/documents.ts';

/** Fetched price lists. */
export interface FetchedPrices {
  readonly files: readonly PriceFile[];
  /** Epoch ms; null = never fetched. */
  readonly fetchedAt: number | null;
}

const NOTHING_FETCHED: FetchedPrices = { files: [], fetchedAt: null };
const DOCUMENT = 'prices.json';

/** Returns the document of a list from an address, so that the next start uses the same prices. */
export function renderFetchedPrices(source: string, { files, fetchedAt }: FetchedPrices): string {
  return `${JSON.stringify({ source, fetchedAt, files }, null, 2)}\n`;
}

/** Reads the saved list of this address; empty if there is no address or it changed. */
export async function readFetchedPrices(
  documents: DocumentRecords,
  source: string | null,
  log: Log,
): Promise<FetchedPrices> {
  if (source === null) return NOTHING_FETCHED;
  try {
    const text = await documents.read(DOCUMENT);
    const kept = text === null ? null : parseFetched(text);
    return kept?.source === source ? kept : NOTHING_FETCHED;
  } catch (error) {
    log.error(
      { err: error },
      `${documents.place(DOCUMENT)} can't be read and is ignored: until the next fetch, calls have the prices that came with this version.`,
    );
    return NOTHING_FETCHED;
  }
}
