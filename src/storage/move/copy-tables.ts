import { TollbookError } from '../../domain/errors.ts';
import { type Cell, type MovedTable, keyCells } from './moved-tables.ts';
import type { TargetState } from './move-state.ts';
import type { PostgresTarget } from './postgres-target.ts';
import { findDifferentMonth, MonthTally, type MonthSums } from './month-sums.ts';
import type { SqliteSource } from './sqlite-source.ts';
import { TableChecksum } from './table-checksum.ts';

/** Rows that are copied in one transaction, unless a caller says less. */
const BATCH_ROWS_MAX = 2_000;

/** Progress of one step of a move. */
export interface MoveProgress {
  readonly step: 'copy' | 'compare';
  readonly table: string;
  readonly rows: number;
  readonly ofRows: number;
}

export interface MoveSides {
  readonly source: SqliteSource;
  readonly target: PostgresTarget;
  readonly onProgress: (progress: MoveProgress) => void;
  readonly batchRowsMax?: number;
}

/** Rows of a table, and their checksum, which both databases have. */
export interface ComparedTable {
  readonly name: string;
  readonly rows: number;
  readonly checksum: string;
}

/** Copies all rows that the target does not have yet. */
export async function copyTables(sides: MoveSides, state: TargetState): Promise<void> {
  const { source, target, onProgress } = sides;
  await target.prepareMonths(source.months());
  const ofRows = source.tables.reduce((sum, table) => sum + source.count(table), 0);
  const first = source.tables.findIndex(({ name }) => name === state.table);
  let rows = source.tables.slice(0, first).reduce((sum, table) => sum + source.count(table), 0);
  for (const table of source.tables.slice(first)) {
    const after = table.name === state.table ? state.after && parseKeyCells(table, state.after) : null;
    if (after) rows += source.count(table) - source.countFollowing(table, after);
    await copyRows(sides, table, after, state.id, (copied) => {
      rows += copied;
      onProgress({ step: 'copy', table: table.name, rows, ofRows });
    });
  }
  await target.noteCopied(state.id);
}

/** Reads the next rows while the last are written. */
async function copyRows(
  { source, target, batchRowsMax = BATCH_ROWS_MAX }: MoveSides,
  table: MovedTable,
  from: readonly Cell[] | null,
  id: string,
  onCopied: (rows: number) => void,
): Promise<void> {
  let after = from;
  let writing: Promise<void> = Promise.resolve();
  for (;;) {
    const rows = source.read(table, after, batchRowsMax);
    await writing;
    const last = rows.at(-1);
    if (!last) return;
    after = keyCells(table, last);
    writing = target.insert(id, table, rows).then(() => onCopied(rows.length));
    // It is awaited after the next read, which may throw first.
    writing.catch(() => undefined);
  }
}

function parseKeyCells(table: MovedTable, after: readonly (string | null)[]): Cell[] {
  return after.map((text, index) => {
    const kind = table.columns[table.key[index] ?? 0]?.kind;
    return text !== null && kind === 'integer' ? BigInt(text) : text;
  });
}

/** Content of a ledger, the same in both databases. */
export interface ComparedLedger {
  readonly tables: readonly ComparedTable[];
  readonly months: readonly MonthSums[];
}

/**
 * Compares all rows of both databases, and the sums of calls by month. Throws `conflict` with the first table or month that
 * differs.
 */
export async function compareTables({
  source,
  target,
  onProgress,
  batchRowsMax = BATCH_ROWS_MAX,
}: MoveSides): Promise<ComparedLedger> {
  const ofRows = source.tables.reduce((sum, table) => sum + source.count(table), 0);
  let rows = 0;
  const tables: ComparedTable[] = [];
  const tally = new MonthTally();
  for (const table of source.tables) {
    const [here, there] = [new TableChecksum(), new TableChecksum()];
    const onRows = (read: number): void => {
      rows += read;
      onProgress({ step: 'compare', table: table.name, rows, ofRows });
    };
    await addRows(
      here,
      table,
      async (after) => source.read(table, after, batchRowsMax),
      (read) => onRows(read.length),
    );
    await addRows(
      there,
      table,
      (after) => target.read(table, after, batchRowsMax),
      table.name === 'entries' ? callTally(table, tally) : () => {},
    );
    if (here.rows !== there.rows || here.sum !== there.sum) throw differs(table.name, here, there);
    tables.push({ name: table.name, rows: here.rows, checksum: here.sum });
  }
  const months = source.months();
  const month = findDifferentMonth(months, tally.months());
  if (month !== null) throw differing(`The sum of calls of ${month}`, 'in calls, cost or tokens');
  return { tables, months };
}

/** Returns a function that adds rows of the table of calls to sums. */
function callTally(table: MovedTable, tally: MonthTally): (rows: readonly (readonly Cell[])[]) => void {
  const place = (column: string): number => table.columns.findIndex(({ name }) => name === column);
  const [startedAt, cost, input, output] = ['started_at', 'cost', 'input_tokens', 'output_tokens'].map(place);
  const read = (row: readonly Cell[], index: number | undefined): bigint => BigInt(row[index ?? -1] ?? 0);
  return (rows) => {
    for (const row of rows)
      tally.add(Number(read(row, startedAt)), read(row, cost), read(row, input) + read(row, output));
  };
}

async function addRows(
  checksum: TableChecksum,
  table: MovedTable,
  read: (after: readonly Cell[] | null) => Promise<readonly (readonly Cell[])[]>,
  onRows: (rows: readonly (readonly Cell[])[]) => void,
): Promise<void> {
  let after: readonly Cell[] | null = null;
  for (;;) {
    const rows: readonly (readonly Cell[])[] = await read(after);
    const last = rows.at(-1);
    if (!last) return;
    for (const row of rows) checksum.add(row);
    onRows(rows);
    after = keyCells(table, last);
  }
}

function differs(table: string, here: TableChecksum, there: TableChecksum): TollbookError {
  const how =
    here.rows === there.rows
      ? `in the values of its ${here.rows} rows`
      : `(${here.rows} rows here, ${there.rows} there)`;
  return differing(`The table ${table}`, how);
}

function differing(what: string, how: string): TollbookError {
  return new TollbookError(
    'conflict',
    `${what} differs between the two databases ${how}. The move is not finished, and the ledger in the folder is as it was. ` +
      'Delete the new database, create it again, and run "tollbook move" again.',
  );
}
