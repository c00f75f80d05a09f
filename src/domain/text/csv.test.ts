import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', '"\'\t=1"'],
  ['\tx', '"\'\tx"'],
  ['\r=1', '"\'\r=1"'],
  ['\rx', '"\'\rx"'],
  ['\n=1', '"\'\n=1"'],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
  ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
  ['a=1', 'a=1'],
  ['call_1', 'call_1'],
  ['a, b', '"a, b"'],
])('text that a spreadsheet would run is escaped, and other text is unchanged (%j)', (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
});

test('numbers stay numbers, also below 0, and unknown values are empty', () => {
  expect(csvLine([-1, 0.000012, 1e21, true, null])).toBe('-1,0.000012,1e+21,true,\r\n');
});

/** The cells of one line, as RFC 4180 reads them. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(?:,|\r\n$)/g))
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
  return cells;
}

test('no cell begins a formula, for any text of clients, and each is read back without its apostrophe', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 6 }), (texts) => {
      const cells = cellsOf(csvLine(texts));
      expect(cells.map((cell) => cell.replace(/^'/, ''))).toEqual(texts.map((text) => text.replace(/^'/, '')));
      for (const cell of cells) expect(cell).not.toMatch(/^[\s\0]*[=+\-@]|^[\t\r]/);
    }),
  );
});
