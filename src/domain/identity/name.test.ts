import { expect, test } from 'vitest';
import { NAME_CHARACTERS_MAX, parseKeyName, parseName } from './name.ts';

test('a name is trimmed and may be in any language', () => expect(parseName(' Küche 台所 ')).toBe('Küche 台所'));

test('a name may be written from right to left', () => expect(parseName('מטבח')).toBe('מטבח'));

test.each([
  '',
  '  ',
  'a\nb',
  'a\u0000',
  'a\u2028b',
  'a\u009b',
  'a\u202eb',
  '\u2067a',
  '\ud800',
  'x'.repeat(NAME_CHARACTERS_MAX + 1),
])('%j is not a valid name', (text) => expect(() => parseName(text)).toThrow(/name/));

test('the name of a wrapped key is never mistaken for an ID', () => {
  expect(() => parseKeyName(`key_${'0'.repeat(22)}`)).toThrow(/looks like the id of a wrapped key/);
  expect(parseKeyName(' key_of_the_house ')).toBe('key_of_the_house');
});
