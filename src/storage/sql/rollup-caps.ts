import type { Entry } from '../../domain/usage/call.ts';
import { floor } from '../range-segments.ts';
import { type NameTable, NO_NAME } from './name-table.ts';
import { number } from './result-row.ts';
import { ask, askEach, type SqlSteps } from './steps.ts';
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

/**
 * Queries for a value: the value if it exists, and how many exist. The group's numbers come first, then the value.
 */
const COUNTED = {
  model: {
    exists: `SELECT workspace AS group_1, start AS group_2, 0 AS group_3, model AS value FROM model_day
      WHERE workspace = ? AND start = ? AND model = ? LIMIT 1`,
    count: 'SELECT count(DISTINCT model) AS n FROM model_day WHERE workspace = ? AND start = ?',
  },
  tag_value: {
    exists: `SELECT workspace AS group_1, tag_key AS group_2, start AS group_3, tag_value AS value FROM tag_day
      WHERE workspace = ? AND tag_key = ? AND start = ? AND tag_value = ? LIMIT 1`,
    count: 'SELECT count(DISTINCT tag_value) AS n FROM tag_day WHERE workspace = ? AND tag_key = ? AND start = ?',
  },
  tag_key: {
    exists: `SELECT workspace AS group_1, 0 AS group_2, 0 AS group_3, tag_key AS value FROM tag_day
      WHERE workspace = ? AND tag_key = ? LIMIT 1`,
    // Steps from key to key through the index: a plain DISTINCT would read the roll-up of all days.
    count: `WITH RECURSIVE step(workspace, tag_key) AS (
      SELECT workspace, min(tag_key) FROM tag_day WHERE workspace = ? GROUP BY workspace
      UNION ALL
      SELECT workspace, (SELECT min(t.tag_key) FROM tag_day t WHERE t.workspace = step.workspace
        AND t.tag_key > step.tag_key) FROM step WHERE tag_key IS NOT NULL
    ) SELECT count(tag_key) AS n FROM step`,
  },
} as const satisfies Record<RollupOverflow['of'], { exists: string; count: string }>;

/** A value whose number in roll-ups is to be decided. */
export interface Placement {
  /** Numbers of what has the values: the workspace and the day, for instance. */
  readonly group: readonly number[];
  readonly value: string;
  readonly overflow: RollupOverflow;
}

type ModelOfCall = Pick<Entry, 'workspaceId' | 'startedAt' | 'model'>;

/** Returns the placement of the model of a call; null = it has none. */
export function modelPlacement(workspace: number, { workspaceId, startedAt, model }: ModelOfCall): Placement | null {
  if (model === null) return null;
  const day = floor(startedAt, DAY_MS);
  return { group: [workspace, day], value: model, overflow: { workspaceId, of: 'model', tagKey: null, day } };
}

/**
 * Decides under which value a call is counted in roll-ups, which are kept for ever, so that models and tags from
 * clients can't make them grow without bound. One lookup per value and batch. Processes that share a database count
 * for themselves, so that together they may pass a cap by the values of a few batches.
 */
export class ValueCaps {
  readonly #names: NameTable;
  readonly #caps: RollupCaps;
  readonly #counts = new Map<string, number>();
  /** Values of the current batch: group and value → number. */
  readonly #placed = new Map<string, number>();
  readonly #overflowed = new Map<string, RollupOverflow>();

  constructor(names: NameTable, caps: RollupCaps) {
    this.#names = names;
    this.#caps = caps;
  }

  /** Decides about values that the batch has not placed yet, in their order. null = nothing to decide. */
  *place(wanted: Iterable<Placement | null>): SqlSteps<void> {
    const open = new Map<string, Placement>();
    for (const placement of wanted) {
      const key = placement && placementKey(placement);
      if (key !== null && !this.#placed.has(key)) open.set(key, placement as Placement);
    }
    if (open.size === 0) return;
    const stored = yield* this.#findStored(open);
    const names = new Map<string, string>();
    for (const [key, placement] of open)
      if (stored.has(key)) this.#placed.set(key, stored.get(key) ?? NO_NAME);
      else names.set(key, (yield* this.#hasRoom(placement)) ? placement.value : OTHER);
    const ids = yield* this.#names.ids(names.values());
    for (const [key, name] of names) this.#placed.set(key, ids.get(name) ?? NO_NAME);
  }

  /** Returns the number under which a value is counted: its own, or that of `(other)`. It must be placed. */
  numberOf(placement: Placement | null): number {
    if (placement === null) return NO_NAME;
    const id = this.#placed.get(placementKey(placement));
    if (id === undefined) throw new Error('A value is counted that has no place in the roll-ups.');
    return id;
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

  /** Returns the numbers of values that their group has already. */
  *#findStored(open: ReadonlyMap<string, Placement>): SqlSteps<Map<string, number>> {
    const ids = yield* this.#names.findAll(Array.from(open.values(), ({ value }) => value));
    const keys = new Map<string, string>();
    const lists = { model: [], tag_value: [], tag_key: [] } as Record<RollupOverflow['of'], number[][]>;
    for (const [key, { group, value, overflow }] of open) {
      const id = ids.get(value);
      if (id === undefined) continue;
      lists[overflow.of].push([...group, id]);
      keys.set(
        storedKey(
          overflow.of,
          [0, 1, 2].map((index) => group[index] ?? 0),
          id,
        ),
        key,
      );
    }
    const stored = new Map<string, number>();
    for (const kind of ['model', 'tag_value', 'tag_key'] as const)
      for (const row of yield* askEach(COUNTED[kind].exists, lists[kind])) {
        const group = [number(row, 'group_1'), number(row, 'group_2'), number(row, 'group_3')];
        const key = keys.get(storedKey(kind, group, number(row, 'value')));
        if (key !== undefined) stored.set(key, number(row, 'value'));
      }
    return stored;
  }

  /** Counts a new value of its group; false = the group is full. */
  *#hasRoom({ group, overflow }: Placement): SqlSteps<boolean> {
    const groupKey = `${overflow.of} ${group.join(' ')}`;
    let values = this.#counts.get(groupKey);
    if (values === undefined) {
      const [row] = yield ask(COUNTED[overflow.of].count, group);
      values = Number(row?.['n']);
    }
    const max = overflow.of === 'tag_key' ? this.#caps.tagKeysMax : this.#caps.valuesPerDayMax;
    const hasRoom = values < max;
    this.#counts.set(groupKey, hasRoom ? values + 1 : values);
    if (!hasRoom) this.#overflowed.set(groupKey, overflow);
    return hasRoom;
  }
}

function placementKey({ group, value, overflow }: Placement): string {
  return `${overflow.of} ${group.join(' ')} ${value}`;
}

function storedKey(of: RollupOverflow['of'], group: readonly number[], id: number): string {
  return `${of} ${group.join(' ')} ${id}`;
}
