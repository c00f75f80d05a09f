import { formatSpan } from '../domain/text/dates.ts';

/** Maximum rows of a table in an answer, because assistants read every row. */
export const ROWS_MAX = 25;

/** Characters that would break a table or move a cursor; names and tags may come from clients. */
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Returns a Markdown table, or '' without rows. A heading that begins with `>` right-aligns its column. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const headings = columns.map((column) => column.replace(/^>/, ''));
  const rule = columns.map((column) => (column.startsWith('>') ? '---:' : '---'));
  return [headings, rule, ...rows.map((row) => row.map(cell))].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Escapes text of others for a table cell or a sentence. */
export function cell(text: string): string {
  return text.replaceAll(CONTROLS, ' ').replaceAll('\\', '\\\\').replaceAll('|', '\\|').trim();
}

/** Parts under each other, empty ones left out. */
export function page(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part).join('\n\n');
}

/** Formats a period with the name of its time zone. */
export function span(period: { readonly start: string; readonly end: string }, timeZone: string): string {
  return `${formatSpan(period.start, period.end, timeZone)} (${timeZone})`;
}
