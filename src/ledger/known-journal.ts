import { TollbookError } from '../domain/errors.ts';
import { findJournalEnd, journalIdIn, type JournalEnd } from '../journal/segments.ts';
import type { DataFiles } from './data-folder.ts';

/**
 * Throws `unavailable` if the folder lacks the journal that the ledger last took calls from. Only that journal may
 * have some calls, and limits would not count them.
 * @param last id of that journal; null = none yet
 */
export function requireKnownJournal({ journal }: Pick<DataFiles, 'journal'>, last: string | null): void {
  const problem = journalProblem(journal, last);
  if (problem !== null) throw new TollbookError('unavailable', problem);
}

/** Returns the problem with the journal; null = none. */
export function journalProblem(folder: string, last: string | null): string | null {
  if (last === null) return null;
  const present = readJournalId(folder);
  if (present === 'damaged') return null;
  if (present === last) return null;
  const what =
    present === null
      ? `The journal ${folder} is missing, though the ledger took calls from one`
      : `The journal ${folder} is not the one that the ledger took its calls from`;
  return (
    `${what}: stop the service, put the right one there and start again. If it is lost, run "tollbook journal renew" ` +
    'and start again; calls of its last moments are then in neither, and no limit counts them.'
  );
}

/** Returns a description of a journal that ends earlier than last recorded, such as an older copy; null = it does not. */
export function findOlderJournal(folder: string, seen: JournalEnd | null): string | null {
  const end = seen === null ? null : findEnd(folder);
  if (seen === null || end === null || end.journalId !== seen.journalId) return null;
  if (end.segment > seen.segment || (end.segment === seen.segment && end.offset >= seen.offset)) return null;
  return (
    `The journal ${folder} ends in segment ${end.segment} at byte ${end.offset}, but it continued to segment ${seen.segment}, byte ` +
    `${seen.offset}. It is an older copy, or lost its end with the power: calls of that time may be missing, and no limit counts them.`
  );
}

function findEnd(folder: string): JournalEnd | null {
  try {
    return findJournalEnd(folder);
  } catch {
    // Damage is reported when the journal is opened.
    return null;
  }
}

/** Returns the journal's id, or `damaged`, which is reported when the journal is opened. */
function readJournalId(folder: string): string | null {
  try {
    return journalIdIn(folder);
  } catch {
    return 'damaged';
  }
}
