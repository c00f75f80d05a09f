import { number, type ResultRow, text as readText } from './result-row.ts';
import { ask, askEach, insertRows, type RowInsert, type SqlSteps } from './steps.ts';

const FIND = 'SELECT id, text FROM names WHERE text = ?';
const TEXT = 'SELECT id, text FROM names WHERE id = ?';
const INSERT: RowInsert = {
  table: 'names',
  columns: ['text'],
  keyColumns: 1,
  // Another writer may have inserted it in the meantime.
  onConflict: 'ON CONFLICT (text) DO NOTHING',
  returning: ['id', 'text'],
};

/** Names cached in each direction; the oldest are dropped. */
const KNOWN_MAX = 20_000;

/** Number that null is stored as. */
export const NO_NAME = 0;

/** Returns the number of a name. */
export type IdOf = (name: string | null) => number;
/** Returns the name of a number; null = no name. */
export type TextOf = (id: unknown) => string | null;

/** Numbers of repeated words: each word is stored once, for ever. */
export class NameTable {
  readonly #known = new Map<string, number>();
  readonly #texts = new Map<number, string>();

  /** Returns a number that is cached; undefined = ask `find`. */
  known(name: string): number | undefined {
    return this.#known.get(name);
  }

  /** Returns the number of a name; undefined = never seen. */
  *find(name: string): SqlSteps<number | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [row] = yield ask(FIND, [name]);
    return row && cacheName(this.#known, name, number(row, 'id'));
  }

  /** Returns the numbers of names. Names that were never seen are missing. */
  *findAll(names: Iterable<string>): SqlSteps<Map<string, number>> {
    const found = new Map<string, number>();
    const asked: string[] = [];
    for (const name of new Set(names)) {
      const known = this.#known.get(name);
      if (known === undefined) asked.push(name);
      else found.set(name, known);
    }
    this.#take(asked, yield* askEach(FIND, asked.map(listOfOne)), found);
    return found;
  }

  /** Returns the number of a name; creates a new one inside the caller's transaction. */
  *id(name: string | null): SqlSteps<number> {
    if (name === null) return NO_NAME;
    const ids = yield* this.ids([name]);
    return ids.get(name) ?? NO_NAME;
  }

  /**
   * Returns what `build` makes with the numbers of names. Names that it asks for and that are not cached are read or
   * created, and it is called again; so it must not change anything outside.
   */
  *resolve<Result>(build: (idOf: IdOf) => Result): SqlSteps<Result> {
    const resolved = new Map<string, number>();
    for (;;) {
      const missing = new Set<string>();
      const result = build((name) => {
        if (name === null) return NO_NAME;
        const id = this.#known.get(name) ?? resolved.get(name);
        if (id === undefined) missing.add(name);
        return id ?? NO_NAME;
      });
      if (missing.size === 0) return result;
      for (const [name, id] of yield* this.ids(missing)) resolved.set(name, id);
    }
  }

  /** Returns the names of numbers. */
  *texts(ids: Iterable<unknown>): SqlSteps<TextOf> {
    const found = new Map<number, string>();
    const asked = new Map<number, [number]>();
    for (const stored of ids) {
      const id = Number(stored);
      if (id === NO_NAME || found.has(id)) continue;
      const known = this.#texts.get(id);
      if (known === undefined) asked.set(id, [id]);
      else found.set(id, known);
    }
    for (const row of yield* askEach(TEXT, [...asked.values()])) {
      const id = number(row, 'id');
      found.set(id, cacheName(this.#texts, id, readText(row, 'text')));
    }
    return (id) => {
      const name = found.get(Number(id));
      if (name === undefined && Number(id) !== NO_NAME) throw new Error('Unknown name number in the ledger.');
      return name ?? null;
    };
  }

  /** Returns the names of the numbers in these columns of rows that are lists. */
  *textsIn(rows: readonly (readonly unknown[])[], columns: readonly number[]): SqlSteps<TextOf> {
    const ids = new Set<unknown>();
    let before: readonly unknown[] = [];
    for (const row of rows) {
      // Rows are mostly sorted by them.
      for (const column of columns) if (row[column] !== before[column]) ids.add(row[column]);
      before = row;
    }
    return yield* this.texts(ids);
  }

  /** Clears the cache. Call it after a rollback, which removes new numbers. */
  forget(): void {
    this.#known.clear();
    this.#texts.clear();
  }

  /** Returns the numbers of all names, and creates missing ones. */
  *ids(names: Iterable<string>): SqlSteps<Map<string, number>> {
    const all = [...names];
    const found = yield* this.findAll(all);
    let missing = all.filter((name) => !found.has(name));
    this.#take(missing, yield* insertRows(INSERT, missing.map(listOfOne)), found);
    // Created by another writer since they were looked for.
    missing = missing.filter((name) => !found.has(name));
    this.#take(missing, yield* askEach(FIND, missing.map(listOfOne)), found);
    return found;
  }

  /** Takes the rows of names. A text comes back well-formed. */
  #take(names: readonly string[], rows: readonly ResultRow[], found: Map<string, number>): void {
    const ids = new Map(rows.map((row) => [readText(row, 'text'), number(row, 'id')]));
    for (const name of names) {
      const id = ids.get(name.toWellFormed());
      if (id !== undefined) found.set(name, cacheName(this.#known, name, id));
    }
  }
}

function listOfOne(name: string): [string] {
  return [name.toWellFormed()];
}

/** Caches a value; drops the oldest where the cache is full. */
function cacheName<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  const [oldest] = known.size >= KNOWN_MAX ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, value);
  return value;
}
