import { type Config, LIMITS } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { journalIdIn } from '../journal/segments.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { journalProblem } from './known-journal.ts';
import { databasePlace, type JournalPlace, listJournals, ownFolder } from './data-folder.ts';
import { shipFolder } from './ship-folder.ts';
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

/** Records the calls that a service left in its journal, or in those of its workers. */
export async function shipLeftovers(ledger: Ledger, config: Config, log: Log): Promise<void> {
  for (const journal of listJournals(config)) await shipLeftover(ledger, config, log, journal);
}

async function shipLeftover(ledger: Ledger, config: Config, log: Log, { folder, place }: JournalPlace): Promise<void> {
  const problem = journalProblem(folder, await ledger.records.journal.last(place));
  if (problem !== null) return log.error(problem);
  // The service only created the folder.
  const journalId = journalIdIn(folder);
  if (journalId === null) return;
  const node = await ownNode(databasePlace(config), journalId, NO_WAIT);
  await shipFolder(ledger, folder, log, async (shipper) => {
    await shipper.start();
    await shipper.close(AbortSignal.timeout(LIMITS.closeGraceMsMax));
  });
  await node.release();
}
