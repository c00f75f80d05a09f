import type { Dialect } from './dialect.ts';
import { EntryReader } from './entry-reader.ts';
import type { EntryTable, SqlContext } from './entry-table.ts';
import { NameTable } from './name-table.ts';
import { type RollupCaps, ValueCaps } from './rollup-caps.ts';
import { RollupKinds } from './rollup-kinds.ts';
import { SQL_ENTRIES } from './sql-entries.ts';
import type { SqlDriver, WriteAccess } from './sql-driver.ts';
import type { SqlSteps } from './steps.ts';

/** The open ledger in an SQL database, with its caches. */
export class SqlLedger implements SqlContext {
  readonly names = new NameTable();
  readonly dialect: Dialect;
  readonly entries: EntryTable;
  readonly caps: ValueCaps;
  readonly kinds: RollupKinds;
  readonly #driver: SqlDriver;

  /** @param entries the tables of entries and corrections; default: those of this database */
  constructor(driver: SqlDriver, caps: RollupCaps, entries: EntryTable = SQL_ENTRIES) {
    this.entries = entries;
    this.#driver = driver;
    this.dialect = driver.dialect;
    this.caps = new ValueCaps(this.names, caps);
    this.kinds = new RollupKinds(this.caps);
    driver.onReplaced?.(() => this.#forget());
  }

  async read<Result>(query: (reader: EntryReader) => SqlSteps<Result>): Promise<Result> {
    const { sliceEntries } = this.#driver;
    return await this.#driver.read(() => query(new EntryReader(this, sliceEntries)));
  }

  /** Runs steps in one transaction. Steps that are undone leave nothing in the caches. */
  async write<Result>(work: () => SqlSteps<Result>, access: WriteAccess = 'alone'): Promise<Result> {
    let isFirst = true;
    const fromTheStart = (): SqlSteps<Result> => {
      if (!isFirst) this.#forget();
      isFirst = false;
      return work();
    };
    try {
      return await this.#driver.write(fromTheStart, access);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#driver.close();
  }

  #forget(): void {
    this.names.forget();
    this.caps.forget();
    this.kinds.forget();
  }
}
