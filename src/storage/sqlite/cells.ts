import { DAY_MS, floor, HOUR_MS } from '../segments.ts';
import type { Totals } from '../store.ts';
import { addTotals, emptySum, MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { Connection } from './connection.ts';
import { GRAINS, ROLLUPS } from './rollups.ts';
import type { GrainName, RollupColumn, RollupShape } from './rollups.ts';

/** Where a call stands in a roll-up: the numbers of its names, and its instant. */
export type Place = Readonly<Record<'workspace' | RollupColumn, number>> & { readonly beganAt: number };

interface Cell {
  readonly shape: RollupShape;
  /** By the shape's primary key. */
  readonly key: readonly number[];
  readonly sum: Sum;
}

const PLAIN = ROLLUPS.filter(({ name }) => name !== 'tag');
const TAG = ROLLUPS.filter(({ name }) => name === 'tag');
const MEASURE_NAMES = Object.keys(MEASURES) as (keyof Totals)[];

/** Adds a batch up in memory first, so that a roll-up row is written once however many of its calls are in the batch. */
export class Cells {
  readonly #hours = new Map<string, Cell>();

  /** Adds a call to the roll-ups that know no tags. */
  addPlain(place: Place, totals: Totals): void {
    for (const shape of PLAIN) addTo(this.#hours, shape, keyOf(shape, place), totals);
  }

  /** Adds a call to the roll-up of one of its tags. */
  addTag(place: Place, totals: Totals): void {
    for (const shape of TAG) addTo(this.#hours, shape, keyOf(shape, place), totals);
  }

  /** Adds all cells to the roll-up tables; those of the days are sums of those of the hours. */
  write(connection: Connection): void {
    const days = new Map<string, Cell>();
    for (const { shape, key, sum } of this.#hours.values()) {
      const start = shape.primaryKey.indexOf('start');
      addTo(days, shape, key.with(start, floor(key[start] ?? 0, DAY_MS)), sum);
    }
    writeCells(connection, 'hour', this.#hours);
    writeCells(connection, 'day', days);
  }
}

function keyOf({ primaryKey }: RollupShape, place: Place): number[] {
  return primaryKey.map((column) => (column === 'start' ? floor(place.beganAt, HOUR_MS) : place[column]));
}

function addTo(cells: Map<string, Cell>, shape: RollupShape, key: readonly number[], totals: Totals): void {
  const id = `${shape.name} ${key.join(' ')}`;
  let cell = cells.get(id);
  if (!cell) cells.set(id, (cell = { shape, key, sum: emptySum() }));
  addTotals(cell.sum, totals);
}

function writeCells(connection: Connection, grain: GrainName, cells: ReadonlyMap<string, Cell>): void {
  for (const { shape, key, sum } of cells.values())
    connection.statement(UPSERTS[`${shape.name}_${grain}`]).run(...key, ...MEASURE_NAMES.map((name) => sum[name]));
}

const UPSERTS = Object.fromEntries(
  ROLLUPS.flatMap((shape) => GRAINS.map((grain) => [`${shape.name}_${grain}`, upsert(shape, grain)])),
) as Record<`${RollupShape['name']}_${GrainName}`, string>;

function upsert({ name, primaryKey }: RollupShape, grain: GrainName): string {
  const columns = [...primaryKey, ...MEASURE_COLUMNS];
  return `INSERT INTO ${name}_${grain} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${primaryKey.join(', ')}) DO UPDATE SET
    ${MEASURE_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;
}
