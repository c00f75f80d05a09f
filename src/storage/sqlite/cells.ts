import type { Totals } from '../store.ts';
import { floor } from '../segments.ts';
import { addTotals, emptySum, MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { Connection } from './connection.ts';
import { GRAINS, ROLLUPS } from './rollups.ts';
import type { GrainName, RollupColumn, RollupShape } from './rollups.ts';

/** Where a call stands in a roll-up: the numbers of its names, and its instant. */
export type Place = Readonly<Record<'workspace' | RollupColumn, number>> & { readonly beganAt: number };

interface Cell {
  readonly shape: RollupShape;
  readonly grain: GrainName;
  /** By the shape's primary key. */
  readonly key: readonly number[];
  readonly sum: Sum;
}

/** Adds a batch up in memory first, so that a roll-up row is written once however many of its calls are in the batch. */
export class Cells {
  readonly #cells = new Map<string, Cell>();

  /** Adds a call to the roll-ups that know no tags, or (`tag`) to the one of a tag. */
  add(place: Place, totals: Totals, kind: 'plain' | 'tag'): void {
    for (const shape of ROLLUPS) {
      if ((shape.name === 'tag') !== (kind === 'tag')) continue;
      for (const grain of GRAINS) {
        const start = floor(place.beganAt, grain.ms);
        const key = shape.primaryKey.map((column) => (column === 'start' ? start : place[column]));
        this.#addTo(`${shape.name} ${grain.name} ${key.join(' ')}`, { shape, grain: grain.name, key }, totals);
      }
    }
  }

  /** Adds all cells to the roll-up tables. */
  write(connection: Connection): void {
    for (const { shape, grain, key, sum } of this.#cells.values()) {
      const measures = (Object.keys(MEASURES) as (keyof Totals)[]).map((name) => sum[name]);
      connection.statement(UPSERTS[`${shape.name}_${grain}`]).run(...key, ...measures);
    }
  }

  #addTo(id: string, at: Omit<Cell, 'sum'>, totals: Totals): void {
    let cell = this.#cells.get(id);
    if (!cell) this.#cells.set(id, (cell = { ...at, sum: emptySum() }));
    addTotals(cell.sum, totals);
  }
}

const UPSERTS = Object.fromEntries(
  ROLLUPS.flatMap((shape) => GRAINS.map(({ name }) => [`${shape.name}_${name}`, upsert(shape, name)])),
) as Record<`${RollupShape['name']}_${GrainName}`, string>;

function upsert({ name, primaryKey }: RollupShape, grain: GrainName): string {
  const columns = [...primaryKey, ...MEASURE_COLUMNS];
  return `INSERT INTO ${name}_${grain} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${primaryKey.join(', ')}) DO UPDATE SET
    ${MEASURE_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;
}
