import { isDigit } from './bytes.ts';

const OTHER = 0;
/** A letter e, which between digits is an exponent: servers write such a number out. */
const EXPONENT = 255;
/** Digits of `1e20` written out, as JSON writers do below 1e21. */
const EXPONENT_GROWTH = 20;
/** Bytes of `\\u0026`. */
const ESCAPE_BYTES = 6;
/** Words around one member of arguments in markup: `<parameter=a>`, a line for the value, `</parameter>`. */
const MARKUP_GROWTH = 12;
/** A space, or a line's end. */
const SEPARATOR_GROWTH = 2;
const FIRST_NON_ASCII = 0x80;
const LEAD_TWO = 0xc2;
const LEAD_THREE = 0xe0;
const LEAD_FOUR = 0xf0;

/** Growth of each byte of text that a template writes as JSON with `<`, `>`, `&`, `'` and all beyond ASCII escaped. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= LEAD_FOUR) return 2 * ESCAPE_BYTES - 4;
  if (byte >= LEAD_THREE) return ESCAPE_BYTES - 3;
  if (byte >= LEAD_TWO) return ESCAPE_BYTES - 2;
  if (byte >= FIRST_NON_ASCII) return OTHER;
  const character = String.fromCharCode(byte);
  if ("<>&'".includes(character)) return ESCAPE_BYTES - 1;
  return 'eE'.includes(character) ? EXPONENT : OTHER;
});

/** The same for JSON within a text, which a template may also write as markup. */
const ARGUMENTS = ESCAPED.map((growth, byte) => {
  const character = String.fromCharCode(byte);
  if (character === ':') return MARKUP_GROWTH;
  return ',[]{}'.includes(character) ? SEPARATOR_GROWTH : growth;
});

/** Returns by how many bytes the JSON in `[from, to)` may grow when a template escapes it. */
export function escapingGrowth(bytes: Uint8Array, from: number, to: number): number {
  return addGrowth(ESCAPED, bytes, from, to);
}

/** Returns by how many bytes the arguments of tool calls in `[from, to)` may grow in a template. */
export function argumentsGrowth(bytes: Uint8Array, from: number, to: number): number {
  return addGrowth(ARGUMENTS, bytes, from, to);
}

function addGrowth(growths: Uint8Array, bytes: Uint8Array, from: number, to: number): number {
  let growth = 0;
  for (let at = from; at < to; at++) {
    const more = growths[bytes[at]!]!;
    if (more === OTHER) continue;
    if (more !== EXPONENT) growth += more;
    else if (isDigit(bytes[at - 1] ?? 0)) growth += EXPONENT_GROWTH;
  }
  return growth;
}
