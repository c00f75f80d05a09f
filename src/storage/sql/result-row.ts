/** A row from SQLite. The readers below throw on values that the schema does not allow. */
export type ResultRow = Record<string, unknown>;

export function text(row: ResultRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`The column ${column} is not text.`);
  return value;
}

export function textOrNull(row: ResultRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function number(row: ResultRow, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new Error(`The column ${column} is not a number.`);
  return value;
}

export function numberOrNull(row: ResultRow, column: string): number | null {
  return row[column] === null ? null : number(row, column);
}

/** Reads a number from a row that is a list of columns. */
export function numberAt(row: readonly unknown[], index: number): number {
  const value = row[index];
  if (typeof value !== 'number') throw new Error(`The column ${index} of a row is not a number.`);
  return value;
}
