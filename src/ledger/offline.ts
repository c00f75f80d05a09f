import { existsSync } from 'node:fs';
import { type Config, LIMITS } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { journalIdIn } from '../journal/segments.ts';
import { openJournalReader } from '../journal/journal-reader.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { journalProblem } from './known-journal.ts';
import { ownFolder, databasePlace } from './data-folder.ts';
import { createShipper } from './ship.ts';
import { ownNode } from '../storage/own-node.ts';
import type { NodeLockOptions } from '../storage/node-lock.ts';

/** A data folder opened by a command while no service runs on it. */
export interface OfflineLedger {
  fetch(request: Request): Response | Promise<Response>;
  close(): Promise<void>;
}

/** Opens a folder for one command, exclusively. Calls that a service left in its journal are recorded first. */
export async function openOffline(options: { config: Config; clock: Clock; log: Log }): Promise<OfflineLedger> {
  const { config, clock } = options;
  const lock = ownFolder(config.dataDir, clock);
  try {
    const ledger = await openLedger(options);
    await shipLeftovers(ledger, config, options.log);
    return {
      fetch: (request) => ledger.fetch(request, { caller: 'owner' }),
      async close() {
        await ledger.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A command fails rather than wait. It is over before anything follows from a lost connection. */
const NO_WAIT: NodeLockOptions = { waitMsMax: 0, onWait: () => {}, onLost: () => {} };

/** Records the calls that a service left in its journal. */
export async function shipLeftovers(ledger: Ledger, config: Config, log: Log): Promise<void> {
  if (!existsSync(ledger.files.journal)) return;
  const problem = journalProblem(ledger.files.journal, await ledger.records.journal.last());
  if (problem !== null) return log.error(problem);
  // The service only created the folder.
  const journalId = journalIdIn(ledger.files.journal);
  if (journalId === null) return;
  const node = await ownNode(databasePlace(config), journalId, NO_WAIT);
  const reader = openJournalReader(ledger.files.journal);
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
  await shipper.start();
  await shipper.close(AbortSignal.timeout(LIMITS.closeGraceMsMax));
  reader.close();
  await node.release();
}
