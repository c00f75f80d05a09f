import type { RollupOverflow } from '../store.ts';
import type { LedgerDatabase } from './book.ts';
import { addToCell } from './cells.ts';
import type { RollupCell } from './cells.ts';
import type { RollupKind } from './kinds.ts';
import { ExactSums } from './sums.ts';

/** Adds up what was counted of each kind and writes every roll-up row once. Says where values went under `(other)`. */
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
