/** Length of time of a roll-up row: a whole UTC hour or day. */
export const GRAINS = ['hour', 'day'] as const;
export type GrainName = (typeof GRAINS)[number];

/** Columns by which roll-up rows differ. Rows of `tag` have one tag each, so an entry is in one row per tag. */
export type RollupColumn = 'source' | 'provider' | 'model' | 'key' | 'status' | 'tag_key' | 'tag_value';

export interface RollupShape {
  readonly name: 'status' | 'model' | 'key' | 'key_model' | 'tag';
  readonly columns: readonly RollupColumn[];
  /** Order of the table: columns with exact values first, then time, then the rest. */
  readonly primaryKey: readonly ('workspace' | 'start' | RollupColumn)[];
}

/**
 * The roll-ups, narrowest first. A query reads the first that has all its columns. `decisions/004-roll-ups.md` has
 * the measurements.
 */
export const ROLLUPS: readonly RollupShape[] = [
  {
    name: 'status',
    columns: ['source', 'provider', 'status'],
    primaryKey: ['workspace', 'start', 'status', 'provider', 'source'],
  },
  {
    name: 'model',
    columns: ['source', 'provider', 'model'],
    primaryKey: ['workspace', 'start', 'model', 'provider', 'source'],
  },
  {
    name: 'key',
    columns: ['source', 'key'],
    primaryKey: ['workspace', 'start', 'key', 'source'],
  },
  {
    name: 'key_model',
    columns: ['source', 'key', 'provider', 'model'],
    primaryKey: ['workspace', 'start', 'key', 'model', 'provider', 'source'],
  },
  {
    name: 'tag',
    columns: ['source', 'tag_key', 'tag_value'],
    primaryKey: ['workspace', 'tag_key', 'start', 'tag_value', 'source'],
  },
];
