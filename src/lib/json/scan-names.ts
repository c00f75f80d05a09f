import type { ExpectedNames, MemberTable, NotedName, ScanMember, ScanNode } from './scan-plan.ts';
import { equalAt, OPEN_ARRAY, OPEN_OBJECT } from './bytes.ts';

/** No provider's names are nearly as long; longer ones are refused where members are looked for. */
export const NAME_BYTES_MAX = 256;
const UNDERSCORE = 0x5f;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
const LAST_ASCII = 0x7f;
/** The only letters beyond ASCII that readers without regard to case take for ASCII ones (`ſ` and the Kelvin sign). */
const LONG_S = Uint8Array.of(0xc5, 0xbf);
const KELVIN = Uint8Array.of(0xe2, 0x84, 0xaa);
const LETTER_S = 0x73;
const LETTER_K = 0x6b;

/** Why a document is refused; the message continues a sentence that begins with what the document is. */
export class ScanError extends Error {
  /** Path of the member it is about. */
  readonly path: string | undefined;

  constructor(message: string, path?: string) {
    super(message);
    this.path = path;
  }
}

/** The member that `bytes[start, end)` names. A name that differs from its spellings only by case or underscores is refused. */
export function findScanMember(
  { byLetter }: MemberTable,
  bytes: Uint8Array,
  start: number,
  end: number,
): ScanMember | null {
  if (end - start > NAME_BYTES_MAX) throw new ScanError(`has a name of more than ${NAME_BYTES_MAX} bytes; shorten it`);
  const members = byLetter[firstLetter(bytes, start, end)];
  if (members === undefined) return null;
  for (const member of members)
    for (const name of member.spellings) if (name.length === end - start && equalAt(name, bytes, start)) return member;
  for (const { folded, path } of members)
    if (foldsTo(folded, bytes, start, end))
      throw new ScanError(`spells "${path}" in a way that is read differently by different readers`, path);
  return null;
}

/** Tests whether a name is expected, in any case and with any underscores. */
export function isExpected(expected: ExpectedNames, bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] ?? 0;
  const names = expected[first >= UPPER_A && first <= UPPER_Z ? first + TO_LOWER : first];
  return names !== undefined && names.some((folded) => foldsTo(folded, bytes, start, end));
}

export function findNoted(noted: readonly NotedName[] | undefined, bytes: Uint8Array, start: number): NotedName | null {
  if (noted === undefined) return null;
  for (const candidate of noted) if (equalAt(candidate.name, bytes, start)) return candidate;
  return null;
}

/** Tests a word against an ASCII pattern; a star at its end matches anything. */
export function matches(pattern: string, bytes: Uint8Array, start: number, end: number): boolean {
  const open = pattern.endsWith('*');
  const length = pattern.length - (open ? 1 : 0);
  if (open ? end - start < length : end - start !== length) return false;
  for (let at = 0; at < length; at++) if (bytes[start + at] !== pattern.charCodeAt(at)) return false;
  return true;
}

/** The first letter of a name in lower case, as readers without regard to case and underscores see it. */
function firstLetter(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] === UNDERSCORE) at++;
  const byte = at < end ? bytes[at]! : 0;
  if (byte <= LAST_ASCII) return byte >= UPPER_A && byte <= UPPER_Z ? byte + TO_LOWER : byte;
  if (equalAt(LONG_S, bytes, at)) return LETTER_S;
  return equalAt(KELVIN, bytes, at) ? LETTER_K : byte;
}

function foldsTo(folded: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  let matched = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === UNDERSCORE) continue;
    let lower = byte >= UPPER_A && byte <= UPPER_Z ? byte + TO_LOWER : byte;
    if (byte > LAST_ASCII && equalAt(LONG_S, bytes, at)) {
      lower = LETTER_S;
      at += LONG_S.length - 1;
    } else if (byte > LAST_ASCII && equalAt(KELVIN, bytes, at)) {
      lower = LETTER_K;
      at += KELVIN.length - 1;
    }
    if (matched === folded.length || folded[matched] !== lower) return false;
    matched++;
  }
  return matched === folded.length;
}

const LETTER_F = 0x66;
const LETTER_N = 0x6e;

/** @param byte the first of the member's value */
export function requireForm({ form, path }: ScanNode, byte: number): void {
  if (form === 'object' && byte === OPEN_ARRAY) throw new ScanError(`needs an object in "${path}", not a list`, path);
  if (form !== 'objects' || byte === OPEN_ARRAY || byte === OPEN_OBJECT) return;
  // Null and false say that there is none.
  if (byte !== LETTER_N && byte !== LETTER_F) throw new ScanError(`needs a list of objects in "${path}"`, path);
}

/** @param byte the first of an element of the list */
export function requireElement({ form, path }: ScanNode, byte: number): void {
  if (form === 'anything') return;
  if (form === 'objects and texts' ? byte === OPEN_ARRAY : byte !== OPEN_OBJECT)
    throw new ScanError(`needs a list of objects in "${path}"`, path);
}
