import type { SqliteConnection } from './connection.ts';

const FIND = 'SELECT id FROM names WHERE text = ?';
const TEXT = 'SELECT text FROM names WHERE id = ?';
const INSERT = 'INSERT INTO names (text) VALUES (?)';

/** Names kept in memory, each way; the oldest make room. */
const KNOWN_MAX = 20_000;

/** The number of no name: what null is stored as. */
export const NO_NAME = 0;

/** Words that occur again and again, each stored once and known by its number. */
export class NameTable {
  readonly #connection: SqliteConnection;
  readonly #known = new Map<string, number>();
  readonly #texts = new Map<number, string>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Its number, or undefined when nothing ever bore the name. */
  find(text: string): number | undefined {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const row = this.#connection.statement(FIND).get(text);
    return row && this.#keep(text, Number(row['id']));
  }

  /** Its number; made inside the caller's transaction when the name is new. */
  id(text: string | null): number {
    if (text === null) return NO_NAME;
    return this.find(text) ?? this.#keep(text, Number(this.#connection.statement(INSERT).run(text).lastInsertRowid));
  }

  /** The name of a number of this book; null = it is that of no name. */
  text(id: unknown): string | null {
    if (id === NO_NAME) return null;
    const number = Number(id);
    return this.#texts.get(number) ?? this.#readText(number);
  }

  #readText(id: number): string {
    const row = this.#connection.statement(TEXT).get(id);
    if (!row) throw new Error('The book knows a name by its number only.');
    const text = String(row['text']);
    makeRoom(this.#texts);
    this.#texts.set(id, text);
    return text;
  }

  /** To be called after a rollback: numbers made in that transaction are not there. */
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
