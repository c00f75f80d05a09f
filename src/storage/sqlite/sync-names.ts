import type { NameTable } from '../sql/name-table.ts';
import type { SqliteConnection } from './connection.ts';

/** The names of a ledger for code that asks SQLite directly. */
export class SyncNames {
  readonly table: NameTable;
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection, table: NameTable) {
    this.#connection = connection;
    this.table = table;
  }

  find(name: string): number | undefined {
    return this.table.known(name) ?? this.#connection.run(this.table.find(name));
  }

  id(name: string | null): number {
    return (name === null ? undefined : this.table.known(name)) ?? this.#connection.run(this.table.id(name));
  }

  text(id: unknown): string | null {
    return this.#connection.run(this.table.texts([id]))(id);
  }
}
