const GAP = '  ';
/** The narrowest that a column is made. */
const WIDTH_MIN = 6;
const CUT = '…';

/** Characters that would move a cursor or change colours: names and tags may come from clients. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

export function plainText(text: string): string {
  return text.replaceAll(CONTROLS, '?');
}

/** Numbers and times: a part of one is another one. */
const FIGURES = /^[\d.,:+×%$ TZ-]*$/;

/** Rows under headings, at most `width` columns wide: the widest texts give way first, then figures, the first column never. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const lines = [headings, ...rows.map((row) => row.map(plainText))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => Array.from(line[column] ?? '').length)));
  const room = width - GAP.length * (headings.length - 1);
  const isText = headings.map((_, column) => rows.some((row) => !FIGURES.test(row[column] ?? '')));
  while (sum(widths) > room) {
    const widest = widestCell(widths, isText) ?? widestCell(widths);
    if (widest === null) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return lines
    .map((line) =>
      line
        .map((cell, column) => fit(cell, widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** The last of the widest columns that can be narrower, of those allowed; null = none. */
function widestCell(widths: readonly number[], allowed?: readonly boolean[]): number | null {
  let widest: number | null = null;
  for (const [column, width] of widths.entries())
    if (column > 0 && width > WIDTH_MIN && (allowed?.[column] ?? true) && width >= (widths[widest ?? column] ?? 0))
      widest = column;
  return widest;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function fit(cell: string, width: number): string {
  const text = cut(cell, width);
  return text + ' '.repeat(width - Array.from(text).length);
}

export function cut(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length > width ? characters.slice(0, width - 1).join('') + CUT : text;
}

/** Notes below a row, as many in a line as fit; further lines are indented more. */
export function noteLines(notes: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const note of notes) {
    const longer = `${line}  ${plainText(note)}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = cut(`    ${plainText(note)}`, width);
    } else line = cut(longer, width);
  }
  return line === '' ? lines : [...lines, line];
}

/** A table with the lines that belong below each of its rows. */
export function tableWithNotes(
  headings: readonly string[],
  rows: readonly { readonly cells: readonly string[]; readonly notes: (line: string) => readonly string[] }[],
  width: number,
): string {
  const [head = '', ...lines] = table(
    headings,
    rows.map(({ cells }) => cells),
    width,
  ).split('\n');
  return [
    head,
    ...lines.flatMap((line, index) => [line].concat(noteLines(rows[index]?.notes(line) ?? [], width))),
  ].join('\n');
}
