import { DatabaseSync } from 'node:sqlite';
import type { Entry } from '../core/call.ts';
import { TollbookError } from '../core/errors.ts';
import { decodeEnded } from './format.ts';
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

const READ_ENDED =
  'SELECT turn, end_seq AS seq, count, ended FROM turns WHERE turn > ? AND count > 0 ORDER BY turn LIMIT ?';
/** Looks back from the newest turn, past the turns that are about to be read. */
const FIND_TURN = 'SELECT turn FROM turns WHERE end_seq <= ? ORDER BY turn DESC LIMIT 1';

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
  const readTurns = explained(() => db.prepare(READ_ENDED));
  const findTurn = explained(() => db.prepare(FIND_TURN));
  const journalId = explained(() => String(db.prepare('SELECT journal_id FROM journal').get()?.['journal_id']));
  let last: Place = { mark: 0, turn: 0 };
  return {
    journalId,
    readEnded: (afterSeq, limit) =>
      explained(() => {
        const turn = last.mark === afterSeq ? last.turn : Number(findTurn.get(afterSeq)?.['turn'] ?? 0);
        const rows = readTurns.iterate(turn, limit) as Iterable<EndedRow>;
        const batch = collectEnded(rows, { mark: afterSeq, turn }, limit);
        last = { mark: batch.mark, turn: batch.turn };
        return { mark: batch.mark, entries: batch.entries, missing: batch.missing };
      }),
    close: () => db.close(),
  };
}

/** How far a reader is: no turn up to `turn` has an end after `mark`. */
interface Place {
  readonly mark: number;
  readonly turn: number;
}

/** All calls that ended in one turn; `seq` is the `end_seq` of the last. */
interface EndedRow {
  readonly turn: number;
  readonly seq: number;
  readonly count: number;
  readonly ended: string;
}

function collectEnded(rows: Iterable<EndedRow>, from: Place, limit: number): EndedBatch & Place {
  const entries: Entry[] = [];
  let { mark, turn } = from;
  let missing = 0;
  for (const row of rows) {
    const before = row.seq - row.count;
    if (before > mark) {
      missing += before - mark;
      mark = before;
    }
    const calls = decodeEnded(row.ended);
    const end = Math.min(calls.length, mark - before + limit - entries.length);
    for (const call of calls.slice(mark - before, end)) entries.push(call);
    mark = before + end;
    if (mark === row.seq) turn = row.turn;
    if (entries.length >= limit) break;
  }
  return { mark, turn, entries, missing };
}
