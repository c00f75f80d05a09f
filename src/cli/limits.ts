import { type Command, Option } from 'commander';
import type { LimitPreview, LimitShape, LimitStanding, ValueStanding } from '../contract/limits.ts';
import { chooseScope, parseAmount, parseThresholds, type ScopeWords } from '../domain/limits/limit-fields.ts';
import {
  LIMIT_UNITS,
  LIMIT_WINDOWS,
  type LimitUnit,
  type LimitWindow,
  scopeKeyId,
  withKeyId,
} from '../domain/limits/limit.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { findKeyId } from './key-id.ts';
import { findLimitId } from './limit-id.ts';
import type { Client } from './client.ts';
import { alignLeft, cut, noteLines, plainText, table, textLength } from './table.ts';
import { textLines } from './text-lines.ts';
import { readDeadline } from './time-options.ts';
import { TollbookError } from '../domain/errors.ts';
import { raiseCommand } from '../domain/text/raise-command.ts';
import {
  describeAmount,
  describeLimit,
  describeScope,
  describeUnit,
  describeValue,
  formatAmount,
} from '../domain/text/limits.ts';
import { explainPreview, previewWarning } from '../domain/text/limit-preview.ts';
import { formatDateTime, formatShortTime } from '../domain/text/dates.ts';

/** Describes a limit in a sentence, with its temporary raise. */
export function limitSentence(
  { id, scope, unit, amount, window, action, raise, uncertainRule, countsObserved }: LimitShape,
  keyName?: (id: string) => string,
): string {
  const toStored = (shown: number): number => parseAmount(unit, shown, 'amount');
  const does = action === 'block' ? 'blocks' : 'warns';
  const limit = describeLimit({ scope, unit, amount: toStored(amount), window }, keyName);
  const raised =
    raise && raise.amount > amount
      ? ` Until ${formatDateTime(raise.until, 'UTC')} UTC it is ${describeAmount(unit, toStored(raise.amount))}.`
      : '';
  const uncertainNote = uncertainRule === 'keep' ? '' : ` Uncertain calls: ${uncertainRule}.`;
  const observedNote = countsObserved ? ' It also counts observed calls.' : '';
  return `Limit ${id} ${does} at ${limit}.${observedNote}${raised}${uncertainNote}`;
}

interface SetLimitOptions extends CommonOptions, ScopeWords {
  readonly unit?: LimitUnit;
  readonly amount: string;
  readonly window?: LimitWindow;
  readonly warn?: boolean;
  readonly observed?: boolean;
  readonly threshold?: string[];
  readonly label?: string;
  readonly uncertain?: string[];
  readonly dryRun?: boolean;
}

export function limitsSet(limits: Command, cli: CliEnvironment): void {
  subcommand(limits, 'set', 'create a limit, or change the amount of an existing one')
    .addOption(
      new Option('--unit <unit>', 'usd, calls, tokens or concurrency (default with --each: usd)').choices(LIMIT_UNITS),
    )
    .requiredOption('--amount <number>', 'dollars for usd, a whole number otherwise')
    .addOption(
      new Option('--window <window>', 'when it resets; concurrency has no window (default with --each: total)').choices(
        LIMIT_WINDOWS,
      ),
    )
    .option('--key <key>', 'only calls of a wrapped key, by id or name (default: all calls)')
    .option('--provider <id>', 'only calls to a provider')
    .option('--model <pattern>', 'only calls of these models, for example claude-*')
    .option('--tag <key=value>', 'only calls with a tag')
    .option('--each-tag <key>', 'one counter for each value of a tag, with the same amount')
    .option('--each <name>', 'one counter for each session, agent or run; with --key, those of one key')
    .option('--warn', 'alert only (default: block)')
    .option('--observed', 'with --warn: also count observed calls, from telemetry and usage events')
    .option('--no-observed', 'count calls of the gateway only')
    .option('--threshold <percent>', 'alert at this percentage; repeatable (default: 50, 80, 95)', collect)
    .option('--label <text>', 'name shown in lists and alerts')
    .option('--uncertain <rule...>', 'uncertain calls: keep, or release-after 2h (default: keep)')
    .option('--dry-run', 'change nothing; show what calls need and what the limit would have done in the last 7 days')
    .action((options: SetLimitOptions, command: Command) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const unit = options.unit ?? (options.each === undefined ? undefined : 'usd');
        if (unit === undefined) return command.error("error: required option '--unit <unit>' not specified");
        const { amount, window, warn, observed, threshold, label, uncertain } = options;
        const chosen = chooseScope(options);
        const keyName = scopeKeyId(chosen);
        const keyId = keyName === null ? '' : await findKeyId(client, keyName);
        const nameOf = await keyNamer(client, chosen);
        const scope = withKeyId(chosen, () => keyId);
        const body = {
          scope,
          unit,
          amount,
          window,
          action: warn ? ('warn' as const) : ('block' as const),
          thresholds: threshold && parseThresholds(threshold.map(Number), '--threshold'),
          uncertainRule: uncertain?.join(' '),
          label,
          countsObserved: observed,
        };
        if (options.dryRun) {
          const preview = await client.call('POST /api/manage/limits/preview', { body });
          return print(preview, (shown) => renderPreview(shown, nameOf));
        }
        const { counterpart, ...set } = await client.call('PUT /api/manage/limits', { body });
        if (scope.kind === 'tag' || scope.kind === 'each_tag') terminal.err(TAG_WARNING);
        if (counterpart) terminal.err(counterpartNote(counterpart, nameOf));
        print(set, (limit) => limitSentence(limit, nameOf));
      }),
    );
}

function renderPreview(preview: LimitPreview, keyName: (id: string) => string): string {
  const { scope, unit, amount, window } = preview;
  const limit = describeLimit({ scope, unit, amount: parseAmount(unit, amount, 'amount'), window }, keyName);
  const warning = previewWarning(preview);
  const lines = [`Not set: ${limit}.`, ...explainPreview(preview, 'UTC'), ...(warning === null ? [] : [warning])];
  return lines.flatMap(textLines).join('\n');
}

/** Says that another limit of the same scope remains: a limit with another action does not replace it. */
function counterpartNote(counterpart: LimitShape, keyName: (id: string) => string): string {
  return `Note: another limit has the same scope and stays.
${limitSentence(counterpart, keyName)}
To delete it: tollbook limits remove ${counterpart.id}
`;
}

const TAG_WARNING = `Note: a client can send another tag value and avoid this limit. Only a tag of
the wrapped key itself (keys create --tag) or one that its policy requires with
a list of values (policies set KEY --require-tag team=a,b) is enforced.
`;

const HEADINGS = ['COUNTS', 'WINDOW', 'AMOUNT', 'COUNTED', 'HELD', 'LEFT', 'RESETS UTC'];
const GAP = 2;
const COUNTS_LEAST = 12;

const PAGE_FOR_PEOPLE = 1000;
/** Maximum of values per limit. */
const PAGE_OF_ALL = 10_000;
const MORE = `\n\nMore than ${PAGE_FOR_PEOPLE}; use --json to print all.`;

interface ListLimitOptions extends CommonOptions {
  readonly values?: string;
}

export function limitsList(parent: Command, cli: CliEnvironment): void {
  subcommand(parent, 'list', 'list limits and their usage')
    .option('--values <number>', 'values shown for a limit on each tag value, fullest first (default: 20)')
    .action((options: ListLimitOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { limits, more } = await readLimits(client, options);
        const names = limits.some(({ scope }) => scopeKeyId(scope) !== null)
          ? await keyNames(client)
          : new Map<string, string>();
        print(limits, (list, paper) => renderLimits(list, (id) => names.get(id) ?? id, paper) + (more ? MORE : ''));
      }),
    );
}

/** Reads all limits for `--json`, else one page. */
async function readLimits(
  client: Client,
  { values, json }: ListLimitOptions,
): Promise<{ limits: LimitStanding[]; more: boolean }> {
  const limits: LimitStanding[] = [];
  for (let cursor: string | undefined; ;) {
    const query = { values, cursor, limit: json ? PAGE_OF_ALL : PAGE_FOR_PEOPLE };
    const { limits: page, nextCursor } = await client.call('GET /api/manage/limits', { query });
    for (const limit of page) limits.push(limit);
    if (nextCursor === null || !json) return { limits, more: nextCursor !== null };
    cursor = nextCursor;
  }
}

/** Returns names of keys for the sentence of a limit; reads them only if its scope has a key. */
async function keyNamer(client: Client, scope: LimitShape['scope']): Promise<(id: string) => string> {
  if (scopeKeyId(scope) === null) return (id) => id;
  const names = await keyNames(client);
  return (id) => names.get(id) ?? id;
}

async function keyNames(client: Client): Promise<Map<string, string>> {
  const keys = await client.call('GET /api/manage/keys');
  return new Map(keys.map(({ id, name }) => [id, name]));
}

function renderLimits(
  limits: readonly LimitStanding[],
  keyName: (id: string) => string,
  { width }: TextLayout,
): string {
  if (limits.length === 0)
    return `No limits yet. Create one:

  npx tollbook limits set --unit usd --amount 5 --window day`;
  const groups = limits.map((limit) => ({ limit, rows: limitRows(limit, keyName) }));
  const named = groups.flatMap((group) => group.rows);
  const rows = roomForNames(named);
  const countsMax = countsWidth(rows, width);
  const [headings = '', ...unnamed] = table(
    HEADINGS,
    rows.map((row) => row.map((cell, column) => (column === 0 ? cut(cell, countsMax) : cell))),
    width,
  ).split('\n');
  const figuresAt = headings.indexOf(FIRST_FIGURE);
  const lines = unnamed.map((line, index) => {
    const row = named[index] ?? [];
    return isValueRow(row) ? putName(plainText(row[0] ?? ''), line, figuresAt) : line;
  });
  const shown = groups.flatMap(({ limit, rows: own }) => {
    const [[counts = ''] = []] = own;
    return lines.splice(0, own.length).concat(limitNote(limit, counts.length > countsMax ? counts : null, width));
  });
  return [headings, ...shown].join('\n');
}

const FIRST_FIGURE = 'COUNTED';

/** The row of a value has no window and no amount: its name takes their room. */
function isValueRow([, window, amount]: readonly string[]): boolean {
  return window === '' && amount === '';
}

/** Replaces the names of values with as many characters as don't fit into the columns WINDOW and AMOUNT. */
function roomForNames(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widthOf = (column: number): number =>
    Math.max(HEADINGS[column]?.length ?? 0, ...rows.map((row) => textLength(row[column] ?? '')));
  const room = 2 * GAP + widthOf(1) + widthOf(2);
  return rows.map((row) => {
    const [name = '', ...others] = row;
    return isValueRow(row) ? ['x'.repeat(Math.max(0, textLength(name) - room)), ...others] : row;
  });
}

function putName(name: string, line: string, figuresAt: number): string {
  return alignLeft(cut(name, figuresAt - GAP), figuresAt) + line.slice(figuresAt);
}

/** Returns the width of the column COUNTS. It shrinks so that figures stay complete; its full text follows below. */
function countsWidth(rows: readonly (readonly string[])[], lineWidth: number): number {
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const room = lineWidth - widths.slice(1).reduce((total, width) => total + GAP + width, 0);
  return Math.max(COUNTS_LEAST, room);
}

/** Returns the row of a limit, and a row for each of its values. */
function limitRows(limit: LimitStanding, keyName: (id: string) => string): string[][] {
  const { unit, window, scope } = limit;
  const what = unit === 'usd' ? '' : `${describeUnit(unit)}: `;
  const counts = what + describeScope(scope, keyName);
  const amount = formatAmount(unit, limit.effectiveAmount);
  if (!limit.values) return [[counts, window, amount, ...figures(unit, limit)]];
  const name = (value: string): string => (scope.kind === 'each' ? describeValue(limit, value) : value);
  const values = limit.values.map((one) => [`  ${name(one.value)}`, '', '', ...figures(unit, one)]);
  return [[counts, window, amount, '', '', '', ''], ...values];
}

function figures(unit: LimitStanding['unit'], standing: Omit<ValueStanding, 'value'>): string[] {
  const { counted, held, remaining, resetsAt, isPartial } = standing;
  const when = resetsAt === null ? 'never' : formatShortTime(resetsAt, 'UTC');
  const [used, left] = isPartial ? ['?', '?'] : [formatAmount(unit, counted), formatAmount(unit, remaining, 'down')];
  return [used, formatAmount(unit, held), left, when];
}

/** Returns lines for what doesn't fit into the row, with the limit's id. */
function limitNote(limit: LimitStanding, counts: string | null, width: number): string[] {
  const { id, action, label, raise, unit, uncertain, observed, projected, isPartial, values, hasMoreValues } = limit;
  const { heldAsOf } = limit;
  const notes = [
    id,
    ...(counts === null ? [] : [counts]),
    ...(action === 'warn' ? ['warns only'] : []),
    ...(raise ? [`raised until ${formatDateTime(raise.until, 'UTC')}`] : []),
    ...(isPartial ? ['its usage so far is being counted'] : []),
    ...(heldAsOf === undefined ? [] : [`held on a silent node as of ${formatDateTime(heldAsOf, 'UTC')}`]),
    ...(observed === undefined || values ? [] : [`${formatAmount(unit, observed)} of observed calls`]),
    ...(uncertain > 0 ? [`${formatAmount(unit, uncertain)} uncertain`] : []),
    ...(projected && !values ? [`${formatAmount(unit, projected)} at this pace`] : []),
    ...(values?.length === 0 ? ['no value yet'] : []),
    ...(hasMoreValues ? ['and more values'] : []),
    ...(label === null ? [] : [`"${label}"`]),
  ];
  return noteLines(notes, width);
}

interface RaiseLimitOptions extends CommonOptions {
  readonly amount?: string;
  readonly for?: string;
  readonly until?: string;
  readonly end?: boolean;
}

export function limitsRaise(limits: Command, cli: CliEnvironment): void {
  subcommand(limits, 'raise <limit>', 'raise a limit temporarily, by id or label')
    .option('--amount <number>', 'in the unit of the limit')
    .option('--for <duration>', 'for example 90s, 15m, 2h, 7d')
    .option('--until <time>', 'for example tomorrow, friday, 2027-01-31; a day is included')
    .option('--end', 'end a raise now')
    .action((idOrLabel: string, options: RaiseLimitOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const id = await findLimitId(client, idOrLabel);
        const params = { id };
        const limit = await client.call('GET /api/manage/limits/{id}', { params });
        const nameOf = await keyNamer(client, limit.scope);
        if (options.end)
          return print(await client.call('DELETE /api/manage/limits/{id}/raise', { params }), (ended) =>
            limitSentence(ended, nameOf),
          );
        if (options.amount === undefined) {
          throw new TollbookError(
            'invalid',
            `${limitSentence(limit, nameOf)} Use --amount with --for or --until, or use --end; for example: ${raiseCommand(limit)}`,
          );
        }
        const raised = await client.call('POST /api/manage/limits/{id}/raise', {
          params,
          body: {
            amount: options.amount,
            for: options.for,
            until: options.until === undefined ? undefined : readDeadline(options.until, '--until', context),
          },
        });
        print(raised, (shown) => limitSentence(shown, nameOf));
      }),
    );
}

export function limitsRemove(limits: Command, cli: CliEnvironment): void {
  subcommand(limits, 'remove <limit>', 'remove a limit, by id or label').action(
    (idOrLabel: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const id = await findLimitId(client, idOrLabel);
        const removed = await client.call('DELETE /api/manage/limits/{id}', { params: { id } });
        print(removed, () => `Limit ${removed.id} deleted.`);
      }),
  );
}
