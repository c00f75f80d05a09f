import { shortCount, formatCount, countNoun } from '../domain/text/counts.ts';
import { formatSpan, formatStep } from '../domain/text/dates.ts';
import { shortSession } from '../domain/text/limits.ts';
import { formatDollars, maximumDollars, usdColumn } from '../domain/text/money.ts';
import { formatChange, formatPart } from '../domain/text/percent.ts';
import { drawBar } from './bar.ts';
import type { TextLayout } from './cli.ts';
import type { PaintText, TextTone } from './colors.ts';
import { type NumberColumn, numberTable } from './number-table.ts';
import type { SpendBreakdown, SpendReport, SpendRow, SpendSum } from './spend-rows.ts';
import { textLines } from './text-lines.ts';

/** Minimum width at which input and output tokens have separate columns. */
const WIDE = 110;
const BAR_WIDTH = 10;
const WIDE_BAR_WIDTH = 24;
const SHORT_FROM = 1_000;

const SOURCE_NAMES: Readonly<Record<string, string>> = {
  provider_report: 'provider reports',
  claude_code: 'Claude Code sessions',
  codex: 'Codex sessions',
  telemetry: 'telemetry',
  usage_event: 'usage events',
};

/** Returns a table for each grouping, and below them what the sums leave out. */
export function renderSpend(report: SpendReport, layout: TextLayout): string {
  const { period, timeZone, breakdowns, total } = report;
  const title = `${formatSpan(period.start, period.end, timeZone)} (${timeZone})`;
  const tables =
    total.calls === 0 && total.cost === 0 && !total.unpricedUsage
      ? ['No usage in this period.']
      : breakdowns.map((one) => numberTable(spendColumns(one, report, layout), layout.width));
  const notes = spendNotes(report).map(([tone, text]) => noteText(tone, text, layout.paint));
  return [layout.paint('strong', title), ...tables, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n');
}

function noteText(tone: TextTone, text: string, paint: PaintText): string {
  return textLines(text)
    .map((line, index) => paint(tone, index === 0 ? line : `  ${line}`))
    .join('\n');
}

function spendColumns(breakdown: SpendBreakdown, report: SpendReport, { width, paint }: TextLayout): NumberColumn[] {
  const { total } = report;
  const { rows, by } = breakdown;
  const all = [...rows, total];
  const isWide = width >= WIDE;
  const usd = usdColumn(all.flatMap(({ cost, before }) => [cost, before?.cost ?? null]));
  return [
    { heading: by.toUpperCase(), cells: [...rows.map((row) => rowName(row, breakdown, report)), 'Total'], names: true },
    barColumn(rows, isWide ? WIDE_BAR_WIDTH : BAR_WIDTH, paint),
    { heading: 'SHARE', cells: [...rows.map(({ cost }) => formatPart(cost, total.cost)), ''] },
    markedCostColumn(all, usd, paint),
    ...(total.before ? comparisonColumns(all, usd, paint) : []),
    sumColumn('CALLS', all, ({ calls }) => calls),
    ...(isWide && total.failedCalls > 0 ? [sumColumn('FAILED', all, ({ failedCalls }) => failedCalls)] : []),
    ...(isWide
      ? [tokenColumn('INPUT', all, (sum) => sum.inputTokens), tokenColumn('OUTPUT', all, (sum) => sum.outputTokens)]
      : [tokenColumn('TOKENS', all, (sum) => sum.inputTokens + sum.outputTokens)]),
  ];
}

function barColumn(rows: readonly SpendRow[], width: number, paint: PaintText): NumberColumn {
  const largest = Math.max(0, ...rows.map(({ cost }) => cost));
  const draw = (size: number): string[] => [
    ...rows.map(({ cost }) => (largest > 0 ? drawBar(cost / largest, size) : '')),
    '',
  ];
  return {
    heading: '',
    cells: draw(width),
    short: draw(Math.ceil(BAR_WIDTH / 2)),
    left: true,
    paint: (cell) => (cell.trim() === '' ? cell : paint('bar', cell)),
  };
}

/** Marks a cost: ≥ = some usage has no price, ± = uncertain. */
function markedCostColumn(all: readonly SpendRow[], usd: (amount: number) => string, paint: PaintText): NumberColumn {
  const marksAny = all.some(({ uncertainCalls }) => uncertainCalls > 0);
  const cells = all.map((row) => markedCostText(row, usd) + (marksAny ? (row.uncertainCalls > 0 ? ' ±' : '  ') : ''));
  return {
    heading: marksAny ? 'COST  ' : 'COST',
    cells,
    paint: (cell, row) =>
      /[≥±u]/.test(cell) ? paint('warning', cell) : row === all.length - 1 ? paint('strong', cell) : cell,
  };
}

/** Returns `unknown` instead of 0 where nothing has a price. */
function markedCostText(row: SpendSum, usd: (amount: number) => string): string {
  if (!lacksPrice(row)) return usd(row.cost);
  return row.cost === 0 ? 'unknown' : `≥ ${usd(row.cost)}`;
}

function lacksPrice({ unpricedCalls, unpricedUsage }: SpendSum): boolean {
  return unpricedCalls > 0 || unpricedUsage;
}

function comparisonColumns(
  all: readonly SpendRow[],
  usd: (amount: number | null) => string,
  paint: PaintText,
): NumberColumn[] {
  const changes = all.map(({ cost, before }) => {
    if (!before || (cost === 0 && before.cost === 0) || (before.cost === 0 && lacksPrice(before))) return '';
    return formatChange(cost, before.cost) ?? 'new';
  });
  return [
    {
      heading: 'BEFORE',
      cells: all.map(({ before }) => (before ? markedCostText(before, usd) : '-')),
      paint: (cell) => paint('faint', cell),
    },
    {
      heading: 'CHANGE',
      cells: changes,
      paint: (cell) => paint(cell.includes('-') ? 'good' : /\+0%|^ *$/.test(cell) ? 'faint' : 'warning', cell),
    },
  ];
}

function sumColumn(heading: string, all: readonly SpendRow[], read: (sum: SpendSum) => number): NumberColumn {
  const counts = all.map(read);
  return {
    heading,
    cells: counts.map((count) => formatCount(count)),
    short: counts.map((count) => shortCount(count, SHORT_FROM)),
  };
}

function tokenColumn(heading: string, all: readonly SpendRow[], read: (sum: SpendSum) => number): NumberColumn {
  return { heading, cells: all.map((sum) => shortCount(read(sum), SHORT_FROM)) };
}

function rowName({ value }: SpendRow, { by, step }: SpendBreakdown, { timeZone, keyNames }: SpendReport): string {
  if (step !== undefined) return formatStep(value ?? '', step, timeZone);
  if (value === null) return by === 'model' ? '(unknown)' : `(no ${by.replace('tag:', '')})`;
  if (by === 'key') return keyNames[value] ?? value;
  return by === 'session' ? shortSession(value) : value;
}

/** Returns what a reader must know about the sums, most important first. */
function spendNotes({ total, sources, covered, organizations }: SpendReport): (readonly [TextTone, string])[] {
  const notes: (readonly [TextTone, string])[] = [];
  if (lacksPrice(total)) notes.push(['warning', unpricedNote(total)]);
  if (total.uncertainCalls > 0)
    notes.push([
      'warning',
      `± ${countNoun(total.uncertainCalls, 'uncertain call')}: up to ${maximumDollars(total.uncertainUpTo)} more. To list them: tollbook calls --uncertain`,
    ]);
  const outside = sources.filter(({ source }) => source !== 'proxy');
  const cost = outside.reduce((sum, one) => sum + one.cost, 0);
  if (cost > 0) {
    const parts = outside.map((one) => `${SOURCE_NAMES[one.source] ?? one.source} ${formatDollars(one.cost)}`);
    notes.push([
      'faint',
      `Outside the gateway: ${formatDollars(cost)}, ${formatPart(cost, total.cost)} of the sum (${parts.join(', ')}).`,
    ]);
  }
  if (covered)
    notes.push([
      'faint',
      `Covered by subscriptions and not in the sum: ${countNoun(covered.calls, 'call')}, ${formatDollars(covered.cost)} at list prices.`,
    ]);
  if (organizations?.length === 0)
    notes.push(['faint', 'Spend outside the gateway is unknown without an admin key: tollbook admin-keys add --help']);
  for (const { name, unknown } of organizations ?? [])
    if (unknown > 0)
      notes.push([
        'warning',
        `${formatDollars(unknown)} in the report of ${name} can't be assigned yet, and is not in the sum.`,
      ]);
  return notes;
}

function unpricedNote({ unpricedCalls, unpricedUsage }: SpendSum): string {
  const calls = unpricedCalls > 0 ? countNoun(unpricedCalls, 'call') : '';
  const what = [calls, unpricedUsage ? 'usage without a number of calls' : ''].filter(Boolean).join(' and ');
  return `≥ ${what} without a price, not in the cost. To list calls: tollbook calls --unpriced; to set a price: tollbook prices set --help`;
}
