import type { Config } from '../config.ts';
import { openToOthers, ownFolder, ownJournal } from '../ledger/data-folder.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type GatewayHost, type GatewayService, openGateway } from './gateway.ts';
import { startLedgerThread } from './ledger-client.ts';

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly demo?: boolean;
  readonly clock: Clock;
  /** Ends the wait for a database that does not answer. Default: nothing does. */
  readonly signal?: AbortSignal;
}

/** Opens the service of a data folder: journal, ledger thread and gateway, in this order. Throws `TollbookError`s. */
export async function openService({
  config,
  log,
  demo = false,
  clock,
  signal,
}: ServiceOptions): Promise<GatewayService> {
  const lock = ownFolder(config.dataDir, clock);
  const open = openToOthers(config.dataDir);
  if (open !== null) log.warn(open);
  const host: GatewayHost = {
    journal: ownJournal(config),
    name: config.databaseUrl === null ? null : config.nodeName,
    gatherMetrics: null,
    sharesPort: false,
    startLedger: (journalOpen, onMessage, onDeath) =>
      startLedgerThread({ config, demo, hasWorkers: false, journalOpen }, onMessage, onDeath),
  };
  return await openGateway({ config, log, clock, host, lock, ...(signal && { signal }) });
}
