import type { EntryShape } from '../contract/entries.ts';
import { batchSize, isClosedBatch, isUnsettledBatch } from '../domain/text/batches.ts';
import { shortCount } from '../domain/text/counts.ts';
import { formatShortTime } from '../domain/text/dates.ts';
import { describeDuration } from '../domain/text/durations.ts';
import { maximumDollars, usdColumn } from '../domain/text/money.ts';
import type { TextLayout } from './cli.ts';
import type { PaintText } from './colors.ts';
import { alignLeft, alignRight, cut, plainText, table, textLength } from './table.ts';

/** Names and form of a table of calls. */
export interface CallTableView {
  readonly keyNames: ReadonlyMap<string, string>;
  readonly timeZone: string;
  readonly layout: TextLayout;
}

const HEADINGS = ['STARTED', 'STATUS', 'MODEL', 'KEY', 'IN', 'OUT', 'COST', 'TOOK'];
/** Narrower terminals show no duration and no types of errors, for the sake of names. */
const WIDE_FROM_COLUMNS = 100;
const SHORT_FROM = 10_000;
const GAP = '  ';
/** Widths of the columns of calls to come. Names share what is left. */
const FIXED_WIDTHS = [12, 8, 0, 0, 5, 5, 9, 8];
const MODEL = 2;
const KEY = 3;
const MODEL_SHARE = 0.55;
const MODEL_WIDTH_MAX = 26;
const KEY_WIDTH_MAX = 24;
const NAME_WIDTH_MIN = 6;

type ShowCost = (cost: number | null) => string;

/** Returns calls as a table, failed ones in red and those with uncertain cost in yellow. */
export function callTable(entries: readonly EntryShape[], view: CallTableView): string {
  const { width, paint } = view.layout;
  const usd = usdColumn(entries.map(({ cost }) => cost));
  const headings = headingsFor(width);
  const rows = alignNumbers(entries.map((entry) => callRow(entry, view, usd).slice(0, headings.length)));
  const [head = '', ...lines] = table(headings, rows, width).split('\n');
  return [paint('strong', head), ...lines.map((line, index) => paintCall(line, entries[index], paint))].join('\n');
}

/** Returns a formatter for calls as they come: the same columns each time, under headings the first time. */
export function followedCallLines(view: CallTableView): (entries: readonly EntryShape[]) => string {
  const { width, paint } = view.layout;
  const headings = headingsFor(width);
  const widths = followedWidths(headings.length, width);
  const usd = usdColumn([0.01]);
  const toLine = (cells: readonly string[]): string => {
    const fitted = headings.map((_, column) => fitCallCell(cells[column] ?? '', column, widths[column] ?? 0));
    return cut(fitted.join(GAP).trimEnd(), width);
  };
  let head = [paint('strong', toLine(headings))];
  return (entries) => {
    const lines = [
      ...head,
      ...entries.map((entry) => paintCall(toLine(callRow(entry, view, usd, shortStatus(entry))), entry, paint)),
    ];
    head = [];
    return lines.map((line) => `${line}\n`).join('');
  };
}

function headingsFor(width: number): readonly string[] {
  return width < WIDE_FROM_COLUMNS ? HEADINGS.slice(0, -1) : HEADINGS;
}

function followedWidths(columns: number, width: number): readonly number[] {
  const widths = FIXED_WIDTHS.slice(0, columns);
  const left = width - widths.reduce((sum, one) => sum + one, 0) - GAP.length * (columns - 1);
  widths[MODEL] = Math.max(NAME_WIDTH_MIN, Math.min(MODEL_WIDTH_MAX, Math.ceil(left * MODEL_SHARE)));
  widths[KEY] = Math.max(NAME_WIDTH_MIN, Math.min(KEY_WIDTH_MAX, left - widths[MODEL]));
  return widths;
}

function fitCallCell(cell: string, column: number, width: number): string {
  const text = cut(plainText(cell), width);
  return column > KEY ? alignRight(text, width) : alignLeft(text, width);
}

function paintCall(line: string, entry: EntryShape | undefined, paint: PaintText): string {
  if (entry?.outcome !== 'completed') return paint('bad', line);
  return entry.uncertainReason === null ? line : paint('warning', line);
}

function callRow(
  entry: EntryShape,
  { keyNames, timeZone, layout }: CallTableView,
  usd: ShowCost,
  status = statusCell(entry, layout.width),
): string[] {
  const isOpen = isUnsettledBatch(entry);
  const tokens = [entry.inputTokens, entry.outputTokens].map((count) => (isOpen ? '' : shortCount(count, SHORT_FROM)));
  return [
    formatShortTime(entry.startedAt, timeZone),
    status,
    entry.model ?? entry.requestedModel ?? '(unknown)',
    keyNames.get(entry.keyId) ?? entry.keyId,
    ...tokens,
    costCell(entry, usd),
    isOpen ? '' : describeDuration(entry.durationMs),
  ];
}

function costCell(entry: EntryShape, usd: ShowCost): string {
  const { cost, uncertainReason, uncertainUpTo } = entry;
  if (isUnsettledBatch(entry) && uncertainUpTo !== undefined) return `≤ ${maximumDollars(uncertainUpTo)}`;
  return (cost === null ? 'unknown' : usd(cost)) + (uncertainReason === null ? '' : ' ±');
}

function statusCell(entry: EntryShape, width: number): string {
  const { outcome, status, errorType } = entry;
  if (isUnsettledBatch(entry)) return width < WIDE_FROM_COLUMNS ? OPEN_BATCH : `open batch${batchSize(entry)}`;
  if (isClosedBatch(entry)) return width < WIDE_FROM_COLUMNS ? 'batch' : `batch${batchSize(entry)}`;
  if (outcome === 'completed') return String(status);
  return [outcome, status || '', width < WIDE_FROM_COLUMNS ? '' : errorType].filter(Boolean).join(' ');
}

const OPEN_BATCH = 'open batch';

function shortStatus(entry: EntryShape): string {
  const { outcome, status } = entry;
  if (isUnsettledBatch(entry)) return 'batch';
  return outcome === 'completed' || outcome === 'failed' ? String(status) : outcome;
}

/** Aligns the columns of tokens and costs at their right. */
function alignNumbers(rows: readonly (readonly string[])[]): string[][] {
  const widths = [4, 5, 6].map((column) => Math.max(...rows.map((row) => textLength(row[column] ?? ''))));
  return rows.map((row) => row.map((cell, column) => alignRight(cell, widths[column - 4] ?? 0)));
}
