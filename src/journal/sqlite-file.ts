import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { TollbookError } from '../core/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { NO_SLOT } from './call-file.ts';
import type { CallFile, OpenCall, Orphan } from './call-file.ts';
import { joinCalls, joinEnded } from './format.ts';
import { explainSqlite } from './sqlite-trouble.ts';

const SCHEMA_VERSION = 1;

/**
 * `open_calls` has a row per call in flight, `ended_calls` one per turn with all calls that ended in it: `seq` is the
 * `end_seq` of its last call.
 */
const SCHEMA = `
  CREATE TABLE journal(
    only INTEGER PRIMARY KEY CHECK (only = 1), journal_id TEXT NOT NULL, closed INTEGER NOT NULL) STRICT;
  CREATE TABLE open_calls(slot INTEGER PRIMARY KEY, call_begin TEXT NOT NULL, note TEXT) STRICT;
  CREATE TABLE ended_calls(
    seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, ended_at INTEGER NOT NULL, calls TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** The newest row stays: it remembers the last `end_seq`. */
const DELETE_ENDED = `
  DELETE FROM ended_calls
  WHERE seq <= ? AND seq < (SELECT max(seq) FROM ended_calls) AND (ended_at < ? OR seq <= ?)`;

/** Only the gate writes, so a lock is someone's tool: long enough for its glance, short enough not to stop the gate. */
const LOCK_WAIT_MS = 50;
/** More ended calls than this in one turn go into several rows. */
const CALLS_PER_ROW_MAX = 500;
/** The write-ahead file is cut back to this after a burst. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

export interface SqliteFileOptions {
  readonly file: string;
  readonly sync: 'normal' | 'full';
  readonly clock: Clock;
  /** Shipped calls are kept this long, and at most so many. */
  readonly keepMs: number;
  readonly keepRowsMax: number;
  /** Calls deleted by one `prune`. */
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
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #putOpen: StatementSync;
  readonly #dropOpen: StatementSync;
  readonly #putEnded: StatementSync;
  readonly #markOpen: StatementSync;
  readonly #firstSeq: StatementSync;
  readonly #deleteEnded: StatementSync;
  #endSeq: number;
  #orphans: Orphan[];
  /** Slots below this have been given out; those of them that are free again wait here. */
  #nextSlot: number;
  readonly #freeSlots: number[] = [];

  constructor(db: DatabaseSync, options: SqliteFileOptions) {
    this.#db = db;
    this.#options = options;
    const row = db.prepare('SELECT journal_id, closed FROM journal').get();
    this.journalId = String(row?.['journal_id']);
    this.gap = row?.['closed'] !== 1 && options.sync === 'normal';
    this.#endSeq = readNumber(db, 'SELECT coalesce(max(seq), 0) FROM ended_calls');
    this.#nextSlot = readNumber(db, 'SELECT coalesce(max(slot), 0) + 1 FROM open_calls');
    this.#orphans = db.prepare('SELECT slot, call_begin, note FROM open_calls ORDER BY slot').all().map(readOrphan);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#putOpen = db.prepare('INSERT OR REPLACE INTO open_calls VALUES (?, ?, ?)');
    this.#dropOpen = db.prepare('DELETE FROM open_calls WHERE slot = ?');
    this.#putEnded = db.prepare('INSERT INTO ended_calls VALUES (?, ?, ?, ?)');
    this.#markOpen = db.prepare('UPDATE journal SET closed = 0');
    this.#firstSeq = db.prepare('SELECT seq FROM ended_calls ORDER BY seq LIMIT 1');
    this.#deleteEnded = db.prepare(DELETE_ENDED);
  }

  get endSeq(): number {
    return this.#endSeq;
  }

  write(calls: readonly OpenCall[]): void {
    const given: OpenCall[] = [];
    this.#begin.run();
    try {
      const released: number[] = [];
      const endSeq = this.#writeEnded(calls, released);
      this.#writeOpen(calls, released, given);
      for (const slot of released) this.#dropOpen.run(slot);
      this.#commit.run();
      this.#endSeq = endSeq;
      this.#freeSlots.push(...released);
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#takeBackSlots(calls, given);
      throw error;
    }
  }

  probe(): void {
    this.#markOpen.run();
  }

  takeOrphans(): Orphan[] {
    const orphans = this.#orphans;
    this.#orphans = [];
    return orphans;
  }

  advance(mark: number): boolean {
    if (mark <= this.#endSeq) return false;
    this.#endSeq = mark;
    return true;
  }

  prune(mark: number): boolean {
    const { clock, keepMs, keepRowsMax, pruneRowsMax } = this.#options;
    const first = this.#firstSeq.get()?.['seq'];
    if (typeof first !== 'number') return false;
    const until = Math.min(mark, first + pruneRowsMax);
    this.#deleteEnded.run(until, clock() - keepMs, this.#endSeq - keepRowsMax);
    return this.#firstSeq.get()?.['seq'] !== first && until < mark;
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

  /** Writes the calls that ended and collects the slots of their begins. Returns the last `end_seq` given. */
  #writeEnded(calls: readonly OpenCall[], released: number[]): number {
    let endSeq = this.#endSeq;
    let row: string[] = [];
    for (const call of calls) {
      if (call.end === null) continue;
      if (call.slot !== NO_SLOT) released.push(call.slot);
      row.push(joinEnded(call.begin, call.end));
      endSeq += 1;
      if (row.length === CALLS_PER_ROW_MAX) {
        this.#putEnded.run(endSeq, row.length, this.#options.clock(), joinCalls(row));
        row = [];
      }
    }
    if (row.length > 0) this.#putEnded.run(endSeq, row.length, this.#options.clock(), joinCalls(row));
    return endSeq;
  }

  /** A new begin overwrites the row of a call that ended in the same turn, which saves that row's deletion. */
  #writeOpen(calls: readonly OpenCall[], released: number[], given: OpenCall[]): void {
    for (const call of calls) {
      if (call.end !== null) continue;
      if (call.slot === NO_SLOT) {
        call.slot = released.pop() ?? this.#freeSlots.pop() ?? this.#nextSlot++;
        given.push(call);
      }
      this.#putOpen.run(call.slot, call.begin, call.note);
    }
  }

  /** Begins of a failed turn are forgotten, and their slots free again, except those that its ended calls still hold. */
  #takeBackSlots(calls: readonly OpenCall[], given: readonly OpenCall[]): void {
    const held = new Set(calls.flatMap((call) => (call.end === null ? [] : call.slot)));
    for (const { slot } of given) if (!held.has(slot)) this.#freeSlots.push(slot);
  }
}

function readOrphan(row: Readonly<Record<string, SQLOutputValue>>): Orphan {
  const note = row['note'];
  return {
    slot: Number(row['slot']),
    begin: String(row['call_begin']),
    note: typeof note === 'string' ? note : null,
  };
}

/** The first column of the only row. */
function readNumber(db: DatabaseSync, sql: string): number {
  return Number(Object.values(db.prepare(sql).get() ?? {})[0]);
}
