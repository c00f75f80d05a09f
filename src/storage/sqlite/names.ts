import type { Connection } from './connection.ts';

const FIND = 'SELECT id FROM names WHERE text = ?';
const TEXT = 'SELECT text FROM names WHERE id = ?';
const INSERT = 'INSERT INTO names (text) VALUES (?)';

/** Ids kept in memory; the oldest make room. */
const KNOWN_MAX = 20_000;

/** The number of no name: what null is stored as. */
export const NO_NAME = 0;

/** Words that occur again and again, each stored once and known by its number. */
export class Names {
  readonly #connection: Connection;
  readonly #known = new Map<string, number>();

  constructor(connection: Connection) {
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

  /** To be called after a rollback: numbers made in that transaction are not there. */
  forget(): void {
    this.#known.clear();
  }

  #keep(text: string, id: number): number {
    const [oldest] = this.#known.size >= KNOWN_MAX ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(text, id);
    return id;
  }
}

/** Tells the names of many rows, each looked up once. */
export function namesByNumber(connection: Connection): (id: unknown) => string | null {
  const known = new Map<unknown, string | null>([[NO_NAME, null]]);
  return (id) => {
    let name = known.get(id);
    if (name === undefined) {
      const row = connection.statement(TEXT).get(Number(id));
      if (!row) throw new Error('The book knows a name by its number only.');
      name = String(row['text']);
      known.set(id, name);
    }
    return name;
  };
}
