import type { SqliteConnection } from './connection.ts';
import { RollupKinds } from './kinds.ts';
import type { NameTable } from './names.ts';
import type { ValueCaps } from './value-caps.ts';

/** What the queries work on. */
export class LedgerDatabase {
  readonly connection: SqliteConnection;
  readonly names: NameTable;
  readonly caps: ValueCaps;
  readonly kinds: RollupKinds;

  constructor(connection: SqliteConnection, names: NameTable, caps: ValueCaps) {
    this.connection = connection;
    this.names = names;
    this.caps = caps;
    this.kinds = new RollupKinds(names, caps);
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
