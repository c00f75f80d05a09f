import { ExactSums } from './exact-sums.ts';
import { addToCells, type RollupCell } from './rollup-cells.ts';
import type { RollupKind } from './rollup-kinds.ts';
import type { SqlLedger } from './sql-ledger.ts';
import type { SqlSteps } from './steps.ts';
import type { RollupOverflow } from '../entry-store.ts';

/**
 * Adds up the measures of each kind and writes every roll-up row once. Returns roll-ups in which values were counted
 * under `(other)`.
 */
export function* rollUp(
  { kinds, caps }: Pick<SqlLedger, 'kinds' | 'caps'>,
  counted: ExactSums<RollupKind>,
): SqlSteps<RollupOverflow[]> {
  const hours = new ExactSums<RollupCell>();
  for (const { of: kind, measures } of counted.all) for (const cell of kind.cells) hours.add(cell, measures);
  const days = new ExactSums<RollupCell>();
  for (const { of: cell, measures } of hours.all) if (cell.day) days.add(cell.day, measures);
  yield* addToCells(hours);
  yield* addToCells(days);
  const overflowed = caps.finish();
  kinds.finish(overflowed.length > 0);
  return overflowed;
}
