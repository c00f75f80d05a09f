import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainText, table } from './table.ts';

test('columns are aligned under their headings', () => {
  expect(
    table(
      ['ID', 'NAME'],
      [
        ['a', 'first'],
        ['bcd', ''],
      ],
      80,
    ),
  ).toBe('ID   NAME\na    first\nbcd');
});

test('a table is at most 80 columns wide and keeps its IDs whole, for any content', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 200 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      const id = 'key_01m7ynbw8sjxymb7jpa54h';
      const text = table(
        ['ID', 'NAME', 'TAGS', 'MORE'],
        rows.map((row) => [id, ...row]),
        80,
      );
      const lines = text.split('\n');
      expect(lines).toHaveLength(rows.length + 1);
      for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(80);
      for (const line of lines.slice(1)) expect(line.startsWith(id)).toBe(true);
    }),
  );
});

test('control characters, colors and direction marks are not printed', () => {
  expect(plainText('a\u001b[31mred\u0007\r\n\u202egnp.exe\u009b2J')).toBe('a?[31mred????gnp.exe?2J');
});
