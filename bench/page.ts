import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Pages with places for tables of benchmarks. */
const PAGES = ['../docs/performance.md', './README.md'].map((path) => new URL(path, import.meta.url));

/** Puts text between `<!-- bench:name -->` and `<!-- /bench:name -->` of the page that has these lines. */
export function writeIntoPage(name: string, text: string): void {
  const [open, close] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  for (const file of PAGES) {
    const page = readFileSync(file, 'utf8');
    const [start, end] = [page.indexOf(open), page.indexOf(close)];
    if (start < 0 || end < start) continue;
    return writeFileSync(file, `${page.slice(0, start + open.length)}\n\n${text}\n\n${page.slice(end)}`);
  }
  throw new Error(`No page has ${open} … ${close}; add the two lines.`);
}

/** What was measured on, as one sentence. */
export function machine(): string {
  return `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
}

/** A Markdown table whose first column is text and whose others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 0 ? (low + high) / 2 : high;
}
