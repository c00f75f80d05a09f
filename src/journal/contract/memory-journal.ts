import type { Entry } from '../../domain/usage/call.ts';
import { isRefused, type RefusedCall } from '../../domain/usage/refused-call.ts';
import type { CallFile, OpenCall } from '../call-file.ts';
import { addEnded, decodeEnded } from '../format.ts';
import type { EndedBatch, JournalReader } from '../journal-reader.ts';
import { TurnJournal } from '../turn-journal.ts';

export interface MemoryJournalOptions {
  readonly journalId?: string;
  readonly openCallsMax?: number;
  readonly onProblem?: (problem: string | null) => void;
}

/** A journal in memory for tests: same rules, no disk. */
export interface MemoryJournal {
  readonly journal: TurnJournal;
  readonly reader: JournalReader;
  /** Ended calls, oldest first. */
  entries(): Entry[];
  refused(): RefusedCall[];
  /** Makes writes fail with this sentence; null = they work again. */
  failWith(sentence: string | null): void;
}

export function createMemoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const file = new MemoryFile(options.journalId ?? 'memory');
  const journal = new TurnJournal(file, {
    openCallsMax: options.openCallsMax ?? 1_000,
    onProblem: options.onProblem ?? (() => {}),
  });
  return {
    journal,
    reader: {
      journalId: file.journalId,
      readEnded: (after, limit) => file.readEnded(after, limit),
      end: () => null,
      close: () => {},
    },
    entries: () => file.readEnded(0, Infinity).entries.slice(),
    refused: () => file.readEnded(0, Infinity).refused.slice(),
    failWith: (sentence) => {
      file.failure = sentence;
    },
  };
}

class MemoryFile implements CallFile {
  readonly journalId: string;
  readonly gap = false;
  failure: string | null = null;
  endSeq = 0;
  readonly #ended: { readonly seq: number; readonly text: string }[] = [];

  constructor(journalId: string) {
    this.journalId = journalId;
  }

  write(calls: readonly OpenCall[], refused: readonly string[]): void {
    this.probe();
    for (const { begin, end } of calls) {
      if (end === null) continue;
      this.endSeq += 1;
      this.#ended.push({ seq: this.endSeq, text: addEnded('', begin, end) });
    }
    for (const text of refused) this.#ended.push({ seq: (this.endSeq += 1), text });
  }

  readEnded(after: number, limit: number): EndedBatch {
    const found = this.#ended.filter(({ seq }) => seq > after).slice(0, limit);
    const calls = found.flatMap(({ text }) => decodeEnded(text));
    const mark = found.at(-1)?.seq ?? after;
    return {
      mark,
      entries: calls.filter((call): call is Entry => !isRefused(call)),
      refused: calls.filter(isRefused),
      missing: 0,
    };
  }

  probe(): void {
    if (this.failure !== null) throw new Error(this.failure);
  }

  takeOrphans(): OpenCall[] {
    return [];
  }

  advance(mark: number): boolean {
    const behind = mark > this.endSeq;
    if (behind) this.endSeq = mark;
    return behind;
  }

  prune(): boolean {
    return false;
  }

  explain(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
  }

  close(): void {}
}
