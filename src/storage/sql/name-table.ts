import type { SqliteConnection } from '../sqlite/connection.ts';

const FIND = 'SELECT id FROM names WHERE text = ?';
const TEXT = 'SELECT text FROM names WHERE id = ?';
const INSERT = 'INSERT INTO names (text) VALUES (?)';

/** Names cached in each direction; the oldest are dropped. */
const KNOWN_MAX = 20_000;

/** Number that null is stored as. */
export const NO_NAME = 0;

/** Numbers of repeated words: each word is stored once. */
export class NameTable {
  readonly #connection: SqliteConnection;
  readonly #known = new Map<string, number>();
  readonly #texts = new Map<number, string>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Returns the number of a name; undefined = never seen. */
  find(text: string): number | undefined {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const row = this.#connection.statement(FIND).get(text);
    return row && this.#keep(text, Number(row['id']));
  }

  /** Returns the number of a name; creates a new one inside the caller's transaction. */
  id(text: string | null): number {
    if (text === null) return NO_NAME;
    return this.find(text) ?? this.#keep(text, Number(this.#connection.statement(INSERT).run(text).lastInsertRowid));
  }

  /** Returns the name of a number; null = no name. */
  text(id: unknown): string | null {
    if (id === NO_NAME) return null;
    const number = Number(id);
    return this.#texts.get(number) ?? this.#readText(number);
  }

  #readText(id: number): string {
    const row = this.#connection.statement(TEXT).get(id);
    if (!row) throw new Error('Unknown name number in the ledger.');
    const text = String(row['text']);
    makeRoom(this.#texts);
    this.#texts.set(id, text);
    return text;
  }

  /** Clears the cache. Call it after a rollback, which removes new numbers. */
  forget(): void {
    this.#known.clear();
    this.#texts.clear();
  }

  #keep(text: string, id: number): number {
    makeRoom(this.#known);
    this.#known.set(text, id);
    return id;
  }
}

function makeRoom<Key>(known: Map<Key, unknown>): void {
  const [oldest] = known.size >= KNOWN_MAX ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
}
