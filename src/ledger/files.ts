import { join } from 'node:path';

/** What lies in a data folder. */
export interface DataFiles {
  readonly folder: string;
  /** Written only by the book thread. */
  readonly book: string;
  /** A folder; written only by the gate thread. */
  readonly journal: string;
  readonly providers: string;
  /** The last prices that were fetched. */
  readonly prices: string;
  readonly secret: string;
}

export function dataFiles(folder: string): DataFiles {
  return {
    folder,
    book: join(folder, 'book.db'),
    journal: join(folder, 'journal'),
    providers: join(folder, 'providers.json'),
    prices: join(folder, 'prices.json'),
    secret: join(folder, 'secret'),
  };
}
