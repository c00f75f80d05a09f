import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAscii, unescape } from './unescape.ts';

function decoded(text: string, room = 256): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const into = new Uint8Array(room);
  return into.subarray(0, unescape(bytes, 0, bytes.length, into));
}

const escape = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

test('escaped ASCII is read as JSON.parse reads it', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 8 }).map((text) => JSON.stringify(text).slice(1, -1)),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }).map(escape),
    fc
      .string({ unit: 'binary-ascii', maxLength: 4 })
      .map((text) => escape(text).replaceAll(/[a-f]/g, (hex) => hex.toUpperCase())),
    fc.constantFrom('\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\"', '\\\\', 'é', '\\u017f', '\\u212A'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('').replaceAll('\\U', '\\u');
      expect(Buffer.from(decoded(text, 4_096)).toString()).toBe(JSON.parse(`"${text}"`));
    }),
  );
});

test('characters beyond ASCII equal no name, and text that does not fit is left out', () => {
  expect(isAscii(decoded('\\u0061'), 1)).toBe(true);
  expect([...decoded('a\\u4e2d\\ud83d\\ude00')]).toEqual([0x61, 0xff, 0xff, 0xff]);
  expect(decoded('\\u0061'.repeat(9), 4)).toEqual(new TextEncoder().encode('aaaa'));
  expect([...decoded('aaa\\u212a', 4)]).toEqual([0x61, 0x61, 0x61, 0xff]);
});
