import { DAY_MS, floor, HOUR_MS } from '../segments.ts';
import { MEASURE_COLUMNS } from '../totals.ts';
import type { Counts } from '../totals.ts';
import type { Connection } from './connection.ts';
import { GRAINS, ROLLUPS } from './rollups.ts';
import type { GrainName, RollupColumn, RollupShape } from './rollups.ts';
import { MEASURE_NAMES } from './sums.ts';

/** Where a call stands in roll-ups: the numbers of its names, and its instant. */
export type Place = Readonly<Record<'workspace' | RollupColumn, number>> & { readonly beganAt: number };

/** A row of a roll-up's hours, and the row of the day that the hour is in. */
export interface Cell {
  readonly name: string;
  /** What adds to these rows, and their primary keys. */
  readonly rows: readonly { readonly upsert: string; readonly key: readonly number[] }[];
}

export function cellOf(shape: RollupShape, place: Place): Cell {
  const rows = GRAINS.map((grain) => ({ upsert: UPSERTS[`${shape.name}_${grain}`], key: keyOf(shape, grain, place) }));
  return { name: `${shape.name} ${rows[0]?.key.join(' ')}`, rows };
}

export function addToCell(connection: Connection, { rows }: Cell, counts: Counts): void {
  const measures = MEASURE_NAMES.map((name) => counts[name]);
  for (const { upsert, key } of rows) connection.statement(upsert).run(...key, ...measures);
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
