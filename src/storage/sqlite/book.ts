import type { Connection } from './connection.ts';
import { Kinds } from './kinds.ts';
import type { Names } from './names.ts';
import type { ValueCaps } from './value-caps.ts';

/** What the queries work on. */
export class Book {
  readonly connection: Connection;
  readonly names: Names;
  readonly caps: ValueCaps;
  readonly kinds: Kinds;

  constructor(connection: Connection, names: Names, caps: ValueCaps) {
    this.connection = connection;
    this.names = names;
    this.caps = caps;
    this.kinds = new Kinds(names, caps);
  }

  /** One transaction; when it fails, what was remembered of it is forgotten too. */
  async write<Result>(work: () => Result): Promise<Result> {
    try {
      return await this.connection.transaction(work);
    } catch (error) {
      this.names.forget();
      this.caps.forget();
      this.kinds.forget();
      throw error;
    }
  }
}
