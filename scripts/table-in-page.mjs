import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes a table between `<!-- name -->` and `<!-- /name -->` of a page, padded as `npm run format` pads it. With `--check`
 * on the command line it changes nothing and fails when the table is not the one that would be written.
 */
export function writeTable({ page, name, head, rows, script }) {
  const file = new URL(`../${page}`, import.meta.url);
  const marked = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`);
  const table = [`<!-- ${name} -->`, '', ...padded([head, ...rows]), '', `<!-- /${name} -->`].join('\n');
  const text = readFileSync(file, 'utf8');
  if (!marked.test(text)) throw new Error(`${page} has no <!-- ${name} --> … <!-- /${name} --> to write between.`);
  const fresh = text.replace(marked, () => table);
  if (!process.argv.includes('--check')) writeFileSync(file, fresh);
  else if (fresh !== text) {
    console.error(`The table of ${name} in ${page} is out of date: npx node ${script}`);
    process.exitCode = 1;
  }
}

/** Returns the lines of a table whose cells have the width of the widest cell in their column, at least 3. */
function padded(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [line(rows[0]), line(rule), ...rows.slice(1).map(line)];
}
