import { BACKSLASH, isDigit, QUOTE } from './bytes.ts';

const encoder = new TextEncoder();
const LITERALS = ['true', 'false', 'null'].map((word) => encoder.encode(word));
const SHORT_ESCAPES = new Set(encoder.encode('"\\/bfnrt'));
const LETTER_T = 0x74;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_U = 0x75;
const HEX_DIGITS = 4;
const CONTROL_END = 0x20;

export function beginsLiteral(byte: number): boolean {
  return byte === LETTER_T || byte === LETTER_F || byte === LETTER_N;
}

/** End of the `true`, `false` or `null` at `start`; −1 = there is none. */
export function literalEnd(bytes: Uint8Array, start: number): number {
  for (const word of LITERALS) {
    let at = 0;
    while (at < word.length && bytes[start + at] === word[at]) at++;
    if (at === word.length) return start + at;
  }
  return -1;
}

/** End of the number at `start` by JSON's grammar; −1 = there is none. */
export function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  const whole = at;
  at = digitsEnd(bytes, at);
  if (at === whole || (bytes[whole] === 0x30 && at > whole + 1)) return -1;
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return -1;
  }
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at;
  const signed = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d;
  const exponent = at + (signed ? 2 : 1);
  at = digitsEnd(bytes, exponent);
  return at === exponent ? -1 : at;
}

/** End of the escape whose backslash is at `start`; −1 = it is broken. */
export function escapeEnd(bytes: Uint8Array, start: number): number {
  const byte = bytes[start + 1];
  if (bytes[start] !== BACKSLASH || byte === undefined) return -1;
  if (SHORT_ESCAPES.has(byte)) return start + 2;
  if (byte !== LETTER_U) return -1;
  const end = start + 2 + HEX_DIGITS;
  for (let at = start + 2; at < end; at++) if (!isHexDigit(bytes[at])) return -1;
  return end;
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && isDigit(bytes[at]!)) at++;
  return at;
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

/** Returns the end of plain text: a quote, a backslash, a control character, or `limit`. */
export function plainEnd(bytes: Uint8Array, start: number, limit: number): number {
  let at = start;
  // Eight at a time: most of every body is text.
  const last = limit - 8;
  while (
    at <= last &&
    (ENDS_PLAIN[bytes[at]!]! |
      ENDS_PLAIN[bytes[at + 1]!]! |
      ENDS_PLAIN[bytes[at + 2]!]! |
      ENDS_PLAIN[bytes[at + 3]!]! |
      ENDS_PLAIN[bytes[at + 4]!]! |
      ENDS_PLAIN[bytes[at + 5]!]! |
      ENDS_PLAIN[bytes[at + 6]!]! |
      ENDS_PLAIN[bytes[at + 7]!]!) ===
      0
  )
    at += 8;
  while (at < limit && ENDS_PLAIN[bytes[at]!] === 0) at++;
  return at;
}

const ENDS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === QUOTE || byte === BACKSLASH || byte < CONTROL_END ? 1 : 0,
);
