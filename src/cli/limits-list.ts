import type { Command } from 'commander';
import type { LimitsPage, LimitStanding, ValueStanding } from '../contract/limits.ts';
import type { WrappedKeyShape } from '../contract/usage.ts';
import { formatAmount, scopeText, unitText } from '../domain/limits/limit-fields.ts';
import type { Client } from './client.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { cut, noteLines, table } from './table.ts';

const HEADINGS = ['COUNTS', 'WINDOW', 'AMOUNT', 'COUNTED', 'HELD', 'LEFT', 'RESETS UTC'];
const GAP = 2;
const COUNTS_LEAST = 12;

const PAGE_FOR_PEOPLE = '1000';
/** As many as there can be on one. */
const PAGE_OF_ALL = '10000';
const MORE = `\n\nThere are more than ${PAGE_FOR_PEOPLE}; --json prints them all.`;

interface ListLimitOptions extends CommonOptions {
  readonly values?: string;
}

export function limitsList(parent: Command, cli: CommandLine): void {
  subcommand(parent, 'list', 'list limits and how they stand')
    .option('--values <number>', 'of a limit on each value of a tag, the fullest values shown (default: 20)')
    .action((options: ListLimitOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { limits, more } = await readLimits(client, options);
        const names = limits.some(({ scope }) => scope.kind === 'key')
          ? await keyNames(client)
          : new Map<string, string>();
        print(limits, (list, paper) => renderLimits(list, (id) => names.get(id) ?? id, paper) + (more ? MORE : ''));
      }),
    );
}

/** All of them for programs, one page for people. */
async function readLimits(
  client: Client,
  { values, json }: ListLimitOptions,
): Promise<{ limits: LimitStanding[]; more: boolean }> {
  const limits: LimitStanding[] = [];
  for (let after: string | undefined; ;) {
    const query = { values, after, limit: json ? PAGE_OF_ALL : PAGE_FOR_PEOPLE };
    const { limits: page, next } = await client.get<LimitsPage>('/api/manage/limits', query);
    for (const limit of page) limits.push(limit);
    if (next === null || !json) return { limits, more: next !== null };
    after = next;
  }
}

async function keyNames(client: Client): Promise<Map<string, string>> {
  const keys = await client.get<WrappedKeyShape[]>('/api/manage/keys');
  return new Map(keys.map(({ id, name }) => [id, name]));
}

function renderLimits(
  limits: readonly LimitStanding[],
  keyName: (id: string) => string,
  { width }: TextLayout,
): string {
  if (limits.length === 0)
    return `There is no limit yet. Make one:

  npx tollbook limits set --unit usd --amount 5 --window day`;
  const groups = limits.map((limit) => ({ limit, rows: limitRows(limit, keyName) }));
  const rows = groups.flatMap((group) => group.rows);
  const countsMax = countsWidth(rows, width);
  const [headings = '', ...lines] = table(
    HEADINGS,
    rows.map((row) => row.map((cell, column) => (column === 0 ? cut(cell, countsMax) : cell))),
    width,
  ).split('\n');
  const shown = groups.flatMap(({ limit, rows: own }) => {
    const [[counts = ''] = []] = own;
    return lines.splice(0, own.length).concat(limitNote(limit, counts.length > countsMax ? counts : null, width));
  });
  return [headings, ...shown].join('\n');
}

/** Figures stay whole: what is counted gives way, down to a few letters, and stands below in full. */
function countsWidth(rows: readonly (readonly string[])[], lineWidth: number): number {
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const room = lineWidth - widths.slice(1).reduce((total, width) => total + GAP + width, 0);
  return Math.max(COUNTS_LEAST, room);
}

/** One row, or one for each value of a tag. */
function limitRows(limit: LimitStanding, keyName: (id: string) => string): string[][] {
  const { unit, window, scope } = limit;
  const what = unit === 'usd' ? '' : `${unitText(unit)}: `;
  const counts = what + scopeText(scope, keyName);
  const amount = formatAmount(unit, limit.effectiveAmount);
  if (!limit.values) return [[counts, window, amount, ...figures(unit, limit)]];
  const values = limit.values.map((one) => [`  ${one.value}`, '', '', ...figures(unit, one)]);
  return [[counts, window, amount, '', '', '', ''], ...values];
}

function figures(unit: LimitStanding['unit'], standing: Omit<ValueStanding, 'value'>): string[] {
  const { counted, held, left, resetsAt } = standing;
  const when = resetsAt === null ? 'never' : resetsAt.slice(5, 16).replace('T', ' ');
  return [formatAmount(unit, counted), formatAmount(unit, held), formatAmount(unit, left, 'down'), when];
}

/** What doesn't fit into the row, in lines, with the id that other commands take. */
function limitNote(limit: LimitStanding, counts: string | null, width: number): string[] {
  const { id, action, label, raise, unit, uncertain, projection, values, hasMoreValues } = limit;
  const notes = [
    id,
    ...(counts === null ? [] : [counts]),
    ...(action === 'warn' ? ['warns only'] : []),
    ...(raise ? [`raised until ${raise.until.slice(0, 16).replace('T', ' ')}`] : []),
    ...(uncertain > 0 ? [`${formatAmount(unit, uncertain)} uncertain`] : []),
    ...(projection && !values ? [`heading for ${formatAmount(unit, projection)}`] : []),
    ...(values?.length === 0 ? ['no value yet'] : []),
    ...(hasMoreValues ? ['and more values'] : []),
    ...(label === null ? [] : [`"${label}"`]),
  ];
  return noteLines(notes, width);
}
