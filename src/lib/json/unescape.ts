import { BACKSLASH } from './bytes.ts';
import { escapeEnd } from './tokens.ts';

const LETTER_U = 0x75;
const LAST_ASCII = 0x7f;
/** Marks a character beyond ASCII that was written as an escape. It is not a byte of UTF-8, so it equals nothing. */
const BEYOND_ASCII = 0xff;
/** Characters beyond ASCII that readers without regard to case take for letters, by their code: `ſ` and the Kelvin sign. */
const TAKEN_FOR_LETTERS: ReadonlyMap<number, Uint8Array> = new Map([
  [0x17f, Uint8Array.of(0xc5, 0xbf)],
  [0x212a, Uint8Array.of(0xe2, 0x84, 0xaa)],
]);
/** Characters of short escapes, by letter. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const [letter, meant] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  SHORT_ESCAPES[letter!.charCodeAt(0)] = meant!.charCodeAt(0);

/**
 * Writes the text in `bytes[start, end)`, whose escapes are all sound, to `into`: its ASCII is exact, and so is what it holds
 * without an escape. Returns how many bytes it wrote: what does not fit is left out.
 */
export function unescape(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let length = 0;
  let at = start;
  while (at < end && length < into.length) {
    if (bytes[at] !== BACKSLASH) {
      into[length++] = bytes[at++]!;
      continue;
    }
    const next = escapeEnd(bytes, at);
    length = write(
      bytes[at + 1] === LETTER_U ? codeAt(bytes, at + 2, next) : SHORT_ESCAPES[bytes[at + 1]!]!,
      into,
      length,
    );
    at = next;
  }
  return length;
}

export function isAscii(bytes: Uint8Array, length: number): boolean {
  for (let at = 0; at < length; at++) if (bytes[at]! > LAST_ASCII) return false;
  return true;
}

function write(code: number, into: Uint8Array, length: number): number {
  const letter = code > LAST_ASCII ? TAKEN_FOR_LETTERS.get(code) : undefined;
  if (letter !== undefined && length + letter.length <= into.length) {
    into.set(letter, length);
    return length + letter.length;
  }
  into[length] = code > LAST_ASCII ? BEYOND_ASCII : code;
  return length + 1;
}

/** Returns the code that the hexadecimal digits in `bytes[start, end)` write. */
export function codeAt(bytes: Uint8Array, start: number, end: number): number {
  let code = 0;
  for (let at = start; at < end; at++) code = code * 16 + hexDigit(bytes[at]!);
  return code;
}

/** Letters of either case are nine above their last four bits. */
function hexDigit(byte: number): number {
  return byte > 0x39 ? (byte & 0xf) + 9 : byte & 0xf;
}
