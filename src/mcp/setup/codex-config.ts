import { TollbookError } from '../../domain/errors.ts';
import { type LaunchCommand, SERVER_NAME, withSettings } from './host.ts';

const HEADER = `[mcp_servers.${SERVER_NAME}]`;

/**
 * Adds Tollbook's table to Codex's TOML configuration, at the end or in place of an existing one, and changes nothing
 * else.
 */
export function codexConfig(before: string, launch: LaunchCommand): string {
  const lines = before.split('\n');
  const own = ownLines(lines);
  const there = (own ?? []).map((index) => lines[index] ?? '');
  const table = [...codexTable(withSettings(launch, settingsIn(there))), ...there.filter(isOfOthers)];
  if (own === null) return `${before.trimEnd()}${before.trim() === '' ? '' : '\n\n'}${table.join('\n')}\n`;
  if (own.length === 0)
    throw new TollbookError(
      'conflict',
      `The file configures tool servers without a table ${HEADER}. Add this by hand:\n\n${table.join('\n')}\n`,
    );
  const [first = 0] = own;
  const kept = lines.filter((_, index) => !own.includes(index));
  const rest = kept.slice(first);
  const gap = rest[0]?.trim() === '' ? [] : [''];
  return [...kept.slice(0, first), ...table, ...gap, ...rest].join('\n').replace(/\n*$/, '\n');
}

/**
 * Indexes of the lines of our table and its sub-tables; null = there is none, [] = it is written in another way. Comments
 * above the next table are that one's.
 */
function ownLines(lines: readonly string[]): readonly number[] | null {
  const own: number[] = [];
  const open: number[] = [];
  let within = false;
  let elsewhere = false;
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line)?.[1]?.replaceAll(/\s|"/g, '');
    if (header !== undefined)
      within = header === `mcp_servers.${SERVER_NAME}` || header.startsWith(`mcp_servers.${SERVER_NAME}.`);
    if (within && /^\s*(#|$)/.test(line)) open.push(index);
    else if (within) own.push(...open.splice(0), index);
    else open.length = 0;
    if (within) continue;
    if (/^\s*mcp_servers\b/.test(line) || (header === undefined && /^\s*"?tollbook"?\s*[.=]/.test(line)))
      elsewhere = true;
  }
  return own.length > 0 ? own : elsewhere ? [] : null;
}

const OWN_FIELDS = new Set(['command', 'args', 'env', 'env_vars', 'url']);
/** A field and its value in one line: what goes over more lines is not understood here. */
const FIELD = /^\s*([\w-]+)\s*=\s*(?:true|false|[\d._]+|"(?:[^"\\]|\\.)*"|\[[^[\]]*\])\s*(?:#.*)?$/;

/** A line of our table that sets something else, such as a time limit; those of sub-tables are none. */
function isOfOthers(line: string, index: number, lines: readonly string[]): boolean {
  const isOfTable = !lines.slice(1, index + 1).some((other) => /^\s*\[/.test(other));
  const name = FIELD.exec(line)?.[1];
  return isOfTable && name !== undefined && !OWN_FIELDS.has(name);
}

const SETTING = /\b([A-Z][A-Z0-9_]*)[ \t]*=[ \t]*(?:("(?:[^"\\\n]|\\["\\/bfnrt])*")|'([^'\n]*)')/g;

/** The settings in the lines of our table: in one line, or a sub-table. */
function settingsIn(lines: readonly string[]): Record<string, string> {
  const text = lines.filter((line) => !/^\s*#/.test(line)).join('\n');
  return Object.fromEntries(
    Array.from(text.matchAll(SETTING), ([, name = '', quoted, literal = '']) => [
      name,
      quoted === undefined ? literal : (JSON.parse(quoted) as string),
    ]),
  );
}

function codexTable({ command, args, env, key }: LaunchCommand): string[] {
  const variables = Object.entries({ ...env, ...(key !== null && { SVC_API_KEY: key }) });
  return [
    HEADER,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
    ...(variables.length > 0
      ? [`env = { ${variables.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(', ')} }`]
      : []),
    ...(key === null ? ['env_vars = ["SVC_API_KEY"]'] : []),
  ];
}
