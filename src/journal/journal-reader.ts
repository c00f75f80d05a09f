import { DatabaseSync } from 'node:sqlite';
import type { Entry } from '../core/call.ts';
import { TollbookError } from '../core/errors.ts';
import { decodeEntry, splitCalls } from './format.ts';
import { explainSqlite } from './sqlite-trouble.ts';

export interface EndedBatch {
  /** `end_seq` of the last entry; the number asked for when there is none. */
  readonly mark: number;
  readonly entries: readonly Entry[];
  /** Ended calls between the number asked for and the first entry that the journal no longer has. */
  readonly missing: number;
}

/** The reading side of the journal, for another thread than the one that writes it. */
export interface JournalReader {
  readonly journalId: string;
  /** Ended calls after `afterSeq`, in order, at most `limit`. Throws a `TollbookError` when the file can't be read. */
  readEnded(afterSeq: number, limit: number): EndedBatch;
  close(): void;
}

/** The writer's checkpoint or a tool may hold the file for a moment; the reader's thread may wait that long. */
const LOCK_WAIT_MS = 1_000;

const READ_ENDED = 'SELECT seq, count, calls FROM ended_calls WHERE seq > ? ORDER BY seq LIMIT ?';

/** Opens a journal that exists, for reading only. */
export function openJournalReader(file: string): JournalReader {
  const explained = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new TollbookError('unavailable', explainSqlite(file, error));
    }
  };
  const db = explained(() => new DatabaseSync(file, { readOnly: true, timeout: LOCK_WAIT_MS }));
  const statement = explained(() => db.prepare(READ_ENDED));
  const journalId = explained(() => String(db.prepare('SELECT journal_id FROM journal').get()?.['journal_id']));
  return {
    journalId,
    readEnded: (afterSeq, limit) =>
      explained(() => {
        const rows = statement.iterate(afterSeq, limit) as Iterable<EndedRow>;
        return collectEnded(rows, afterSeq, limit);
      }),
    close: () => db.close(),
  };
}

/** All calls that ended in one turn; `seq` is the `end_seq` of the last. */
interface EndedRow {
  readonly seq: number;
  readonly count: number;
  readonly calls: string;
}

function collectEnded(rows: Iterable<EndedRow>, afterSeq: number, limit: number): EndedBatch {
  const entries: Entry[] = [];
  let mark = afterSeq;
  let missing = 0;
  for (const row of rows) {
    const before = row.seq - row.count;
    if (before > mark) {
      missing += before - mark;
      mark = before;
    }
    const calls = splitCalls(row.calls).slice(mark - before, mark - before + limit - entries.length);
    for (const call of calls) entries.push(decodeEntry(call));
    mark += calls.length;
    if (entries.length >= limit) break;
  }
  return { mark, entries, missing };
}
