/** The bytes of JSON, as the readers in this folder ask about them. */
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

const LETTER_T = 0x74;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const MINUS = 0x2d;

export function isSpace(byte: number): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

export function beginsScalar(byte: number): boolean {
  return isDigit(byte) || byte === MINUS || byte === LETTER_T || byte === LETTER_F || byte === LETTER_N;
}

export function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte);
}

const LAST_ASCII = 0x7f;
const DIGIT_ZERO = 0x30;
/** Largest number of digits that is always exact. */
const PLAIN_DIGITS_MAX = 15;

/** Parses `bytes[start, end)`; undefined = it is no JSON. Copies: nothing of `bytes` is kept. */
export function parseSlice(bytes: Uint8Array, start: number, end: number): unknown {
  const whole = plainWhole(bytes, start, end);
  if (whole !== -1) return whole;
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most values are ids, models and the like: plain text without escapes.
  if (isPlainString(bytes, start, end)) return buffer.toString('latin1', start + 1, end - 1);
  try {
    return JSON.parse(buffer.toString('utf8', start, end));
  } catch {
    return undefined;
  }
}

/** Reads a count of up to 15 digits without a leading 0; −1 = something else. */
function plainWhole(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > PLAIN_DIGITS_MAX || end <= start || bytes[start] === DIGIT_ZERO) return -1;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - DIGIT_ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** A string of printable ASCII without escapes. */
function isPlainString(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 2 || bytes[start] !== QUOTE || bytes[end - 1] !== QUOTE) return false;
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at]!;
    if (byte < SPACE || byte > LAST_ASCII || byte === BACKSLASH || byte === QUOTE) return false;
  }
  return true;
}

/** The text of a string, given its bytes between the quotes; null = it is no JSON string. */
export function readText(bytes: Uint8Array, start: number, end: number): string | null {
  const value = parseSlice(bytes, start - 1, end + 1);
  return typeof value === 'string' ? value : null;
}

/** Tests whether `bytes` contains a name at `start`. */
export function equalAt(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < name.length; at++) if (name[at] !== bytes[start + at]) return false;
  return true;
}
