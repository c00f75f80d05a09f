/**
 * Writes the table of limits in ARCHITECTURE.md from LIMITS in src/config.ts: names, values with their unit, and the
 * comment above each. `--check` changes nothing and fails when the table is not the one that would be written.
 */
import { readFileSync } from 'node:fs';
import { LIMITS } from '../src/config.ts';
import { writeTable } from './table-in-page.mjs';

const comments = readComments(readFileSync(new URL('../src/config.ts', import.meta.url), 'utf8'));

writeTable({
  page: 'ARCHITECTURE.md',
  name: 'limits',
  script: 'scripts/limits-table.mjs',
  head: ['limit', 'value', 'meaning'],
  rows: Object.entries(LIMITS).map(([name, value]) => [`\`${name}\``, show(name, value), comments.get(name) ?? '']),
});

function readComments(source) {
  const found = new Map();
  for (const [, comment, name] of source.matchAll(/\/\*\* ([^\n]*) \*\/\s+(\w+):/g)) found.set(name, comment);
  return found;
}

function show(name, value) {
  if (/bytes/i.test(name))
    return scale(value, [
      ['GiB', 2 ** 30],
      ['MiB', 2 ** 20],
      ['KiB', 2 ** 10],
      ['bytes', 1],
    ]);
  if (/ms(max|min|default)?$/i.test(name))
    return scale(value, [
      ['d', 86_400_000],
      ['h', 3_600_000],
      ['min', 60_000],
      ['s', 1_000],
      ['ms', 1],
    ]);
  if (/nanousd/i.test(name)) return `${value / 1e9} USD`;
  return value.toLocaleString('en-US');
}

function scale(value, units) {
  const [unit, size] = units.find(([, each]) => value >= each && value % each === 0) ?? units.at(-1);
  return `${(value / size).toLocaleString('en-US')} ${unit}`;
}
