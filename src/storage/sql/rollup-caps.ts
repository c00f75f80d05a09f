import type { Entry } from '../../domain/usage/call.ts';
import { floor } from '../range-segments.ts';
import { type NameTable, NO_NAME } from './name-table.ts';
import { number } from './result-row.ts';
import { ask, askEach, type SqlSteps } from './steps.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { RollupOverflow } from '../entry-store.ts';

/** Value under which values above a cap are counted. */
export const OTHER = '(other)';

export interface RollupCaps {
  /** Different values of one tag key, or models, per workspace and UTC day. */
  readonly valuesPerDayMax: number;
  /** Different tag keys per workspace. */
  readonly tagKeysMax: number;
}
export const CAPS: RollupCaps = { valuesPerDayMax: 10_000, tagKeysMax: 1_000 };

/** Groups whose number of values is cached between batches. */
const GROUPS_MAX = 10_000;

/** Columns of a group and its value, and queries for the value, if it exists, and for the number of values. */
const COUNTED = {
  model: {
    ...existing('model_day', ['workspace', 'start', 'model']),
    count: 'SELECT count(DISTINCT model) AS n FROM model_day WHERE workspace = ? AND start = ?',
  },
  tag_value: {
    ...existing('tag_day', ['workspace', 'tag_key', 'start', 'tag_value']),
    count: 'SELECT count(DISTINCT tag_value) AS n FROM tag_day WHERE workspace = ? AND tag_key = ? AND start = ?',
  },
  tag_key: {
    ...existing('tag_day', ['workspace', 'tag_key']),
    // Steps from key to key through the index: a plain DISTINCT would read the roll-up of all days.
    count: `WITH RECURSIVE step(workspace, tag_key) AS (
      SELECT workspace, min(tag_key) FROM tag_day WHERE workspace = ? GROUP BY workspace
      UNION ALL
      SELECT workspace, (SELECT min(t.tag_key) FROM tag_day t WHERE t.workspace = step.workspace
        AND t.tag_key > step.tag_key) FROM step WHERE tag_key IS NOT NULL
    ) SELECT count(tag_key) AS n FROM step`,
  },
} as const satisfies Record<RollupOverflow['of'], { columns: readonly string[]; exists: string; count: string }>;

function existing(table: string, columns: readonly string[]): { columns: readonly string[]; exists: string } {
  const where = columns.map((column) => `${column} = ?`).join(' AND ');
  return { columns, exists: `SELECT ${columns.join(', ')} FROM ${table} WHERE ${where} LIMIT 1` };
}

/** A value whose number in roll-ups is to be decided. */
export interface Placement {
  /** Numbers of what has the values: the workspace and the day, for instance. */
  readonly group: readonly number[];
  readonly value: string;
  readonly overflow: RollupOverflow;
  /** The number; null = it is not decided yet. */
  number: number | null;
}

type ModelOfCall = Pick<Entry, 'workspaceId' | 'startedAt' | 'model'>;

/** Returns the placement of the model of a call; null = it has none. */
export function modelPlacement(workspace: number, { workspaceId, startedAt, model }: ModelOfCall): Placement | null {
  if (model === null) return null;
  const day = floor(startedAt, DAY_MS);
  const overflow = { workspaceId, of: 'model', tagKey: null, day } as const;
  return { group: [workspace, day], value: model, overflow, number: null };
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

  /** Decides the numbers of values, in their order. null = nothing to decide. */
  *place(wanted: readonly (Placement | null)[]): SqlSteps<void> {
    const open = new Map<string, Placement>();
    const waiting: (readonly [key: string, placement: Placement])[] = [];
    for (const placement of wanted) {
      if (placement === null) continue;
      const key = placementKey(placement);
      placement.number = this.#placed.get(key) ?? null;
      if (placement.number !== null) continue;
      open.set(key, placement);
      waiting.push([key, placement]);
    }
    if (open.size === 0) return;
    yield* this.#decide(open);
    for (const [key, placement] of waiting) placement.number = this.#placed.get(key) ?? null;
  }

  /** Returns the number under which a value is counted: its own, or that of `(other)`. It must be placed. */
  numberOf(placement: Placement | null): number {
    if (placement === null) return NO_NAME;
    const id = placement.number ?? this.#placed.get(placementKey(placement));
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

  *#decide(open: ReadonlyMap<string, Placement>): SqlSteps<void> {
    const stored = yield* this.#findStored(open);
    const names = new Map<string, string>();
    for (const [key, placement] of open) {
      const id = stored.get(key);
      if (id !== undefined) this.#placed.set(key, id);
      else names.set(key, (yield* this.#hasRoom(placement)) ? placement.value : OTHER);
    }
    if (names.size === 0) return;
    const ids = yield* this.#names.ids(names.values());
    for (const [key, name] of names) this.#placed.set(key, ids.get(name) ?? NO_NAME);
  }

  /** Returns the numbers of values that their group has already. */
  *#findStored(open: ReadonlyMap<string, Placement>): SqlSteps<Map<string, number>> {
    const ids = yield* this.#names.findAll(Array.from(open.values(), ({ value }) => value));
    const keys = new Map<string, string>();
    const lists = new Map<RollupOverflow['of'], number[][]>();
    for (const [key, { group, value, overflow }] of open) {
      const id = ids.get(value);
      if (id === undefined) continue;
      const list = [...group, id];
      const ofKind = lists.get(overflow.of);
      if (ofKind) ofKind.push(list);
      else lists.set(overflow.of, [list]);
      keys.set(`${overflow.of} ${list.join(' ')}`, key);
    }
    const stored = new Map<string, number>();
    for (const [kind, ofKind] of lists) {
      const { columns, exists } = COUNTED[kind];
      for (const row of yield* askEach(exists, ofKind)) {
        const list = columns.map((column) => number(row, column));
        const key = keys.get(`${kind} ${list.join(' ')}`);
        if (key !== undefined) stored.set(key, list.at(-1) ?? NO_NAME);
      }
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
