import type { SqliteConnection } from './connection.ts';
import { type RollupKind, RollupKinds } from '../sql/rollup-kinds.ts';
import type { NameTable } from '../sql/name-table.ts';
import type { ValueCaps } from '../sql/rollup-caps.ts';
import { addToCell, type RollupCell } from '../sql/rollup-cells.ts';
import { ExactSums } from '../sql/exact-sums.ts';
import type { RollupOverflow } from '../entry-store.ts';

/** The open ledger database, with its caches. */
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

  /** Runs one transaction. A failure clears the caches. */
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

/**
 * Adds up the measures of each kind and writes every roll-up row once. Returns roll-ups in which values were counted
 * under `(other)`.
 */
export function rollUp({ connection, kinds, caps }: LedgerDatabase, counted: ExactSums<RollupKind>): RollupOverflow[] {
  const hours = new ExactSums<RollupCell>();
  for (const { of: kind, measures } of counted.all) for (const cell of kind.cells) hours.add(cell, measures);
  const days = new ExactSums<RollupCell>();
  for (const { of: cell, measures } of hours.all) if (cell.day) days.add(cell.day, measures);
  for (const { of: cell, measures } of hours.all) addToCell(connection, cell, measures);
  for (const { of: cell, measures } of days.all) addToCell(connection, cell, measures);
  const overflowed = caps.finish();
  kinds.finish(overflowed.length > 0);
  return overflowed;
}
