import type { Entry } from '../../core/call.ts';
import { DAY_MS, floor, HOUR_MS } from '../segments.ts';
import type { Cell, Place } from './cells.ts';
import { cellOf } from './cells.ts';
import type { EntryRow } from './entry-row.ts';
import { NO_NAME } from './names.ts';
import type { Names } from './names.ts';
import { ROLLUPS } from './rollups.ts';
import type { ValueCaps } from './value-caps.ts';

/** The roll-up cells in which calls of one kind are counted: same hour, names, status and tags. */
export type Kind = readonly Cell[];

/** Kinds that are remembered from batch to batch; when there are more, it starts anew. */
const KINDS_MAX = 2_000;

const PLAIN = ROLLUPS.filter(({ name }) => name !== 'tag');
const TAG = ROLLUPS.filter(({ name }) => name === 'tag');

/** Knows where calls are counted. Most are of a kind that came before, so that this is worked out once and not per call. */
export class Kinds {
  readonly #names: Names;
  readonly #caps: ValueCaps;
  readonly #kinds = new Map<string, Kind>();
  /** One object for each cell, by its name: kinds share cells. */
  readonly #cells = new Map<string, Cell>();

  constructor(names: Names, caps: ValueCaps) {
    this.#names = names;
    this.#caps = caps;
  }

  /** The kind of an entry that is stored as `row`. */
  of(row: EntryRow, entry: Entry): Kind {
    // Tags come last: they alone are not numbers.
    const text = `${floor(entry.beganAt, HOUR_MS)} ${row.workspace} ${row.source} ${row.key} ${row.provider} ${row.model} ${row.status} ${row.tags}`;
    let kind = this.#kinds.get(text);
    if (!kind) this.#kinds.set(text, (kind = this.#work(entry)));
    return kind;
  }

  /** Ends a batch. What stands under `(other)` is told for each batch anew, so it is not remembered. */
  finish(hasOverflowed: boolean): void {
    if (hasOverflowed || this.#kinds.size > KINDS_MAX) this.forget();
  }

  /** To be called after a rollback. */
  forget(): void {
    this.#kinds.clear();
    this.#cells.clear();
  }

  #work(entry: Entry): Kind {
    const place = this.#plainPlace(entry);
    const tagPlaces = Object.entries(entry.tags).map(([key, value]) => this.#tagPlace(place, entry, key, value));
    return [
      ...PLAIN.map((shape) => this.#cell(shape, place)),
      ...TAG.flatMap((shape) => tagPlaces.map((tagPlace) => this.#cell(shape, tagPlace))),
    ];
  }

  #plainPlace({ workspaceId, beganAt, source, provider, model, keyId, status }: Entry): Place {
    const workspace = this.#names.id(workspaceId);
    const day = floor(beganAt, DAY_MS);
    const overflow = { workspaceId, of: 'model', tagKey: null, day } as const;
    return {
      workspace,
      beganAt,
      source: this.#names.id(source),
      provider: this.#names.id(provider),
      model: model === null ? NO_NAME : this.#caps.place([workspace, day], model, overflow),
      key: this.#names.id(keyId),
      status,
      tag_key: NO_NAME,
      tag_value: NO_NAME,
    };
  }

  #tagPlace(place: Place, { workspaceId, beganAt }: Entry, tagKey: string, value: string): Place {
    const { workspace } = place;
    const day = floor(beganAt, DAY_MS);
    const tag_key = this.#caps.place([workspace], tagKey, { workspaceId, of: 'tag_key', tagKey: null, day: null });
    const overflow = { workspaceId, of: 'tag_value', tagKey, day } as const;
    return { ...place, tag_key, tag_value: this.#caps.place([workspace, tag_key, day], value, overflow) };
  }

  #cell(shape: (typeof ROLLUPS)[number], place: Place): Cell {
    const cell = cellOf(shape, place);
    const known = this.#cells.get(cell.name);
    if (known) return known;
    this.#cells.set(cell.name, cell);
    return cell;
  }
}
