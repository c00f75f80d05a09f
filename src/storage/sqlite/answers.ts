import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { TollbookError } from '../../domain/errors.ts';
import { Connection } from './connection.ts';
import { Names } from './names.ts';
import { atOneGo, EntryReading, type Steps } from './reading.ts';

const BUSY_MS_MAX = 5_000;

/**
 * Answers questions whose entries take one turn at once. Longer ones are answered in turns, from a connection of their
 * own whose snapshot stays as it is, so that every sum of a report is of one instant, whatever is booked, corrected or
 * pruned meanwhile. There is one of those at a time: together they would not be ready sooner.
 */
export class Answers {
  readonly #connection: Connection;
  readonly #names: Names;
  readonly #sliceEntries: number;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(connection: Connection, names: Names, sliceEntries: number) {
    this.#connection = connection;
    this.#names = names;
    this.#sliceEntries = sliceEntries;
  }

  async to<Answer>(question: (reading: EntryReading) => Steps<Answer>): Promise<Answer> {
    const steps = question(new EntryReading(this.#connection, this.#names, this.#sliceEntries));
    const first = steps.next();
    if (first.done) return first.value;
    const file = this.#connection.db.location();
    // A book in memory has no second connection.
    if (file === null) return atOneGo(steps);
    const answer = this.#last.then(() => this.#onSnapshot(file, question));
    this.#last = answer.catch(() => undefined);
    return await answer;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }

  async #onSnapshot<Answer>(file: string, question: (reading: EntryReading) => Steps<Answer>): Promise<Answer> {
    const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS_MAX });
    try {
      db.exec('BEGIN');
      const connection = new Connection(db);
      const steps = question(new EntryReading(connection, new Names(connection), this.#sliceEntries));
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        await setImmediate();
        if (this.#closed) throw new TollbookError('unavailable', 'The book closes; ask again when it is open.');
      }
    } finally {
      db.close();
    }
  }
}
