import type { Entry } from '../../domain/usage/call.ts';
import { floor } from '../range-segments.ts';
import { RollupCells } from './rollup-cells.ts';
import type { RollupCell, RollupPlace } from './rollup-cells.ts';
import type { EntryRow } from './entry-rows.ts';
import { NO_NAME } from './name-table.ts';
import type { NameTable } from './name-table.ts';
import { ROLLUPS } from './rollups.ts';
import type { SumHolder } from './exact-sums.ts';
import type { ValueCaps } from './rollup-caps.ts';
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

/** Finds the cells in which a call is counted. Most calls are of a known kind, so the cells are computed once. */
export class RollupKinds {
  readonly #names: NameTable;
  readonly #caps: ValueCaps;
  readonly #kinds = new Map<string, RollupKind>();
  /** Shared by kinds. */
  readonly #cells = new RollupCells();

  constructor(names: NameTable, caps: ValueCaps) {
    this.#names = names;
    this.#caps = caps;
  }

  /** Returns the kind of an entry that is stored as `row`. */
  of(row: EntryRow, entry: Entry): RollupKind {
    // Tags come last: they alone are not numbers.
    const text = `${floor(entry.startedAt, HOUR_MS)} ${row.workspace} ${row.source} ${row.key} ${row.provider} ${row.model} ${row.status} ${row.tags}`;
    let kind = this.#kinds.get(text);
    if (!kind) this.#kinds.set(text, (kind = { cells: this.#cellsOf(entry), sum: null }));
    return kind;
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

  #cellsOf(entry: Entry): RollupCell[] {
    const place = this.#plainPlace(entry);
    const tagPlaces = Object.entries(entry.tags).map(([key, value]) => this.#tagPlace(place, entry, key, value));
    return [
      ...PLAIN.map((shape) => this.#cells.at(shape, place)),
      ...TAG.flatMap((shape) => tagPlaces.map((tagPlace) => this.#cells.at(shape, tagPlace))),
    ];
  }

  #plainPlace(entry: Entry): RollupPlace {
    const { workspaceId, startedAt, source, provider, keyId, status } = entry;
    const workspace = this.#names.id(workspaceId);
    return {
      workspace,
      startedAt,
      source: this.#names.id(source),
      provider: this.#names.id(provider),
      model: this.#caps.placeModel(workspace, entry),
      key: this.#names.id(keyId),
      status,
      tag_key: NO_NAME,
      tag_value: NO_NAME,
    };
  }

  #tagPlace(place: RollupPlace, { workspaceId, startedAt }: Entry, tagKey: string, value: string): RollupPlace {
    const { workspace } = place;
    const day = floor(startedAt, DAY_MS);
    const tag_key = this.#caps.place([workspace], tagKey, { workspaceId, of: 'tag_key', tagKey: null, day: null });
    const overflow = { workspaceId, of: 'tag_value', tagKey, day } as const;
    return { ...place, tag_key, tag_value: this.#caps.place([workspace, tag_key, day], value, overflow) };
  }
}
