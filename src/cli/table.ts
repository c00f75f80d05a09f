const GAP = '  ';
/** Minimum width of a column. */
const WIDTH_MIN = 6;
const CUT = '…';

/** Characters that move a cursor or change colors: names and tags may come from clients. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

export function plainText(text: string): string {
  return text.replaceAll(CONTROLS, '?');
}

/** Numbers and times, which would be wrong if they were cut. */
const FIGURES = /^[\d.,:+×%$ TZ-]*$/;

/** Returns rows under headings, at most `width` characters wide. The widest texts are cut first, then figures; the first column never. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const lines = [headings, ...rows.map((row) => row.map(plainText))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => textLength(line[column] ?? ''))));
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

/** Returns the last of the widest columns that can be narrower, of those allowed; null = none. */
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
  return alignLeft(cut(cell, width), width);
}

/** Fills a text with blanks up to `width` characters. A longer text stays whole. */
export function alignLeft(text: string, width: number): string {
  return text + blanksUpTo(width, text);
}

export function alignRight(text: string, width: number): string {
  return blanksUpTo(width, text) + text;
}

function blanksUpTo(width: number, text: string): string {
  return ' '.repeat(Math.max(0, width - textLength(text)));
}

/** Returns the number of characters, also of those beyond U+FFFF. */
export function textLength(text: string): number {
  return Array.from(text).length;
}

export function cut(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length > width ? characters.slice(0, width - 1).join('') + CUT : text;
}

/** Returns notes below a row, as many in a line as fit. Further lines are indented more. */
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

/** Returns a table with notes below each of its rows. */
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
