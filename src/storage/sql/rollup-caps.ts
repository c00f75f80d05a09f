import type { Entry } from '../../domain/usage/call.ts';
import { floor } from '../range-segments.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import { type NameTable, NO_NAME } from './name-table.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { RollupOverflow } from '../entry-store.ts';

/** Value under which values above a cap are counted. */
const OTHER = '(other)';

export interface RollupCaps {
  /** Different values of one tag key, or models, per workspace and UTC day. */
  readonly valuesPerDayMax: number;
  /** Different tag keys per workspace. */
  readonly tagKeysMax: number;
}
export const CAPS: RollupCaps = { valuesPerDayMax: 10_000, tagKeysMax: 1_000 };

/** Groups whose number of values is cached between batches. */
const GROUPS_MAX = 10_000;

/** Queries for a value: whether it exists, and how many exist. The group's numbers come first, then the value. */
const COUNTED = {
  model: {
    exists: 'SELECT 1 FROM model_day WHERE workspace = ? AND start = ? AND model = ? LIMIT 1',
    count: 'SELECT count(DISTINCT model) AS n FROM model_day WHERE workspace = ? AND start = ?',
  },
  tag_value: {
    exists: 'SELECT 1 FROM tag_day WHERE workspace = ? AND tag_key = ? AND start = ? AND tag_value = ? LIMIT 1',
    count: 'SELECT count(DISTINCT tag_value) AS n FROM tag_day WHERE workspace = ? AND tag_key = ? AND start = ?',
  },
  tag_key: {
    exists: 'SELECT 1 FROM tag_day WHERE workspace = ? AND tag_key = ? LIMIT 1',
    // Steps from key to key through the index: a plain DISTINCT would read the roll-up of all days.
    count: `WITH RECURSIVE step(workspace, tag_key) AS (
      SELECT workspace, min(tag_key) FROM tag_day WHERE workspace = ? GROUP BY workspace
      UNION ALL
      SELECT workspace, (SELECT min(t.tag_key) FROM tag_day t WHERE t.workspace = step.workspace
        AND t.tag_key > step.tag_key) FROM step WHERE tag_key IS NOT NULL
    ) SELECT count(tag_key) AS n FROM step`,
  },
} as const satisfies Record<RollupOverflow['of'], { exists: string; count: string }>;

/**
 * Decides under which value a call is counted in roll-ups, which are kept for ever, so that models and tags from
 * clients can't make them grow without bound. One lookup per value and batch.
 */
export class ValueCaps {
  readonly #connection: SqliteConnection;
  readonly #names: NameTable;
  readonly #caps: RollupCaps;
  readonly #counts = new Map<string, number>();
  /** Values of the current batch: group and value → number. */
  readonly #placed = new Map<string, number>();
  readonly #overflowed = new Map<string, RollupOverflow>();

  constructor(connection: SqliteConnection, names: NameTable, caps: RollupCaps) {
    this.#connection = connection;
    this.#names = names;
    this.#caps = caps;
  }

  /** Returns the number under which a value is counted: its own, or that of `(other)`. */
  place(group: readonly number[], value: string, overflow: RollupOverflow): number {
    const groupKey = `${overflow.of} ${group.join(' ')}`;
    const key = `${groupKey} ${value}`;
    let id = this.#placed.get(key);
    if (id === undefined) {
      id = this.#admit(groupKey, group, value, overflow);
      this.#placed.set(key, id);
    }
    return id;
  }

  /** Returns the number under which the model of a call is counted. */
  placeModel(
    workspace: number,
    { workspaceId, startedAt, model }: Pick<Entry, 'workspaceId' | 'startedAt' | 'model'>,
  ): number {
    if (model === null) return NO_NAME;
    const day = floor(startedAt, DAY_MS);
    return this.place([workspace, day], model, { workspaceId, of: 'model', tagKey: null, day });
  }

  /** Ends a batch. Returns roll-ups in which values were counted under `(other)`. */
  finish(): RollupOverflow[] {
    const overflowed = [...this.#overflowed.values()];
    this.#placed.clear();
    this.#overflowed.clear();
    if (this.#counts.size > GROUPS_MAX) this.#counts.clear();
    return overflowed;
  }

  /** Clears the cache. Call it after a rollback. */
  forget(): void {
    this.finish();
    this.#counts.clear();
  }

  #admit(groupKey: string, group: readonly number[], value: string, overflow: RollupOverflow): number {
    const { exists, count } = COUNTED[overflow.of];
    const known = this.#names.find(value);
    if (known !== undefined && this.#connection.statement(exists).get(...group, known)) return known;
    const values = this.#counts.get(groupKey) ?? Number(this.#connection.statement(count).get(...group)?.['n']);
    const max = overflow.of === 'tag_key' ? this.#caps.tagKeysMax : this.#caps.valuesPerDayMax;
    if (values >= max) {
      this.#counts.set(groupKey, values);
      this.#overflowed.set(groupKey, overflow);
      return this.#names.id(OTHER);
    }
    this.#counts.set(groupKey, values + 1);
    return this.#names.id(value);
  }
}
