import { LIMITS } from '../config.ts';
import { openJournalReader } from '../journal/journal-reader.ts';
import type { Log } from '../lib/log.ts';
import type { Ledger } from './ledger.ts';
import { createShipper, type EntryShipper } from './ship.ts';

/** Interval of progress logs during a long start. */
const PROGRESS_MS = 1_000;

/** Ships calls of a journal that no process writes. @param ship how long */
export async function shipFolder(
  ledger: Ledger,
  folder: string,
  log: Log,
  ship: (shipper: EntryShipper) => Promise<unknown>,
): Promise<void> {
  const reader = openJournalReader(folder);
  const shipper = createShipper({
    reader,
    store: ledger.shipping,
    batchEntriesMax: LIMITS.shipBatchEntriesMax,
    retryMs: LIMITS.shipRetryMs,
    onShipped: () => undefined,
    onProblem: (sentence) => sentence && log.error(sentence),
    onMissing: (calls) =>
      log.error(`${calls} calls are in neither the journal nor the ledger: the ledger is older than its journal.`),
  });
  await ship(shipper);
  reader.close();
}

/** Ships everything, and logs that it goes on. */
export async function shipAll(shipper: EntryShipper, log: Log): Promise<void> {
  await shipper.start();
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    log.info({ seconds }, 'calls of the last run are being recorded; the gateway opens after that');
  }, PROGRESS_MS);
  await shipper.caughtUp();
  clearInterval(timer);
}
