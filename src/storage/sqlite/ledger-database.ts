import type { SqliteConnection } from './connection.ts';
import { SyncNames } from './sync-names.ts';
import type { SqlSteps } from '../sql/steps.ts';
import type { SqlLedger } from '../sql/sql-ledger.ts';

/** The ledger for code that asks SQLite directly. */
export class LedgerDatabase {
  readonly connection: SqliteConnection;
  readonly names: SyncNames;
  readonly #ledger: SqlLedger;

  constructor(connection: SqliteConnection, ledger: SqlLedger) {
    this.connection = connection;
    this.names = new SyncNames(connection, ledger.names);
    this.#ledger = ledger;
  }

  /** Runs work in one transaction. A failure clears the caches. */
  async writeNow<Result>(work: () => Result): Promise<Result> {
    return await this.#ledger.write(() => runAsSteps(work));
  }
}

function* runAsSteps<Result>(work: () => Result): SqlSteps<Result> {
  yield;
  return work();
}
