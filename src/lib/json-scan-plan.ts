import { ScanRecord } from './json-scan-record.ts';

/**
 * Members to find, by name; `{}` = find it, `{ … }` = look into it too. `maxTokens|max_tokens` are two spellings of one
 * member, found under the first; they differ in case and underscores only.
 */
export interface ScanSpec {
  readonly [spellings: string]: ScanSpec | ScanList | typeof FREE;
}

/** A list whose objects are records: their members are told when each of them closes. */
export class ScanList {
  readonly kind: string;
  readonly element: ScanSpec;

  constructor(kind: string, element: ScanSpec) {
    this.kind = kind;
    this.element = element;
  }
}

/** A list of records. An object in its place counts as a list of one. */
export function each(kind: string, element: ScanSpec): ScanList {
  return new ScanList(kind, element);
}

/** Whatever stands in here is the sender's own: no name in it means anything. */
export const FREE = Symbol('free');

export interface ScanNode {
  readonly members: readonly ScanMember[];
  /** Plan of the objects of a list here; null = a list is not looked into. */
  readonly element: ScanNode | null;
  /** An object here is a record. */
  readonly record: RecordPlan | null;
}

export interface ScanMember {
  /** Names from the top, or from the record, joined by dots, each in its first spelling. */
  readonly path: string;
  /** Place in its record; −1 = it stands in none. */
  readonly slot: number;
  readonly spellings: readonly Uint8Array[];
  /** Lower case without underscores. A name that only folds to this is refused: readers might differ about it. */
  readonly folded: Uint8Array;
  readonly node: ScanNode;
}

/** The members of a record. */
export class RecordPlan {
  readonly kind: string;
  /** By place. */
  readonly paths: string[] = [];
  /** Records to use again. One that is open is not in here. */
  readonly #spare: ScanRecord[] = [];

  constructor(kind: string) {
    this.kind = kind;
  }

  open(bytes: Uint8Array): ScanRecord {
    const record = this.#spare.pop() ?? new ScanRecord(this.kind, this.paths);
    record.bytes = bytes;
    return record;
  }

  close(record: ScanRecord): void {
    record.clear();
    this.#spare.push(record);
  }
}

/** A name that is noted wherever it stands, with any value but null and false, or with a text of a pattern (`word`, `word*`). */
export interface NotedName {
  readonly name: Uint8Array;
  readonly text: string;
  readonly values: readonly string[] | null;
}

export interface ScanPlan {
  readonly root: ScanNode;
  /** By length of the name in bytes. */
  readonly noted: readonly (readonly NotedName[] | undefined)[];
}

const NOTHING: ScanNode = { members: [], element: null, record: null };
/** Stands for a node, and for those of everything in it. */
export const FREE_NODE: ScanNode = { members: [], element: null, record: null };

/**
 * @param members what to find
 * @param noted names to note where no member of the plan stands: with any value (null), or with a text that is, or with a star at the end begins like, one of these
 */
export function scanPlan(members: ScanSpec, noted: Readonly<Record<string, readonly string[] | null>>): ScanPlan {
  const byLength: NotedName[][] = [];
  for (const [text, values] of Object.entries(noted)) {
    const name = new TextEncoder().encode(text);
    (byLength[name.length] ??= []).push({ name, text, values });
  }
  return { root: { ...NOTHING, members: membersOf(members, '', null) }, noted: byLength };
}

function membersOf(spec: ScanSpec, parent: string, record: RecordPlan | null): ScanMember[] {
  const encoder = new TextEncoder();
  return Object.entries(spec).map(([names, inner]) => {
    const spellings = names.split('|');
    const path = `${parent}${spellings[0]}`;
    return {
      path,
      slot: record === null ? -1 : record.paths.push(path) - 1,
      spellings: spellings.map((name) => encoder.encode(name)),
      folded: encoder.encode(fold(spellings[0] ?? '')),
      node: nodeOf(inner, `${path}.`, record),
    };
  });
}

function nodeOf(spec: ScanSpec | ScanList | typeof FREE, path: string, record: RecordPlan | null): ScanNode {
  if (spec === FREE) return FREE_NODE;
  if (!(spec instanceof ScanList)) return { ...NOTHING, members: membersOf(spec, path, record) };
  const own = new RecordPlan(spec.kind);
  return { ...NOTHING, element: { ...NOTHING, members: membersOf(spec.element, '', own), record: own } };
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
