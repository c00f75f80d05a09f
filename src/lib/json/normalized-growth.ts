import { isAscii } from 'node:buffer';

/**
 * Characters whose compatibility form (NFKC) has more bytes of UTF-8, with how many more. Tokenizers that normalize text
 * see these bytes. A combining mark may also keep a letter before it apart.
 */
const GROWING = `
a8:1 af:1 b4:1 b8:1 bc-be:3 13f-140:1 149:1 1c4-1c6:1 2d8-2dd:1 300-36f:3 37a:1 384-385:3 587:2 675-678:2
958-95f:3 9dc-9dd:3 9df:3 a33:3 a36:3 a59-a5b:3 a5e:3 b5c-b5d:3 e33:3 eb3:3 edc-edd:3 f43:3 f4d:3 f52:3
f57:3 f5c:3 f69:3 f73:3 f75-f79:6 f81:3 f93:3 f9d:3 fa2:3 fa7:3 fac:3 fb9:3 1fc1:2 1fcd-1fcf:2 1fdd-1fdf:2
1fed-1fee:2 2033-2034:6 2036-2037:6 2057:9 2150-215f:3 2167:1 2177:1 2189:2 222c-222d:6 222f-2230:6
247d-2487:1 2a0c:9 2adc:2 309b-309c:1 309f:3 30ff:3 3200-321e:5 3220-3243:2 327c-327d:3 32c0-32cb:2
32ff-3370:15 337b-337f:9 3389:1 33a7-33a8:3 33ae-33af:5 33c2:1 33c6:3 33d8:1 33de-33fe:2 fa6c:1 facf-fad1:1
fad5-fad7:1 fb13-fb17:1 fb1d:1 fb1f:1 fb2a-fb36:3 fb38-fb3c:1 fb3e:1 fb40-fb41:1 fb43-fb44:1 fb46-fb4f:1
fbdd:1 fbea-fbfb:1 fc00-fd3d:3 fd50-fd8f:3 fd92-fdc7:3 fdf0-fdfc:30 fe71:1 fe77:1 fe79:1 fe7b:1 fe7d:1
fe7f:1 fef5-fefc:1 1d15e-1d164:8 1d1bb-1d1c0:8 1f12a:3 1f200-1f201:2 1f240-1f248:5`;

const BMP_CHARACTERS = 0x1_0000;
const IN_BMP = new Uint8Array(BMP_CHARACTERS);
const BEYOND_BMP: [first: number, last: number, growth: number][] = [];
for (const range of GROWING.trim().split(/\s+/)) {
  const [, first = '', last = first, growth] = /^(\w+)(?:-(\w+))?:(\d+)$/.exec(range) ?? [];
  const [from, to, more] = [Number.parseInt(first, 16), Number.parseInt(last, 16), Number(growth)];
  if (from < BMP_CHARACTERS) IN_BMP.fill(more, from, to + 1);
  else BEYOND_BMP.push([from, to, more]);
}

const LEAD_TWO = 0xc2;
const LEAD_THREE = 0xe0;
const LEAD_FOUR = 0xf0;
const LOW_BITS = 0x3f;
/** Bytes of `\\u12ab`, the longest form of a character of the basic plane in JSON. */
const ESCAPE_BYTES = 6;

/** Returns by how many bytes the UTF-8 text that begins in `[from, to)` may grow when it is normalized. */
export function normalizedGrowth(bytes: Uint8Array, from: number, to: number): number {
  if (isAscii(bytes.subarray(from, to))) return 0;
  let growth = 0;
  for (let at = from; at < to; at++) {
    const lead = bytes[at]!;
    if (lead < LEAD_TWO) continue;
    const second = bytes[at + 1]! & LOW_BITS;
    if (lead < LEAD_THREE) growth += IN_BMP[((lead & 0x1f) << 6) | second]!;
    else if (lead < LEAD_FOUR) growth += IN_BMP[((lead & 0xf) << 12) | (second << 6) | (bytes[at + 2]! & LOW_BITS)]!;
    else
      growth += growthBeyondBmp(
        ((lead & 7) << 18) | (second << 12) | ((bytes[at + 2]! & LOW_BITS) << 6) | (bytes[at + 3]! & LOW_BITS),
      );
  }
  return growth;
}

function growthBeyondBmp(code: number): number {
  for (const [first, last, growth] of BEYOND_BMP) if (code >= first && code <= last) return growth;
  return 0;
}

/** Returns by how many bytes a character grows beyond its escape `\\u12ab`. */
export function escapedGrowth(code: number): number {
  const growth = IN_BMP[code] ?? 0;
  return growth === 0 ? 0 : Math.max(0, growth + (code < 0x800 ? 2 : 3) - ESCAPE_BYTES);
}
