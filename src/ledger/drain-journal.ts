import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Limit } from '../domain/limits/limit.ts';
import { windowAt } from '../domain/time/window.ts';
import { endLostCall } from '../domain/usage/lost-call.ts';
import type { CallBegin, CallEnd } from '../domain/usage/call.ts';
import type { Usage } from '../domain/usage/usage.ts';
import { openJournal } from '../journal/open-journal.ts';
import { journalIdIn } from '../journal/segments.ts';
import { LimitsEngine } from '../limits/limits.ts';
import { type Clock, systemUptime } from '../lib/clock.ts';
import { type FolderLock, lockFolder } from '../lib/fs/folder-lock.ts';
import type { Log } from '../lib/log.ts';
import { type JournalPlace, listWorkers, ownJournal, workerFolder, workerJournal } from './data-folder.ts';
import { findJournalProblems } from './journal-problems.ts';
import type { Ledger } from './ledger.ts';
import { shipAll, shipFolder } from './ship-folder.ts';

/** Time for a worker of a service that died to end by itself. */
const FORMER_WORKER_MS_MAX = 10_000;
const POLL_MS = 50;

export interface DrainParts {
  readonly ledger: Ledger;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Records what former workers left in their journals, and ends the calls that they left open. Nothing may be granted before:
 * no counter has these calls. Journals that are missing are reported.
 */
export async function drainWorkers(parts: DrainParts): Promise<void> {
  const { config, ledger, log } = parts;
  const problems = await findJournalProblems(config, ledger.records);
  for (const { sentence } of problems) log.error(sentence);
  for (const worker of listWorkers(config.dataDir)) {
    const journal = workerJournal(config.dataDir, worker);
    if (problems.some(({ folder }) => folder === journal.folder)) continue;
    const lock = await lockFormerWorker(parts, worker);
    try {
      await drainJournal(parts, journal);
    } finally {
      lock.release();
    }
  }
}

/** Does the same with the journal of a service that was the only gateway. */
export async function drainOwnJournal(parts: DrainParts): Promise<void> {
  const own = ownJournal(parts.config);
  const problems = await findJournalProblems(parts.config, parts.ledger.records);
  if (!problems.some(({ folder }) => folder === own.folder)) await drainJournal(parts, own);
}

/** Waits for a worker that is still there although its service has died. */
async function lockFormerWorker({ config, clock }: DrainParts, worker: number): Promise<FolderLock> {
  const folder = workerFolder(config.dataDir, worker);
  const deadline = systemUptime() + FORMER_WORKER_MS_MAX;
  for (;;) {
    const result = lockFolder(folder, clock);
    if ('lock' in result) return result.lock;
    if (systemUptime() > deadline)
      throw new TollbookError(
        'conflict',
        `Worker ${worker} of an earlier service still runs${result.holder ? ` as process ${result.holder.pid}` : ''}. End it, and start again.`,
      );
    await setTimeout(POLL_MS);
  }
}

async function drainJournal(parts: DrainParts, { folder, worker }: JournalPlace): Promise<void> {
  const { ledger, config, clock, log } = parts;
  if (!existsSync(folder) || journalIdIn(folder) === null) return;
  const journal = openJournal({ folder, sync: config.journalSync, clock, onProblem: () => {} });
  const { journalId } = journal;
  journal.shipped(await ledger.shipping.mark(journalId));
  const limits = await ledger.records.limits.all(journalId);
  const lost = new LostCalls(parts, limits);
  const { lost: calls, gap } = journal.recover((begin, early) => lost.end(begin, early));
  const { problem } = journal;
  journal.close();
  if (problem !== null) throw new TollbookError('unavailable', problem);
  if (calls > 0) log.warn({ calls, worker }, 'calls were open when the last process died; their cost is uncertain');
  if (gap)
    log.warn(
      { worker },
      'the last process did not close its journal; after a power loss its latest calls may be missing',
    );
  await shipFolder(ledger, folder, log, (shipper) => shipAll(shipper, log));
  await countOlderCalls(parts, journalId, limits);
  await ledger.records.nodes.stop(journalId, { unshippedCalls: 0, lagMs: 0 }, clock());
}

/** Ends calls that a dead gateway left open. */
class LostCalls {
  readonly #parts: DrainParts;
  readonly #limits: readonly Limit[];
  #engine: LimitsEngine | null = null;

  /** @param limits as the dead gateway's node knows them */
  constructor(parts: DrainParts, limits: readonly Limit[]) {
    this.#parts = parts;
    this.#limits = limits;
  }

  end(begin: CallBegin, early: Usage | null): CallEnd {
    const { clock, ledger } = this.#parts;
    const now = clock();
    const prices = ledger.callPrices(begin);
    const end = endLostCall(begin, early, now, prices);
    this.#engine ??= this.#open(now);
    const pricedModel = prices.list(begin.requestedModel ?? '')?.model ?? null;
    const adopted = this.#engine.adoptedLate({ ...begin, model: begin.requestedModel ?? '', pricedModel }, begin);
    return adopted.length > 0 ? { ...end, adopted } : end;
  }

  #open(now: number): LimitsEngine {
    const engine = new LimitsEngine({ crossed: () => {}, overran: () => {} });
    engine.load(this.#limits, [], now);
    return engine;
  }
}

/** Counts calls from before a limit again: the last ones came from this journal. */
async function countOlderCalls({ ledger, clock }: DrainParts, node: string, limits: readonly Limit[]): Promise<void> {
  const service = ledger.nodeLimits(node);
  const now = clock();
  for (const { counter, countsPast, window, zones } of limits)
    if (!countsPast)
      await service.installed({ type: 'limit-installed', counter, endSeq: 0, ...windowAt(window, now, zones) });
}
