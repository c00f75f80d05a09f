import type { Config } from '../config.ts';
import type { Records } from '../storage/records/records.ts';
import { type JournalPlace, ownJournal, workerJournal } from './data-folder.ts';
import { journalProblem } from './known-journal.ts';

/** A journal that is missing, or not the one that the ledger took its calls from. */
interface JournalProblem {
  readonly folder: string;
  readonly sentence: string;
}

/** Finds problems of the journals that a ledger has taken calls from, also of workers that don't run any more. */
export async function findJournalProblems(
  config: Pick<Config, 'databaseUrl' | 'nodeName' | 'dataDir'>,
  records: Pick<Records, 'journal'>,
): Promise<JournalProblem[]> {
  const problems: JournalProblem[] = [];
  for (const { folder, place } of await listKnown(config, records)) {
    const sentence = journalProblem(folder, await records.journal.last(place));
    if (sentence !== null) problems.push({ folder, sentence });
  }
  return problems;
}

async function listKnown(
  config: Pick<Config, 'databaseUrl' | 'nodeName' | 'dataDir'>,
  records: Pick<Records, 'journal'>,
): Promise<JournalPlace[]> {
  const workers = config.databaseUrl === null ? await records.journal.workers() : [];
  return [ownJournal(config), ...workers.map((worker) => workerJournal(config.dataDir, worker))];
}
