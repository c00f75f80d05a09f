import { DAY_MS, floor, HOUR_MS } from '../segments.ts';
import { MEASURE_COLUMNS } from '../totals.ts';
import type { Counts } from '../totals.ts';
import type { Connection } from './connection.ts';
import { GRAINS, ROLLUPS } from './rollups.ts';
import type { GrainName, RollupColumn, RollupShape } from './rollups.ts';
import { MEASURE_NAMES, Sums } from './sums.ts';

/** Where a call stands in a roll-up: the numbers of its names, and its instant. */
export type Place = Readonly<Record<'workspace' | RollupColumn, number>> & { readonly beganAt: number };

/** A row of a roll-up. */
interface Cell {
  readonly shape: RollupShape;
  /** By the shape's primary key. */
  readonly key: readonly number[];
}

const PLAIN = ROLLUPS.filter(({ name }) => name !== 'tag');
const TAG = ROLLUPS.filter(({ name }) => name === 'tag');

/** Adds a batch up in memory first, so that a roll-up row is written once however many of its calls are in the batch. */
export class Cells {
  readonly #hours = new Sums<Cell>();

  /** Adds to the roll-ups that know no tags. */
  addPlain(place: Place, counts: Counts): void {
    for (const shape of PLAIN) addTo(this.#hours, shape, keyOf(shape, place), counts);
  }

  /** Adds to the roll-up of one tag. */
  addTag(place: Place, counts: Counts): void {
    for (const shape of TAG) addTo(this.#hours, shape, keyOf(shape, place), counts);
  }

  /** Adds all cells to the roll-up tables; those of the days are sums of those of the hours. */
  write(connection: Connection): void {
    const days = new Sums<Cell>();
    for (const { about, counts } of this.#hours.all) {
      const start = about.shape.primaryKey.indexOf('start');
      addTo(days, about.shape, about.key.with(start, floor(about.key[start] ?? 0, DAY_MS)), counts);
    }
    writeCells(connection, 'hour', this.#hours);
    writeCells(connection, 'day', days);
  }
}

function keyOf({ primaryKey }: RollupShape, place: Place): number[] {
  return primaryKey.map((column) => (column === 'start' ? floor(place.beganAt, HOUR_MS) : place[column]));
}

function addTo(cells: Sums<Cell>, shape: RollupShape, key: readonly number[], counts: Counts): void {
  cells.add(`${shape.name} ${key.join(' ')}`, { shape, key }, counts);
}

function writeCells(connection: Connection, grain: GrainName, { all }: Sums<Cell>): void {
  for (const { about, counts } of all)
    connection
      .statement(UPSERTS[`${about.shape.name}_${grain}`])
      .run(...about.key, ...MEASURE_NAMES.map((name) => counts[name]));
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
