import { TollbookError } from '../errors.ts';
import { SECRET_PREFIX } from '../identity/secret.ts';

/**
 * Tags describe the purpose of a call. Sources in order of authority: tags of the wrapped key, `x-svc-tags`,
 * `x-svc-tag-<key>`, then headers of other products. Earlier sources win, so that a client cannot escape a limit by
 * changing a tag. Malformed tags are left out with a warning; they never fail the call.
 */
export type CallTags = Readonly<Record<string, string>>;

export const TAGS_MAX = 16;
const TAG_KEY_CHARACTERS_MAX = 64;
const TAG_VALUE_CHARACTERS_MAX = 256;
/** UTF-8 bytes of all keys and values of a call; each entry stores them. The wrapped key's own tags are always kept. */
const TAG_BYTES_MAX = 2_048;
/** Items read from one list; the rest of a longer one is left out. */
const LIST_ITEMS_MAX = 64;
/** Warnings travel in one response header. */
export const TAG_WARNINGS_MAX = 8;

/** Header names fold to lower case, so keys do everywhere. */
const KEY_FORM = /^[a-z0-9_.-]+$/;
/** Names with a special meaning in JavaScript objects; no other inherited name is all lower case. */
const RESERVED_KEYS: readonly string[] = ['__proto__', 'constructor'];
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const NO_WARNINGS: readonly string[] = [];

export type HeaderBag = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TagOptions {
  /** Read the W3C `baggage` header too. */
  readonly baggage: boolean;
}

export interface TagReading {
  readonly tags: CallTags;
  /** Short, printable ASCII, at most `TAG_WARNINGS_MAX`. */
  readonly warnings: readonly string[];
}

type TagCheck = { readonly key: string; readonly value: string; readonly problem: null } | { readonly problem: string };

/** A tag in the form in which it is stored, unchecked. */
export function trimTag(key: string, value: string): { readonly key: string; readonly value: string } {
  return { key: key.trim().toLowerCase(), value: value.trim() };
}

/** Checks one tag as a person or a client wrote it; the key comes back in lower case, the value trimmed. */
export function checkTag(writtenKey: string, writtenValue: string): TagCheck {
  const { key, value } = trimTag(writtenKey, writtenValue);
  if (key === '') return { problem: 'a tag has no key' };
  if (key.length > TAG_KEY_CHARACTERS_MAX)
    return { problem: `key ${printable(key)} is longer than ${TAG_KEY_CHARACTERS_MAX} characters` };
  if (!KEY_FORM.test(key)) return { problem: `key ${printable(key)} has characters other than a-z 0-9 _ . -` };
  if (RESERVED_KEYS.includes(key)) return { problem: `key ${key} is reserved` };
  // Tags are stored in the ledger and appear in usage queries.
  if (key.includes(SECRET_PREFIX) || value.includes(SECRET_PREFIX)) return { problem: 'a tag holds a secret' };
  const problem = findValueProblem(key, value);
  return problem === null ? { key, value, problem } : { problem };
}

/** Returns the reason why a trimmed value can't be stored; null = it can. */
export function findValueProblem(key: string, value: string): string | null {
  if (value === '') return `${key} has no value`;
  if (value.length > TAG_VALUE_CHARACTERS_MAX && Array.from(value).length > TAG_VALUE_CHARACTERS_MAX)
    return `the value of ${key} is longer than ${TAG_VALUE_CHARACTERS_MAX} characters`;
  if (CONTROL_CHARACTERS.test(value)) return `the value of ${key} has control characters`;
  if (!value.isWellFormed()) return `the value of ${key} is not well-formed text`;
  return null;
}

/** Folds a tag key to lower case, because tags also arrive as header names. */
export function foldTagKey(key: string): string {
  return key.trim().toLowerCase();
}

/** Parses `key=value`. */
export function parseTag(text: string): { readonly key: string; readonly value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new TollbookError('invalid', `"${text}" is not a tag; write key=value.`, 'tag');
  return { key: foldTagKey(text.slice(0, at)), value: text.slice(at + 1) };
}

/**
 * Parses the tags of a wrapped key. Malformed tags are errors here. Tags that it already has stay valid, even above
 * current maxima.
 */
export function parseTags(written: CallTags, stored: CallTags = {}): CallTags {
  const tags = new Map<string, string>();
  for (const [writtenKey, writtenValue] of Object.entries(written)) {
    const { key, value } = trimTag(writtenKey, writtenValue);
    const isStored = Object.hasOwn(stored, key) && stored[key] === value;
    const tag: TagCheck = isStored ? { key, value, problem: null } : checkTag(writtenKey, writtenValue);
    if (tag.problem !== null) throw new TollbookError('invalid', `This tag can't be used: ${tag.problem}.`, 'tags');
    if (tags.has(tag.key)) throw new TollbookError('invalid', `The tag ${tag.key} is given twice.`, 'tags');
    tags.set(tag.key, tag.value);
  }
  if (tags.size > Math.max(TAGS_MAX, Object.keys(stored).length))
    throw new TollbookError('invalid', `A key can have ${TAGS_MAX} tags.`, 'tags');
  return Object.fromEntries(tags);
}

/** Reads the tags of a call. Header names are lower case. Costs one look at each name when no tag header is there. */
export function readTags(headers: HeaderBag, keyTags: CallTags, options: TagOptions): TagReading {
  const found: [rank: number, read: SourceReader, name: string, text: string][] = [];
  for (const name in headers) {
    const source = findTagSource(name, options);
    const text = source && headers[name];
    if (source && text)
      found.push([source.rank, source.read, name, decodeHeader(typeof text === 'string' ? text : text.join(','))]);
  }
  if (found.length === 0) return { tags: keyTags, warnings: NO_WARNINGS };
  const collector = new TagCollector(keyTags);
  // Sorting is stable: it keeps the order of headers within one rank.
  for (const [, read, name, text] of found.toSorted((a, b) => a[0] - b[0])) read(collector, name, text);
  return collector.reading();
}

/** Gathers tags; the first value of a key wins. */
class TagCollector {
  readonly #tags: Map<string, string>;
  readonly #own: CallTags;
  readonly #warnings = new Set<string>();
  #bytes = 0;

  constructor(own: CallTags) {
    this.#own = own;
    this.#tags = new Map(Object.entries(own));
    for (const [key, value] of this.#tags) this.#bytes += tagBytes(key, value);
  }

  add(writtenKey: string, writtenValue: string): void {
    const tag = checkTag(writtenKey, writtenValue);
    if (tag.problem !== null) return this.warn(tag.problem);
    const standing = this.#tags.get(tag.key);
    if (standing === undefined) this.#addNew(tag.key, tag.value);
    else if (standing !== tag.value && Object.hasOwn(this.#own, tag.key))
      this.warn(`${tag.key} is set by the wrapped key`);
  }

  #addNew(key: string, value: string): void {
    const bytes = tagBytes(key, value);
    if (this.#tags.size >= TAGS_MAX) return this.warn(`more than ${TAGS_MAX} tags`);
    if (this.#bytes + bytes > TAG_BYTES_MAX) return this.warn(`more than ${TAG_BYTES_MAX} bytes of tags`);
    this.#tags.set(key, value);
    this.#bytes += bytes;
  }

  warn(problem: string): void {
    if (this.#warnings.size < TAG_WARNINGS_MAX) this.#warnings.add(problem);
  }

  reading(): TagReading {
    return { tags: Object.fromEntries(this.#tags), warnings: [...this.#warnings] };
  }
}

function tagBytes(key: string, value: string): number {
  return Buffer.byteLength(key) + Buffer.byteLength(value);
}

type SourceReader = (into: TagCollector, name: string, text: string) => void;
interface TagSource {
  readonly rank: number;
  readonly read: SourceReader;
}

const TAG_PREFIX = 'x-svc-tag-';
const HELICONE_PREFIX = 'helicone-property-';
const OWN_HEADER: TagSource = { rank: 1, read: readOneTag(TAG_PREFIX) };
const HELICONE: TagSource = { rank: 5, read: readOneTag(HELICONE_PREFIX) };
const BAGGAGE: TagSource = { rank: 7, read: (into, name, text) => readList(into, name, withoutProperties(text)) };
const BY_NAME: ReadonlyMap<string, TagSource> = new Map([
  [
    'x-svc-tags',
    { rank: 0, read: (into, name, text) => (text.startsWith('{') ? readObject : readList)(into, name, text) },
  ],
  ['cf-aig-metadata', { rank: 3, read: readObject }],
  ['x-portkey-metadata', { rank: 4, read: readObject }],
  ['x-litellm-tags', { rank: 6, read: readLabels }],
]);

function findTagSource(name: string, options: TagOptions): TagSource | undefined {
  if (name.startsWith(TAG_PREFIX)) return OWN_HEADER;
  if (name.startsWith(HELICONE_PREFIX)) return HELICONE;
  if (name === 'baggage') return options.baggage ? BAGGAGE : undefined;
  return BY_NAME.get(name);
}

function readOneTag(prefix: string): SourceReader {
  return (into, name, text) => into.add(name.slice(prefix.length), text);
}

/** `k=v,k2=v2`, percent-encoded. */
function readList(into: TagCollector, name: string, text: string): void {
  for (const item of listItems(into, name, text)) {
    const at = item.indexOf('=');
    const key = decodePercent(at < 0 ? item : item.slice(0, at));
    const value = at < 0 ? '' : decodePercent(item.slice(at + 1));
    if (key === null || value === null) into.warn(`${printable(item)} is not percent-encoded`);
    else into.add(key, value);
  }
}

/** LiteLLM's labels: `job:42` is a tag with a value, a bare `nightly` becomes `nightly=true`. */
function readLabels(into: TagCollector, name: string, text: string): void {
  for (const item of listItems(into, name, text)) {
    const at = item.indexOf(':');
    if (at < 0) into.add(item, 'true');
    else into.add(item.slice(0, at), item.slice(at + 1));
  }
}

/** A JSON object of texts, numbers and booleans. */
function readObject(into: TagCollector, name: string, text: string): void {
  const object = parseObject(text);
  if (!object) return into.warn(`${name} is no JSON object`);
  const items = Object.entries(object);
  if (items.length > LIST_ITEMS_MAX) into.warn(`${name} has more than ${LIST_ITEMS_MAX} items`);
  for (const [key, value] of items.slice(0, LIST_ITEMS_MAX)) {
    if (typeof value === 'string') into.add(key, value);
    else if (typeof value === 'number' || typeof value === 'boolean') into.add(key, String(value));
    else into.warn(`the value of ${printable(key)} is not a text, number or boolean`);
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function listItems(into: TagCollector, name: string, text: string): string[] {
  const items = text.split(',', LIST_ITEMS_MAX + 1).map((item) => item.trim());
  if (items.length > LIST_ITEMS_MAX) into.warn(`${name} has more than ${LIST_ITEMS_MAX} items`);
  return items.slice(0, LIST_ITEMS_MAX).filter((item) => item !== '');
}

/** Baggage items may carry properties after a semicolon. */
function withoutProperties(text: string): string {
  return text.replaceAll(/;[^,]*/g, '');
}

function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Header bytes arrive as Latin-1 characters; most clients that go beyond ASCII mean UTF-8. */
export function decodeHeader(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[^\u0000-\u00ff]/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch {
    return text;
  }
}

/** Makes text safe for a response header: no control characters, quotes or commas, and bounded. */
function printable(text: string): string {
  return text.slice(0, 40).replaceAll(/[^\w.:=%-]/g, '?');
}
