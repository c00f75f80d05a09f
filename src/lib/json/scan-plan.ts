import { ScanRecord } from './scan-record.ts';

/**
 * Members to find, by name; `{}` = find it, `{ … }` = look into it too. `maxTokens|max_tokens` are two spellings of one
 * member, found under the first; they differ in case and underscores only.
 */
export interface ScanSpec {
  readonly [spellings: string]: MemberSpec;
}

type MemberSpec = ScanSpec | KnownObject | ScanList | typeof FREE | typeof SCHEMA;

/** An object whose members are all known. Each other member is a stranger. */
export class KnownObject {
  readonly members: ScanSpec;
  /** Names without a meaning here, in addition to the members. */
  readonly names: readonly string[];

  constructor(members: ScanSpec, names: readonly string[]) {
    this.members = members;
    this.names = names;
  }
}

export function only(members: ScanSpec, ...names: readonly string[]): KnownObject {
  return new KnownObject(members, names);
}

/** A list of records. Their members are passed on when each record closes. */
export class ScanList {
  readonly kind: string;
  readonly element: ScanSpec | KnownObject;
  readonly form: MemberForm;

  constructor(kind: string, element: ScanSpec | KnownObject, form: MemberForm) {
    this.kind = kind;
    this.element = element;
    this.form = form;
  }
}

/** JSON values that a member may have. Others are refused, because their content would not be read. */
export type MemberForm = 'anything' | 'object' | 'objects' | 'objects or a word' | 'objects and texts';

/** A list of records and nothing else. An object in its place counts as a list of one; null and false as none. */
export function eachRecord(kind: string, element: ScanSpec | KnownObject): ScanList {
  return new ScanList(kind, element, 'objects');
}

/** A list of records, or a word in its place. */
export function eachOrWord(kind: string, element: ScanSpec | KnownObject): ScanList {
  return new ScanList(kind, element, 'objects or a word');
}

/** A list of records, texts and other scalars, or a scalar in its place. */
export function eachOrText(kind: string, element: ScanSpec | KnownObject): ScanList {
  return new ScanList(kind, element, 'objects and texts');
}

/** Records in a value that may hold anything else too, in lists of lists as well. */
export function eachAmongAnything(kind: string, element: ScanSpec): ScanList {
  return new ScanList(kind, element, 'anything');
}

/** Content of the sender, in which names have no meaning. */
export const FREE = Symbol('free');

/** JSON schemas. Only references with a text are noted in them, as `$ref=*`. */
export const SCHEMA = Symbol('schema');
export const SCHEMA_REFERENCES = ['$ref=*', '$dynamicRef=*', 'ref=*'];

export interface ScanNode {
  readonly members: MemberTable;
  /** Plan of the objects of a list here; null = a list is not looked into. */
  readonly element: ScanNode | null;
  /** An object here is a record. */
  readonly record: RecordPlan | null;
  /** Values that are allowed here. */
  readonly form: MemberForm;
  /** Path of the member, for refusals. */
  readonly path: string;
  /** Names allowed here in addition to the members; all others are strangers. null = strangers are not reported. */
  readonly expected: ExpectedNames | null;
}

/** Names in lower case and without underscores, by the code of their first letter. */
export type ExpectedNames = readonly (readonly Uint8Array[] | undefined)[];

export interface ScanMember {
  /** Names from the top, or from the record, joined by dots, each in its first spelling. */
  readonly path: string;
  /** Place in its record, or among the members outside records. */
  readonly slot: number;
  readonly inRecord: boolean;
  readonly spellings: readonly Uint8Array[];
  /** Lower case without underscores. A name that only folds to this is refused: readers might differ about it. */
  readonly folded: Uint8Array;
  readonly node: ScanNode;
}

/** Members by the letter that their names begin with. */
export interface MemberTable {
  readonly all: readonly ScanMember[];
  /** Members by code of the first letter in lower case. */
  readonly byLetter: readonly (readonly ScanMember[] | undefined)[];
}

/** The members of a record. */
class RecordPlan {
  readonly kind: string;
  readonly #places = new Map<string, number>();
  /** Records to use again. One that is open is not in here. */
  readonly #spare: ScanRecord[] = [];

  constructor(kind: string) {
    this.kind = kind;
  }

  add(path: string): number {
    return addPlace(this.#places, path);
  }

  open(bytes: Uint8Array, brace: number): ScanRecord {
    const record = this.#spare.pop() ?? new ScanRecord(this.kind, this.#places);
    record.bytes = bytes;
    record.brace = brace;
    return record;
  }

  close(record: ScanRecord): void {
    record.clear();
    this.#spare.push(record);
  }
}

/**
 * A name that is noted everywhere, with any value except null and false, or with a text that matches a pattern (`word`,
 * `word*`).
 */
export interface NotedName {
  readonly name: Uint8Array;
  readonly text: string;
  readonly values: readonly string[] | null;
}

export interface ScanPlan {
  readonly root: ScanNode;
  /** Place of each member outside records, by path. */
  readonly places: ReadonlyMap<string, number>;
  /** Noted names by length in bytes. */
  readonly noted: readonly (readonly NotedName[] | undefined)[];
}

const NO_MEMBERS: MemberTable = { all: [], byLetter: [] };
const NOTHING: ScanNode = {
  members: NO_MEMBERS,
  element: null,
  record: null,
  form: 'anything',
  path: '',
  expected: null,
};
/** A node without members, also for everything inside it. */
export const FREE_NODE: ScanNode = { ...NOTHING };
/** The same for JSON schemas. */
export const SCHEMA_NODE: ScanNode = { ...NOTHING };

/**
 * @param members what to find
 * @param noted names to note where no member of the plan stands: with any value (null), or with a text that is, or with a star at the end begins like, one of these
 */
export function scanPlan(members: ScanSpec, noted: Readonly<Record<string, readonly string[] | null>>): ScanPlan {
  const places = new Map<string, number>();
  const owner: MemberPlaces = { add: (path) => addPlace(places, path) };
  const root = { ...NOTHING, members: buildMembers(members, '', owner), expected: expectedNames([]) };
  return { root, places, noted: indexNoted(noted) };
}

function indexNoted(noted: Readonly<Record<string, readonly string[] | null>>): NotedName[][] {
  const byLength: NotedName[][] = [];
  for (const [text, values] of Object.entries(noted)) {
    const name = new TextEncoder().encode(text);
    (byLength[name.length] ??= []).push({ name, text, values });
  }
  return byLength;
}

/** Names that are noted in schemas, by length in bytes. */
export const NOTED_IN_SCHEMAS: ScanPlan['noted'] = indexNoted({ $ref: ['*'], $dynamicRef: ['*'], ref: ['*'] });

/** Returns the plan with these names expected in the document itself. */
export function expecting(plan: ScanPlan, names: readonly string[]): ScanPlan {
  return { ...plan, root: { ...plan.root, expected: expectedNames(names) } };
}

function expectedNames(names: readonly string[]): ExpectedNames {
  const encoder = new TextEncoder();
  const byLetter: Uint8Array[][] = [];
  for (const name of names) {
    const folded = encoder.encode(fold(name));
    (byLetter[folded[0] ?? 0] ??= []).push(folded);
  }
  return byLetter;
}

/** Gives members their places. */
interface MemberPlaces {
  add(path: string): number;
}

function addPlace(places: Map<string, number>, path: string): number {
  const place = places.size;
  places.set(path, place);
  return place;
}

function buildMembers(spec: ScanSpec, parent: string, owner: MemberPlaces): MemberTable {
  const encoder = new TextEncoder();
  const all = Object.entries(spec).map(([names, inner]) => {
    const spellings = names.split('|');
    const path = `${parent}${spellings[0]}`;
    return {
      path,
      slot: owner.add(path),
      inRecord: owner instanceof RecordPlan,
      spellings: spellings.map((name) => encoder.encode(name)),
      folded: encoder.encode(fold(spellings[0] ?? '')),
      node: buildNode(inner, path, owner),
    };
  });
  const byLetter: ScanMember[][] = [];
  for (const member of all) (byLetter[member.folded[0] ?? 0] ??= []).push(member);
  return { all, byLetter };
}

function buildNode(spec: MemberSpec, path: string, owner: MemberPlaces): ScanNode {
  if (spec === FREE) return FREE_NODE;
  if (spec === SCHEMA) return SCHEMA_NODE;
  if (!(spec instanceof ScanList)) {
    const inner = buildObject(spec, `${path}.`, owner);
    const form = inner.members.all.length > 0 || inner.expected !== null ? 'object' : 'anything';
    return { ...NOTHING, ...inner, path, form };
  }
  const own = new RecordPlan(spec.kind);
  const element = { ...NOTHING, ...buildObject(spec.element, '', own), path: `${path}[]`, record: own };
  return { ...NOTHING, element, path, form: spec.form };
}

function buildObject(
  spec: ScanSpec | KnownObject,
  parent: string,
  owner: MemberPlaces,
): Pick<ScanNode, 'members' | 'expected'> {
  if (!(spec instanceof KnownObject)) return { members: buildMembers(spec, parent, owner), expected: null };
  return { members: buildMembers(spec.members, parent, owner), expected: expectedNames(spec.names) };
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
