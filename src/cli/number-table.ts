import { alignLeft, alignRight, cut, plainText, textLength } from './table.ts';

/** A column with right-aligned numbers. */
export interface NumberColumn {
  readonly heading: string;
  readonly cells: readonly string[];
  /** Shorter cells for a narrow terminal. */
  readonly short?: readonly string[];
  /** A column of names: left-aligned, cut if there is no room, and left out if that is not enough. */
  readonly names?: boolean;
  /** Left-aligned, for other columns than the first and names. */
  readonly left?: boolean;
  /** Colors an aligned cell; the total is the last row. */
  readonly paint?: (cell: string, row: number) => string;
}

const GAP = '  ';
/** A name cut shorter than this is useless. */
const NAMES_MIN = 10;

/**
 * Returns a table with headings, at most `width` wide if possible. A rule precedes the last row, the total; the first
 * column is left-aligned.
 */
export function numberTable(columns: readonly NumberColumn[], width: number): string {
  const fitted = fitColumns(columns, width);
  const widths = fitted.map(columnWidth);
  const lines = [-1, ...(fitted[0]?.cells.keys() ?? [])].map((row) =>
    fitted
      .map(({ heading, cells, names, left, paint }, column) => {
        const text = row < 0 ? heading : plainText(cells[row] ?? '');
        const align = names || left || column === 0 ? alignLeft : alignRight;
        const aligned = align(text, widths[column] ?? 0);
        return paint && row >= 0 ? paint(aligned, row) : aligned;
      })
      .join(GAP)
      .trimEnd(),
  );
  const rule = '─'.repeat(total(widths));
  return [...lines.slice(0, -1), rule, ...lines.slice(-1)].join('\n');
}

function fitColumns(columns: readonly NumberColumn[], width: number): readonly NumberColumn[] {
  let fitted = columns;
  const isOver = (): boolean => total(fitted.map(columnWidth)) > width;
  if (isOver()) fitted = columns.map((column) => ({ ...column, cells: column.short ?? column.cells }));
  while (isOver()) {
    const names = fitted.filter((column) => column.names);
    const widest = names.toSorted((a, b) => columnWidth(b) - columnWidth(a))[0];
    const last = names.at(-1);
    if (widest && columnWidth(widest) > NAMES_MIN)
      fitted = fitted.map((column) => (column === widest ? cutCell(column, columnWidth(column) - 1) : column));
    else if (last && last !== fitted[0]) fitted = fitted.filter((column) => column !== last);
    else break;
  }
  return fitted;
}

function cutCell(column: NumberColumn, width: number): NumberColumn {
  const cells = column.cells.map((cell) => cut(cell, width));
  return { ...column, heading: column.heading.slice(0, width), cells };
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function columnWidth({ heading, cells }: NumberColumn): number {
  return cells.reduce((widest, cell) => Math.max(widest, textLength(cell)), textLength(heading));
}
