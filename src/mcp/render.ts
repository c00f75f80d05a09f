import { formatUsd } from '../domain/money/money.ts';
import { localTime } from '../domain/time/local-time.ts';

const NANO_PER_USD = 1e9;
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

/** Dollars for people; unknown is said, never shown as 0. */
export function usd(amount: number | null): string {
  if (amount === null) return 'unknown';
  const nano = formatUsd(BigInt(Math.round(Math.abs(amount) * NANO_PER_USD)));
  return amount < 0 ? `-${nano}` : nano;
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)}%`;
}

/** `2026-01-31 13:05` in the zone. */
export function time(text: string, timeZone: string): string {
  return localTime(Date.parse(text), timeZone);
}

export function span(period: { readonly start: string; readonly end: string }, timeZone: string): string {
  return `${time(period.start, timeZone)} to ${time(period.end, timeZone)} (${timeZone})`;
}

/** `3 calls`, `1 call`. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}
