import type { Overflow } from '../store.ts';
import type { Book } from './book.ts';
import { addToCell } from './cells.ts';
import type { Cell } from './cells.ts';
import type { Kind } from './kinds.ts';
import { Sums } from './sums.ts';

/** Adds up what was counted of each kind and writes every roll-up row once. Says where values went under `(other)`. */
export function rollUp({ connection, kinds, caps }: Book, counted: Sums<Kind>): Overflow[] {
  const cells = new Sums<Cell>();
  for (const { of: kind, counts } of counted.all) for (const cell of kind) cells.add(cell, counts);
  for (const { of: cell, counts } of cells.all) addToCell(connection, cell, counts);
  const overflowed = caps.finish();
  kinds.finish(overflowed.length > 0);
  return overflowed;
}
