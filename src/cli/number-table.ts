import { plainText } from './table.ts';

/** A column with right-aligned numbers. */
export interface NumberColumn {
  readonly heading: string;
  readonly cells: readonly string[];
  /** Shorter cells for a narrow terminal. */
  readonly short?: readonly string[];
  /** Names: to the left, cut where there is no room, and left out where even that doesn't help. */
  readonly names?: boolean;
}

const GAP = '  ';
const CUT = '…';
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
      .map(({ heading, cells, names }, column) => {
        const text = row < 0 ? heading : plainText(cells[row] ?? '');
        const blanks = ' '.repeat(Math.max(0, (widths[column] ?? 0) - textLength(text)));
        return names || column === 0 ? text + blanks : blanks + text;
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
  const cells = column.cells.map((cell) => {
    const characters = Array.from(cell);
    return characters.length <= width ? cell : characters.slice(0, width - 1).join('') + CUT;
  });
  return { ...column, heading: column.heading.slice(0, width), cells };
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function columnWidth({ heading, cells }: NumberColumn): number {
  return cells.reduce((widest, cell) => Math.max(widest, textLength(cell)), textLength(heading));
}

function textLength(text: string): number {
  return Array.from(text).length;
}
