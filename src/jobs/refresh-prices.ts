import type { Job } from './schedule.ts';
import { HOUR_MS } from '../domain/time/units.ts';

const EVERY_MS = 6 * HOUR_MS;

/** Fetches newer prices in the background. They wait for a person to apply them. */
export function fetchPricesJob(fetchPrices: () => Promise<unknown>): Job {
  return {
    name: 'refresh_prices',
    everyMs: EVERY_MS,
    async run() {
      await fetchPrices();
    },
  };
}
