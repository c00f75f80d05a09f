import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { TollbookError } from '../core/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { NO_SLOT, openCall } from './call-file.ts';
import type { CallFile, OpenCall } from './call-file.ts';
import { addEnded, addOpened, decodeEnded, decodeOpened } from './format.ts';
import type { OpenText } from './format.ts';
import { explainSqlite } from './sqlite-trouble.ts';

const SCHEMA_VERSION = 1;

/**
 * One row per turn, only ever added at the end: a commit changes one page, mostly the one that the last commit changed.
 * `opened` has the calls that began or were noted in the turn, `ended` those that ended in it, `count` how many these
 * are, `end_seq` the number of the last end so far. In a row that is `whole`, `opened` has every call open at that time.
 */
const SCHEMA = `
  CREATE TABLE journal(
    only INTEGER PRIMARY KEY CHECK (only = 1), journal_id TEXT NOT NULL, closed INTEGER NOT NULL) STRICT;
  CREATE TABLE turns(
    turn INTEGER PRIMARY KEY, end_seq INTEGER NOT NULL, count INTEGER NOT NULL, whole INTEGER NOT NULL,
    written_at INTEGER NOT NULL, ended TEXT NOT NULL, opened TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const PUT_TURN = 'INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?)';
/** The newest end stays: it remembers its number. */
const DELETE_TURNS = `
  DELETE FROM turns WHERE turn < ? AND end_seq <= ? AND end_seq < ? AND (written_at < ? OR end_seq <= ?)`;

/** Only the gate writes, so a lock is someone's tool: long enough for its glance, short enough not to stop the gate. */
const LOCK_WAIT_MS = 50;
/** More calls than this in one turn go into several rows. */
const CALLS_PER_ROW_MAX = 500;
/** A whole row is written after so many characters of others; after more when that row itself is large. */
const WHOLE_AFTER_MIN = 1024 * 1024;
const WHOLE_AFTER_TIMES = 4;
/** The write-ahead file is cut back to this after a burst. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

export interface SqliteFileOptions {
  readonly file: string;
  readonly sync: 'normal' | 'full';
  readonly clock: Clock;
  /** Shipped calls are kept this long, and at most so many. */
  readonly keepMs: number;
  readonly keepRowsMax: number;
  /** Most turns, and most calls, deleted by one `prune`. */
  readonly pruneRowsMax: number;
  /** The file never grows beyond this. */
  readonly bytesMax: number;
}

/** Opens or makes the file. Throws a `TollbookError` (`unavailable`) that says what to do. */
export function openSqliteFile(options: SqliteFileOptions): CallFile {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(options.file, { timeout: LOCK_WAIT_MS });
    prepareSchema(db, options);
    return new SqliteFile(db, options);
  } catch (error) {
    db?.close();
    if (error instanceof TollbookError) throw error;
    throw new TollbookError('unavailable', explainSqlite(options.file, error));
  }
}

function prepareSchema(db: DatabaseSync, { file, sync, bytesMax }: SqliteFileOptions): void {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${sync}; PRAGMA journal_size_limit = ${WAL_KEPT_BYTES}`);
  db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(bytesMax / readNumber(db, 'PRAGMA page_size')))}`);
  const version = readNumber(db, 'PRAGMA user_version');
  if (version > SCHEMA_VERSION)
    throw new TollbookError('unavailable', `The journal ${file} was made by a newer Tollbook: start that version.`);
  if (version === SCHEMA_VERSION) return;
  db.exec(`BEGIN IMMEDIATE; ${SCHEMA}`);
  db.prepare('INSERT INTO journal VALUES (1, ?, 1)').run(randomUUID());
  db.exec('COMMIT');
}

class SqliteFile implements CallFile {
  readonly journalId: string;
  readonly gap: boolean;
  readonly #db: DatabaseSync;
  readonly #options: SqliteFileOptions;
  readonly #putTurn: StatementSync;
  readonly #markOpen: StatementSync;
  readonly #firstTurn: StatementSync;
  readonly #deleteTurns: StatementSync;
  #turn: number;
  #endSeq: number;
  /** Newest whole row, where a start begins to read; 0 = there is none. */
  #wholeTurn: number;
  /** Calls that are open in the file, each at its `slot`. */
  readonly #open: OpenCall[] = [];
  #orphans: OpenCall[];
  /** Characters written after the newest whole row, and how many there may be. */
  #sinceWhole = 0;
  #wholeAfter = WHOLE_AFTER_MIN;

  constructor(db: DatabaseSync, options: SqliteFileOptions) {
    this.#db = db;
    this.#options = options;
    const row = db.prepare('SELECT journal_id, closed FROM journal').get();
    this.journalId = String(row?.['journal_id']);
    this.gap = row?.['closed'] !== 1 && options.sync === 'normal';
    this.#turn = readNumber(db, 'SELECT coalesce(max(turn), 0) FROM turns');
    this.#endSeq = readNumber(db, 'SELECT coalesce((SELECT end_seq FROM turns ORDER BY turn DESC LIMIT 1), 0)');
    this.#wholeTurn = readNumber(
      db,
      'SELECT coalesce((SELECT turn FROM turns WHERE whole = 1 ORDER BY turn DESC LIMIT 1), 0)',
    );
    this.#putTurn = db.prepare(PUT_TURN);
    this.#markOpen = db.prepare('UPDATE journal SET closed = 0');
    this.#firstTurn = db.prepare('SELECT turn, end_seq FROM turns ORDER BY turn LIMIT 1');
    this.#deleteTurns = db.prepare(DELETE_TURNS);
    for (const { callId, begin, note } of this.#readOpen()) this.#hold(openCall(callId, begin, note, null));
    this.#orphans = [...this.#open];
  }

  get endSeq(): number {
    return this.#endSeq;
  }

  write(calls: readonly OpenCall[]): void {
    if (this.#sinceWhole > this.#wholeAfter) this.#putWhole();
    if (calls.length <= CALLS_PER_ROW_MAX) this.#put(calls);
    else
      this.#inTransaction(() => {
        for (let at = 0; at < calls.length; at += CALLS_PER_ROW_MAX) this.#put(calls.slice(at, at + CALLS_PER_ROW_MAX));
      });
    for (const call of calls)
      if (call.end === null) this.#hold(call);
      else this.#release(call);
  }

  probe(): void {
    this.#markOpen.run();
  }

  takeOrphans(): OpenCall[] {
    const orphans = this.#orphans;
    this.#orphans = [];
    return orphans;
  }

  advance(mark: number): boolean {
    if (mark <= this.#endSeq) return false;
    this.#endSeq = mark;
    return true;
  }

  /** Deletes before it writes, so that a full file takes what is written. */
  prune(mark: number): boolean {
    const { clock, keepMs, keepRowsMax, pruneRowsMax } = this.#options;
    const first = this.#firstTurn.get() as { turn: number; end_seq: number } | undefined;
    if (!first) return false;
    // Nothing after the newest whole row may go: where all is after it, it is time for another.
    const stale = first.turn >= this.#wholeTurn;
    const until = Math.min(stale ? this.#turn + 1 : this.#wholeTurn, first.turn + pruneRowsMax);
    const untilSeq = Math.min(mark, first.end_seq + pruneRowsMax);
    let deleted = 0;
    this.#inTransaction(() => {
      const before = clock() - keepMs;
      const done = this.#deleteTurns.run(until, untilSeq, this.#endSeq, before, this.#endSeq - keepRowsMax);
      deleted = Number(done.changes);
      if (stale && deleted > 0) this.#putWhole();
    });
    return deleted > 0;
  }

  close(): void {
    try {
      this.#db.exec('UPDATE journal SET closed = 1');
    } finally {
      this.#db.close();
    }
  }

  explain(error: unknown): string {
    return explainSqlite(this.#options.file, error);
  }

  /** Plays back the turns since the newest whole row. */
  #readOpen(): Iterable<OpenText> {
    const open = new Map<string, OpenText>();
    const rows = this.#db.prepare('SELECT ended, opened FROM turns WHERE turn >= ? ORDER BY turn');
    for (const { ended, opened } of rows.iterate(this.#wholeTurn)) {
      for (const call of decodeOpened(String(opened))) open.set(call.callId, call);
      for (const { callId } of decodeEnded(String(ended))) open.delete(callId);
      this.#sinceWhole += String(ended).length + String(opened).length;
    }
    return open.values();
  }

  #put(calls: readonly OpenCall[]): void {
    let ended = '';
    let opened = '';
    let count = 0;
    for (const call of calls)
      if (call.end === null) opened = addOpened(opened, call.begin, call.note);
      else {
        ended = addEnded(ended, call.begin, call.end);
        count += 1;
      }
    this.#putRow(count, 0, ended, opened);
    this.#sinceWhole += ended.length + opened.length;
  }

  #putWhole(): void {
    let opened = '';
    for (const { begin, note } of this.#open) opened = addOpened(opened, begin, note);
    this.#putRow(0, 1, '', opened);
    this.#wholeTurn = this.#turn;
    this.#sinceWhole = 0;
    this.#wholeAfter = Math.max(WHOLE_AFTER_MIN, WHOLE_AFTER_TIMES * opened.length);
  }

  #putRow(count: number, whole: 0 | 1, ended: string, opened: string): void {
    this.#putTurn.run(this.#turn + 1, this.#endSeq + count, count, whole, this.#options.clock(), ended, opened);
    this.#turn += 1;
    this.#endSeq += count;
  }

  #hold(call: OpenCall): void {
    if (call.slot !== NO_SLOT) return;
    call.slot = this.#open.push(call) - 1;
  }

  /** The last open call takes the place of the one that goes. */
  #release(call: OpenCall): void {
    if (call.slot === NO_SLOT) return;
    const last = this.#open.pop();
    if (!last || last === call) return;
    this.#open[call.slot] = last;
    last.slot = call.slot;
  }

  #inTransaction(work: () => void): void {
    const [turn, endSeq, wholeTurn] = [this.#turn, this.#endSeq, this.#wholeTurn];
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      [this.#turn, this.#endSeq, this.#wholeTurn] = [turn, endSeq, wholeTurn];
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

/** The first column of the only row. */
function readNumber(db: DatabaseSync, sql: string): number {
  return Number(Object.values(db.prepare(sql).get() ?? {})[0]);
}
