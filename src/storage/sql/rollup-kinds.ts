import type { Entry } from '../../domain/usage/call.ts';
import { floor } from '../range-segments.ts';
import { RollupCells } from './rollup-cells.ts';
import type { RollupCell } from './rollup-cells.ts';
import type { EntryRow } from './entry-rows.ts';
import { NO_NAME } from './name-table.ts';
import { ROLLUPS } from './rollups.ts';
import type { SumHolder } from './exact-sums.ts';
import { modelPlacement, type Placement, type ValueCaps } from './rollup-caps.ts';
import type { SqlSteps } from './steps.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

/** Calls that are counted in the same cells: equal hour, names, status and tags. */
export interface RollupKind extends SumHolder {
  readonly cells: readonly RollupCell[];
}

/**
 * Kinds cached between batches; above this, the cache is cleared. A small number, because kinds that never recur (a
 * tag with a new value for each call) would fill it.
 */
const KINDS_MAX = 500;
const CELLS_MAX = 3_000;

const PLAIN = ROLLUPS.filter(({ name }) => name !== 'tag');
const TAG = ROLLUPS.filter(({ name }) => name === 'tag');

/** A stored entry to count, with its row. */
export interface CountedEntry {
  readonly row: EntryRow;
  readonly entry: Entry;
}

/** Finds the cells in which a call is counted. Most calls are of a known kind, so the cells are computed once. */
export class RollupKinds {
  readonly #caps: ValueCaps;
  readonly #kinds = new Map<string, RollupKind>();
  /** Shared by kinds. */
  readonly #cells = new RollupCells();

  constructor(caps: ValueCaps) {
    this.#caps = caps;
  }

  /** Returns the kinds of entries, in their order. */
  *of(entries: readonly CountedEntry[]): SqlSteps<RollupKind[]> {
    const texts = entries.map(kindKey);
    const unknown = entries.filter((_, index) => !this.#kinds.has(texts[index] ?? ''));
    if (unknown.length > 0) yield* this.#place(unknown);
    return entries.map((counted, index) => {
      const text = texts[index] ?? '';
      let kind = this.#kinds.get(text);
      if (!kind) this.#kinds.set(text, (kind = { cells: this.#cellsOf(counted), sum: null }));
      return kind;
    });
  }

  /** Ends a batch. Values under `(other)` are reported for each batch, so they are not cached. */
  finish(hasOverflowed: boolean): void {
    if (hasOverflowed || this.#kinds.size > KINDS_MAX) this.#kinds.clear();
    if (this.#cells.size > CELLS_MAX) this.forget();
  }

  /** Clears the cache. Call it after a rollback. */
  forget(): void {
    this.#kinds.clear();
    this.#cells.clear();
  }

  /** Places all values of entries: a tag's values after its key, because they are counted by its number. */
  *#place(entries: readonly CountedEntry[]): SqlSteps<void> {
    yield* this.#caps.place(entries.map(({ row, entry }) => modelPlacement(row.workspace, entry)));
    const tags = entries.flatMap(({ row, entry }) =>
      Object.entries(entry.tags).map(([key, value]) => ({ row, entry, key, value })),
    );
    yield* this.#caps.place(tags.map(({ row, entry, key }) => tagKeyPlacement(row.workspace, entry, key)));
    yield* this.#caps.place(tags.map(({ row, entry, key, value }) => this.#valuePlacement(row, entry, key, value)));
  }

  #cellsOf({ row, entry }: CountedEntry): RollupCell[] {
    const { workspace, source, provider, key, status } = row;
    const model = this.#caps.numberOf(modelPlacement(workspace, entry));
    const { startedAt } = entry;
    const place = { workspace, startedAt, source, provider, model, key, status, tag_key: NO_NAME, tag_value: NO_NAME };
    const cells = PLAIN.map((shape) => this.#cells.at(shape, place));
    for (const [tagKey, value] of Object.entries(entry.tags)) {
      const tag_key = this.#caps.numberOf(tagKeyPlacement(workspace, entry, tagKey));
      const tag_value = this.#caps.numberOf(this.#valuePlacement(row, entry, tagKey, value));
      for (const shape of TAG) cells.push(this.#cells.at(shape, { ...place, tag_key, tag_value }));
    }
    return cells;
  }

  #valuePlacement({ workspace }: EntryRow, entry: Entry, tagKey: string, value: string): Placement {
    const { workspaceId, startedAt } = entry;
    const day = floor(startedAt, DAY_MS);
    const group = [workspace, this.#caps.numberOf(tagKeyPlacement(workspace, entry, tagKey)), day];
    return { group, value, overflow: { workspaceId, of: 'tag_value', tagKey, day } };
  }
}

function tagKeyPlacement(workspace: number, { workspaceId }: Entry, tagKey: string): Placement {
  return { group: [workspace], value: tagKey, overflow: { workspaceId, of: 'tag_key', tagKey: null, day: null } };
}

/** Tags come last: they alone are not numbers. */
function kindKey({ row, entry }: CountedEntry): string {
  return `${floor(entry.startedAt, HOUR_MS)} ${row.workspace} ${row.source} ${row.key} ${row.provider} ${row.model} ${row.status} ${row.tags}`;
}
