import { floor } from '../range-segments.ts';
import { MEASURE_COLUMNS } from '../totals.ts';
import { GRAINS, ROLLUPS } from './rollups.ts';
import type { GrainName, RollupColumn, RollupShape } from './rollups.ts';
import { addColumns, insertRows, type RowInsert, type SqlSteps } from './steps.ts';
import type { ExactSums, SumHolder } from './exact-sums.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

/** Position of a call in roll-ups: the numbers of its names, and its time. */
export type RollupPlace = Readonly<Record<'workspace' | RollupColumn, number>> & { readonly startedAt: number };

/** A row of a roll-up. */
export interface RollupCell extends SumHolder {
  /** The table of the row. */
  readonly upsert: RowInsert;
  /** Values of the primary key. */
  readonly key: readonly number[];
  /** The row of the day, for a row of an hour. */
  readonly day: RollupCell | null;
}

/** Cells by hour and day, one object per row, because sums are attached to it. */
export class RollupCells {
  readonly #hours = new Map<string, RollupCell>();
  readonly #days = new Map<string, RollupCell>();

  get size(): number {
    return this.#hours.size;
  }

  /** Returns the row of the position's hour. */
  at(shape: RollupShape, place: RollupPlace): RollupCell {
    const key = rollupKey(shape, 'hour', place);
    const name = `${shape.name} ${key.join(' ')}`;
    let cell = this.#hours.get(name);
    if (!cell) {
      cell = { upsert: UPSERTS[`${shape.name}_hour`], key, day: this.#dayAt(shape, place), sum: null };
      this.#hours.set(name, cell);
    }
    return cell;
  }

  clear(): void {
    this.#hours.clear();
    this.#days.clear();
  }

  #dayAt(shape: RollupShape, place: RollupPlace): RollupCell {
    const key = rollupKey(shape, 'day', place);
    const name = `${shape.name} ${key.join(' ')}`;
    let cell = this.#days.get(name);
    if (!cell) this.#days.set(name, (cell = { upsert: UPSERTS[`${shape.name}_day`], key, day: null, sum: null }));
    return cell;
  }
}

/** Adds sums to their rows, one table after the other, in the same order in every process. */
export function* addToCells(sums: ExactSums<RollupCell>): SqlSteps<void> {
  const byTable = Map.groupBy(sums.all, ({ of }) => of.upsert);
  for (const upsert of Object.values(UPSERTS)) {
    const cells = byTable.get(upsert);
    if (!cells) continue;
    yield* insertRows(
      upsert,
      cells.map(({ of, measures }) => of.key.concat(measures)),
    );
  }
}

const GRAIN_MS: Readonly<Record<GrainName, number>> = { hour: HOUR_MS, day: DAY_MS };

function rollupKey({ primaryKey }: RollupShape, grain: GrainName, place: RollupPlace): number[] {
  return primaryKey.map((column) => (column === 'start' ? floor(place.startedAt, GRAIN_MS[grain]) : place[column]));
}

const UPSERTS = Object.fromEntries(
  ROLLUPS.flatMap((shape) => GRAINS.map((grain) => [`${shape.name}_${grain}`, buildUpsert(shape, grain)])),
) as Record<`${RollupShape['name']}_${GrainName}`, RowInsert>;

function buildUpsert({ name, primaryKey }: RollupShape, grain: GrainName): RowInsert {
  const table = `${name}_${grain}`;
  return {
    table,
    columns: [...primaryKey, ...MEASURE_COLUMNS],
    keyColumns: primaryKey.length,
    onConflict: `ON CONFLICT (${primaryKey.join(', ')}) DO UPDATE SET ${addColumns(table, MEASURE_COLUMNS)}`,
    returning: [],
  };
}
