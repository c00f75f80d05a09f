import { expect, test } from 'vitest';
import { isolated, isolatedQuotes } from './isolated.ts';

test('left-to-right text stays unchanged', () => {
  for (const text of ['', 'checkout', 'Küche 台所 (2)', '"><img>'])
    expect([isolated(text), isolatedQuotes(text)]).toEqual([text, text]);
});

test('right-to-left text and direction marks are isolated', () => {
  expect(isolated('מטבח 5')).toBe('\u2068מטבח 5\u2069');
  expect(isolated('a\u202e\u2069b')).toBe('\u2068ab\u2069');
});

test('a sentence keeps its direction, whatever text it quotes', () => {
  expect(isolatedQuotes('The limit "מטבח" (team=\u202eab, user=אב) is used up.')).toBe(
    'The limit "\u2068מטבח\u2069" (team=ab, user=\u2068אב\u2069) is used up.',
  );
});
