import type { Entry } from '../../src/domain/usage/call.ts';
import { isRefused } from '../../src/domain/usage/refused-call.ts';
import { type CallFile, type OpenCall, openCall } from '../../src/journal/call-file.ts';
import { addEnded, decodeEnded } from '../../src/journal/format.ts';
import type { EndedBatch, JournalReader } from '../../src/journal/journal-reader.ts';
import type { Dice } from './dice.ts';
import { must } from './violation.ts';

/** The state of one call as one write left it. `seq` 0 = it is open. */
interface Row {
  readonly callId: string;
  readonly begin: string;
  readonly note: string | null;
  readonly end: string | null;
  readonly seq: number;
  /** A refused call, encoded in `begin`: it has no begin of its own. */
  readonly isRefused?: true;
}

/** What the next write does besides writing. */
export type Fault = 'refuse' | 'die_before' | 'die_after';

/** The journal's disk. It outlives processes; after a loss of power, only what was synced is sure. */
export class Disk {
  readonly journalId = 'journal';
  readonly sync: 'normal' | 'full';
  writes: Row[][] = [];
  synced = 0;
  isClosed = true;
  /** No call up to this end is needed any more: the book said so. */
  prunedTo = 0;
  fault: Fault | null = null;

  constructor(sync: 'normal' | 'full') {
    this.sync = sync;
  }

  add(rows: Row[]): void {
    for (const { callId, seq, isRefused: isRefusal } of rows) {
      const known = this.rows(callId);
      must(!known.some((row) => row.seq > 0), () => `4: ${callId} is written after its end`);
      must(seq === 0 || known.length > 0 || isRefusal === true, () => `4: ${callId} ends and never began`);
    }
    this.writes.push(rows);
    if (this.sync === 'full') this.synced = this.writes.length;
  }

  rows(callId: string): Row[] {
    return this.writes.flatMap((rows) => rows.filter((row) => row.callId === callId));
  }

  all(): Row[] {
    return this.writes.flat();
  }

  losePower(dice: Dice): void {
    this.writes.length = dice.whole(this.synced, this.writes.length);
  }

  /** What the book's thread sees of it. */
  reader(): JournalReader {
    return {
      journalId: this.journalId,
      readEnded: (after, limit) => this.#readEnded(after, limit),
      end: () => null,
      close: () => {},
    };
  }

  #readEnded(after: number, limit: number): EndedBatch {
    const rows = this.all()
      .filter(({ seq }) => seq > after)
      .slice(0, limit);
    const calls = rows.flatMap(({ begin, end, isRefused: isRefusal }) =>
      end === null ? [] : decodeEnded(isRefusal ? begin : addEnded('', begin, end)),
    );
    const entries = calls.filter((call): call is Entry => !isRefused(call));
    const first = rows[0]?.seq ?? after + 1;
    return { mark: rows.at(-1)?.seq ?? after, entries, refused: calls.filter(isRefused), missing: first - after - 1 };
  }
}

/** The journal's file as one process has it open. */
export class SimulatedFile implements CallFile {
  readonly journalId: string;
  readonly gap: boolean;
  endSeq: number;
  readonly #disk: Disk;
  readonly #died: () => void;
  #orphans: OpenCall[];

  constructor(disk: Disk, died: () => void) {
    this.#disk = disk;
    this.#died = died;
    this.journalId = disk.journalId;
    this.gap = !disk.isClosed && disk.sync === 'normal';
    const latest = new Map<string, Row>();
    for (const row of disk.all()) latest.set(row.callId, row);
    this.endSeq = Math.max(0, ...disk.all().map(({ seq }) => seq));
    this.#orphans = [...latest.values()]
      .filter(({ end }) => end === null)
      .map(({ callId, begin, note }) => openCall(callId, begin, note, null));
    disk.isClosed = false;
  }

  write(calls: readonly OpenCall[], refused: readonly string[]): void {
    const disk = this.#disk;
    const { fault } = disk;
    if (fault === 'die_before') this.#die();
    this.probe();
    let { endSeq } = this;
    const rows: Row[] = calls.map(({ callId, begin, note, end }) => {
      if (end !== null) endSeq += 1;
      return { callId, begin, note, end, seq: end === null ? 0 : endSeq };
    });
    for (const begin of refused) {
      endSeq += 1;
      const callId = decodeEnded(begin)[0]?.callId ?? '';
      rows.push({ callId, begin, note: null, end: '', seq: endSeq, isRefused: true });
    }
    disk.add(rows);
    if (fault === 'die_after') this.#die();
    this.endSeq = endSeq;
  }

  probe(): void {
    if (this.#disk.fault === 'refuse') throw new Error('the disk is full');
  }

  takeOrphans(): OpenCall[] {
    const orphans = this.#orphans;
    this.#orphans = [];
    return orphans;
  }

  advance(mark: number): boolean {
    const isBehind = mark > this.endSeq;
    if (isBehind) this.endSeq = mark;
    return isBehind;
  }

  /** The newest end stays, because it remembers its number. */
  prune(mark: number): boolean {
    const ended = this.#disk.all().filter(({ seq }) => seq > 0 && seq <= mark && seq < this.endSeq);
    const old = new Set(ended.map(({ callId }) => callId));
    this.#disk.writes = this.#disk.writes.map((rows) => rows.filter(({ callId }) => !old.has(callId)));
    this.#disk.prunedTo = Math.max(this.#disk.prunedTo, ...ended.map(({ seq }) => seq));
    return false;
  }

  explain(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
  }

  close(): void {
    this.#disk.isClosed = true;
    this.#disk.synced = this.#disk.writes.length;
  }

  #die(): never {
    this.#disk.fault = null;
    this.#died();
    throw new Error('the process is dead');
  }
}
