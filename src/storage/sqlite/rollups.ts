/** The lengths of time a roll-up row can stand for: whole UTC hours and whole UTC days. */
export const GRAINS = ['hour', 'day'] as const;
export type GrainName = (typeof GRAINS)[number];

/** What a roll-up row can be told apart by; `tag` rows carry one tag each, so one entry is in as many as it has tags. */
export type RollupColumn = 'source' | 'provider' | 'model' | 'key' | 'status' | 'tag_key' | 'tag_value';

export interface RollupShape {
  readonly name: 'status' | 'model' | 'key' | 'key_model' | 'tag';
  readonly columns: readonly RollupColumn[];
  /** Order of the table: what is asked for exactly, then time, then the rest. */
  readonly primaryKey: readonly ('workspace' | 'start' | RollupColumn)[];
}

/**
 * The roll-ups, narrowest first: a report reads the first that holds all it asks for. `decisions/004-roll-ups.md`
 * has the measurements.
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
