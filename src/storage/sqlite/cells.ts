import { floor } from '../segments.ts';
import { MEASURE_COLUMNS } from '../totals.ts';
import type { Connection } from './connection.ts';
import { GRAINS, ROLLUPS } from './rollups.ts';
import type { GrainName, RollupColumn, RollupShape } from './rollups.ts';
import type { Measures, Summed } from './sums.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

/** Where a call stands in roll-ups: the numbers of its names, and its instant. */
export type Place = Readonly<Record<'workspace' | RollupColumn, number>> & { readonly beganAt: number };

/** A row of a roll-up. */
export interface Cell extends Summed {
  /** What adds to it. */
  readonly upsert: string;
  /** By the roll-up's primary key. */
  readonly key: readonly number[];
  /** Of a row of an hour: the row of its day. */
  readonly day: Cell | null;
}

/** The cells of a time, one object for each row: sums are kept by it. */
export class Cells {
  readonly #hours = new Map<string, Cell>();
  readonly #days = new Map<string, Cell>();

  get size(): number {
    return this.#hours.size;
  }

  /** The row of the place's hour. */
  at(shape: RollupShape, place: Place): Cell {
    const key = keyOf(shape, 'hour', place);
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

  #dayAt(shape: RollupShape, place: Place): Cell {
    const key = keyOf(shape, 'day', place);
    const name = `${shape.name} ${key.join(' ')}`;
    let cell = this.#days.get(name);
    if (!cell) this.#days.set(name, (cell = { upsert: UPSERTS[`${shape.name}_day`], key, day: null, sum: null }));
    return cell;
  }
}

export function addToCell(connection: Connection, { upsert, key }: Cell, measures: Measures): void {
  connection.statement(upsert).run(...key, ...measures);
}

const GRAIN_MS: Readonly<Record<GrainName, number>> = { hour: HOUR_MS, day: DAY_MS };

function keyOf({ primaryKey }: RollupShape, grain: GrainName, place: Place): number[] {
  return primaryKey.map((column) => (column === 'start' ? floor(place.beganAt, GRAIN_MS[grain]) : place[column]));
}

const UPSERTS = Object.fromEntries(
  ROLLUPS.flatMap((shape) => GRAINS.map((grain) => [`${shape.name}_${grain}`, upsertOf(shape, grain)])),
) as Record<`${RollupShape['name']}_${GrainName}`, string>;

function upsertOf({ name, primaryKey }: RollupShape, grain: GrainName): string {
  const columns = [...primaryKey, ...MEASURE_COLUMNS];
  return `INSERT INTO ${name}_${grain} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${primaryKey.join(', ')}) DO UPDATE SET
    ${MEASURE_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;
}
