export type CsvCell = string | number | boolean | null;

/**
 * A spreadsheet runs a cell that begins like a formula. Texts come from clients, so an apostrophe goes before these,
 * also where they follow blanks that a spreadsheet would cut off, and before a tab or a line's end, where some split cells.
 */
const FORMULA = /^[\s\0]*[=+\-@|%＝＋－＠]|^[\t\r\n]/;

/** One line of RFC 4180, with its CRLF. Unknown is empty. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
