import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const README = new URL('../README.md', import.meta.url);

/** Puts text between `<!-- bench:name -->` and `<!-- /bench:name -->` of the README. */
export function writeIntoReadme(name: string, text: string): void {
  const [open, close] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const readme = readFileSync(README, 'utf8');
  const [start, end] = [readme.indexOf(open), readme.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`README.md has no ${open} … ${close}; add the two lines.`);
  writeFileSync(README, `${readme.slice(0, start + open.length)}\n\n${text}\n\n${readme.slice(end)}`);
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
