import type { PriceFile } from '../prices/price-rows.ts';
import { refreshCards } from '../prices/refresh-cards.ts';
import type { Job } from './schedule.ts';
import { HOUR_MS } from '../domain/time/units.ts';

const EVERY_MS = 6 * HOUR_MS;
const FETCH_MS_MAX = 30_000;
const BYTES_MAX = 8_000_000;

/** Refreshes prices in the background. */
export function refreshPricesJob(refresh: () => Promise<unknown>): Job {
  return {
    name: 'refresh_prices',
    everyMs: EVERY_MS,
    async run() {
      await refresh();
    },
  };
}

/** Fetches newer prices from the operator's address. Throws for an invalid list. */
export function fetchPrices(url: string): Promise<PriceFile[]> {
  return refreshCards(() => fetchText(url));
}

async function fetchText(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS_MAX) });
  if (!answer.ok || !answer.body) throw new Error(`The price list at ${url} answered ${answer.status}.`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > BYTES_MAX) throw new Error(`The price list at ${url} is larger than ${BYTES_MAX} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
