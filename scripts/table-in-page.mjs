import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes a table between `<!-- name -->` and `<!-- /name -->` of a page. With `--check` on the command line it changes
 * nothing and fails when the table is not the one that would be written.
 */
export function writeTable({ page, name, head, rows, script }) {
  const file = new URL(`../${page}`, import.meta.url);
  const marked = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const table = [`<!-- ${name} -->`, '', ...lines, '', `<!-- /${name} -->`].join('\n');
  const text = readFileSync(file, 'utf8');
  if (!marked.test(text)) throw new Error(`${page} has no <!-- ${name} --> … <!-- /${name} --> to write between.`);
  const fresh = text.replace(marked, () => table);
  if (!process.argv.includes('--check')) writeFileSync(file, fresh);
  // The formatter pads cells; what counts is what they say.
  else if (squeeze(fresh) !== squeeze(text)) {
    console.error(`The table of ${name} in ${page} is out of date: npx node ${script}`);
    process.exitCode = 1;
  }
}

function squeeze(text) {
  return text.replace(/[ -]+/g, ' ');
}
