import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut } from './shown-text.ts';

const FAMILY = '👩‍👩‍👧‍👦';
const doubled = (text: string): string => text.replace(/[&<]/g, (found) => (found === '&' ? '&amp;' : '&lt;'));

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['ab cd', 4, 'ab…'],
  ['', 3, ''],
  ['😀😀', 3, '😀…'],
  [`a${FAMILY}`, 8, 'a…'],
  [`${FAMILY}b`, FAMILY.length, '…'],
  ['e\u0301e\u0301', 3, 'e\u0301…'],
])('%j in %i units is %j', (text, lengthMax, expected) => {
  expect(cut(text, lengthMax)).toBe(expected);
});

test('the rendered length counts, and an escape is never split', () => {
  expect(cut('&&&', 15, doubled)).toBe('&amp;&amp;&amp;');
  expect(cut('&&&', 14, doubled)).toBe('&amp;&amp;…');
  expect(cut('a<b', 5, doubled)).toBe('a…');
});

test('the result is never too long, short text is unchanged, and as much as possible is kept', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((some) => some.toWellFormed());
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 80 }), (whole, lengthMax) => {
      const short = cut(whole, lengthMax, doubled);
      expect(short.length).toBeLessThanOrEqual(lengthMax);
      expect(short.isWellFormed()).toBe(true);
      if (doubled(whole).length <= lengthMax) expect(short).toBe(doubled(whole));
      else expect(doubled(whole).startsWith(short.slice(0, -1))).toBe(true);
    }),
  );
});
