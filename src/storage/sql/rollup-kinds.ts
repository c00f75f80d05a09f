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
    const keys = entries.map(kindKey);
    const unknown = new Map<string, PlacedEntry>();
    for (const [index, counted] of entries.entries()) {
      const key = keys[index] ?? '';
      if (!this.#kinds.has(key) && !unknown.has(key)) unknown.set(key, toPlacedEntry(counted));
    }
    if (unknown.size > 0) yield* this.#place([...unknown.values()]);
    for (const [key, placed] of unknown) this.#kinds.set(key, { cells: this.#cellsOf(placed), sum: null });
    return keys.map((key) => {
      const kind = this.#kinds.get(key);
      if (!kind) throw new Error('A call is counted that has no kind.');
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
  *#place(entries: readonly PlacedEntry[]): SqlSteps<void> {
    yield* this.#caps.place(entries.map(({ model }) => model));
    yield* this.#caps.place(entries.flatMap(({ tags }) => tags.map(({ key }) => key)));
    for (const { row, entry, tags } of entries)
      for (const tag of tags) tag.value = valuePlacement(row, entry, this.#caps.numberOf(tag.key), tag);
    yield* this.#caps.place(entries.flatMap(({ tags }) => tags.map(({ value }) => value)));
  }

  #cellsOf({ row, entry, model, tags }: PlacedEntry): RollupCell[] {
    const { workspace, source, provider, key, status } = row;
    const place = {
      workspace,
      startedAt: entry.startedAt,
      source,
      provider,
      model: this.#caps.numberOf(model),
      key,
      status,
      tag_key: NO_NAME,
      tag_value: NO_NAME,
    };
    const cells = PLAIN.map((shape) => this.#cells.at(shape, place));
    for (const tag of tags) {
      const tagPlace = {
        ...place,
        tag_key: this.#caps.numberOf(tag.key),
        tag_value: this.#caps.numberOf(tag.value),
      };
      for (const shape of TAG) cells.push(this.#cells.at(shape, tagPlace));
    }
    return cells;
  }
}

/** An entry with the values that are counted for it. */
interface PlacedEntry extends CountedEntry {
  readonly model: Placement | null;
  readonly tags: readonly PlacedTag[];
}

interface PlacedTag {
  readonly key: Placement;
  readonly text: string;
  /** null = the number of its key is not decided yet. */
  value: Placement | null;
}

function toPlacedEntry({ row, entry }: CountedEntry): PlacedEntry {
  const { workspace } = row;
  const { workspaceId } = entry;
  const tags = Object.entries(entry.tags).map(([name, text]): PlacedTag => {
    const overflow = { workspaceId, of: 'tag_key', tagKey: null, day: null } as const;
    return { key: { group: [workspace], value: name, overflow, number: null }, text, value: null };
  });
  return { row, entry, model: modelPlacement(workspace, entry), tags };
}

function valuePlacement({ workspace }: EntryRow, entry: Entry, tagKey: number, { key, text }: PlacedTag): Placement {
  const { workspaceId, startedAt } = entry;
  const day = floor(startedAt, DAY_MS);
  const overflow = { workspaceId, of: 'tag_value', tagKey: key.value, day } as const;
  return { group: [workspace, tagKey, day], value: text, overflow, number: null };
}

/** Tags come last: they alone are not numbers. */
function kindKey({ row, entry }: CountedEntry): string {
  return `${floor(entry.startedAt, HOUR_MS)} ${row.workspace} ${row.source} ${row.key} ${row.provider} ${row.model} ${row.status} ${row.tags}`;
}
