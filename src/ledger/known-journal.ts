import { TollbookError } from '../domain/errors.ts';
import { findJournalEnd, journalIdIn, type JournalEnd } from '../journal/segments.ts';
import type { DataFiles } from './data-folder.ts';

/**
 * Throws `unavailable` where the folder does not have the journal that the ledger last took calls from: calls that ended
 * or were under way may be in the missing one alone, and limits would not count them.
 * @param last id of that journal; null = there was none
 */
export function requireKnownJournal({ journal }: Pick<DataFiles, 'journal'>, last: string | null): void {
  const trouble = journalProblem(journal, last);
  if (trouble !== null) throw new TollbookError('unavailable', trouble);
}

/** Says what is wrong; null = it is the one, or there was none. */
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

/** Says by how much the journal ends before what was seen of it, as an older copy does; null = it does not. */
export function findOlderJournal(folder: string, seen: JournalEnd | null): string | null {
  const end = seen === null ? null : findEnd(folder);
  if (seen === null || end === null || end.journalId !== seen.journalId) return null;
  if (end.segment > seen.segment || (end.segment === seen.segment && end.offset >= seen.offset)) return null;
  return (
    `The journal ${folder} ends in segment ${end.segment} at byte ${end.offset}, but it went on to segment ${seen.segment}, byte ` +
    `${seen.offset}. It is an older copy, or lost its end with the power: calls of that time may be missing, and no limit counts them.`
  );
}

function findEnd(folder: string): JournalEnd | null {
  try {
    return findJournalEnd(folder);
  } catch {
    // Damage is reported where the journal is opened.
    return null;
  }
}

/** Damage is reported where the journal is opened. */
function readJournalId(folder: string): string | null {
  try {
    return journalIdIn(folder);
  } catch {
    return 'damaged';
  }
}
