import type { SpendCoverage } from '../../domain/reconciliation/coverage.ts';
import type { CoveredDay, UnproxiedUsageStore, UnproxiedSum, ComputedDay, MarkedDay } from '../unproxied-usage.ts';
import { UNPROXIED_MEASURES } from '../totals.ts';
import type { SqlContext } from './entry-table.ts';
import type { SqlLedger } from './sql-ledger.ts';
import { ask, askSums, change, insertRows, replaceColumns, type RowInsert, type SqlSteps } from './steps.ts';
import { number, type ResultRow } from './result-row.ts';
import { listMeasures, readTotals } from './totals-row.ts';
import type { Period } from '../../domain/time/period.ts';

const MEASURES = Object.values(UNPROXIED_MEASURES);
const COVERAGE = ['covered_total', 'covered_unproxied', 'covered_unknown'];
const INSERT: RowInsert = {
  table: 'unproxied_usage',
  columns: ['workspace', 'day', 'connection', 'model', 'provider', ...MEASURES, ...COVERAGE],
  keyColumns: 4,
  onConflict: '',
  returning: [],
};
const sumOf = (columns: readonly string[]): string => columns.map((one) => `sum(${one}) AS ${one}`).join(', ');
const RANGE = 'FROM unproxied_usage WHERE workspace = ? AND day >= ? AND day < ?';
/** Excludes rows of models whose whole usage went through the gateway, which are stored for coverage only. */
const ANY = `HAVING ${MEASURES.map((one) => `sum(${one}) > 0`).join(' OR ')}`;
const DAILY = `SELECT day, provider, model, ${sumOf(MEASURES)} ${RANGE} GROUP BY day, provider, model ${ANY}`;
const SUMS = `SELECT min(day) AS day, provider, model, ${sumOf(MEASURES)} ${RANGE} GROUP BY provider, model ${ANY}`;
const COVERED = `SELECT day, connection, ${sumOf(COVERAGE)} ${RANGE} GROUP BY day, connection
  HAVING sum(covered_total) > 0 ORDER BY day`;
const DELETE_DAY = 'DELETE FROM unproxied_usage WHERE workspace = ? AND day = ? AND connection = ?';
const WRITE_COMPUTED_DAY = `INSERT INTO unproxied_days (connection, day, workspace, is_closed, terms)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (connection, day) DO UPDATE SET ${replaceColumns(['workspace', 'is_closed', 'terms'])}`;
const CLOSING = `INSERT INTO unproxied_days (connection, day, workspace, is_closed, terms) VALUES (?, ?, ?, 1, '')
  ON CONFLICT (connection, day) DO UPDATE SET is_closed = 1 WHERE unproxied_days.is_closed = 0`;
const REMOVE_DUE = 'DELETE FROM unproxied_due WHERE connection = ? AND day = ? AND serial = ?';
const DUE = 'SELECT day, serial FROM unproxied_due WHERE connection = ? ORDER BY day DESC LIMIT ?';
const OPEN_DAYS = `SELECT day FROM unproxied_due WHERE connection = :connection
  UNION SELECT day FROM unproxied_days WHERE connection = :connection AND is_closed = 0`;
const MARK = 'INSERT INTO unproxied_due (connection, day)';
/** Each mark gets a random serial, which is the default. */
const MARK_AGAIN = 'ON CONFLICT (connection, day) DO UPDATE SET serial = excluded.serial';
const MARK_DAYS: RowInsert = {
  table: 'unproxied_due',
  columns: ['connection', 'day'],
  keyColumns: 2,
  onConflict: MARK_AGAIN,
  returning: [],
};
const MARK_CLOSED = `${MARK} SELECT connection, day FROM unproxied_days WHERE day = ? AND is_closed = 1 ${MARK_AGAIN}`;
const markRange = (condition = ''): string => `${MARK} SELECT connection, day FROM unproxied_days s
  WHERE connection = ? AND day >= ? AND day < ? ${condition} ${MARK_AGAIN}`;
const MARK_RANGE = markRange();
const MARK_OTHERS = markRange('AND terms <> ?');
const MARK_UNPRICED = markRange(`AND EXISTS (SELECT 1 FROM unproxied_usage r WHERE r.workspace = s.workspace
  AND r.day = s.day AND r.connection = s.connection AND r.unpriced_calls + r.unpriced_uses > 0)`);

export function sqlUnproxiedUsage(ledger: SqlLedger): UnproxiedUsageStore {
  return {
    markedDays: (connectionId, limit) => ledger.read(() => listMarkedDays(ledger, connectionId, limit)),
    closing: (day) => ledger.write(() => beginClosing(ledger, day)),
    replaceDay: (computed) => ledger.write(() => replaceDay(ledger, computed)),
    markDays: (...given) => ledger.write(() => markDays(ledger, ...given)),
    openDays: (connectionId) => ledger.read(() => readOpenDays(ledger, connectionId)),
    dailySums: (workspaceId, range) => ledger.read(() => readSums(ledger, DAILY, workspaceId, range)),
    sums: (workspaceId, range) => ledger.read(() => readSums(ledger, SUMS, workspaceId, range)),
    coverage: (workspaceId, range) => ledger.read(() => readCoverage(ledger, workspaceId, range)),
  };
}

/** Marks days for computing again. Call it in the transaction that changes their report. */
export function* markDueDays(connection: number, days: readonly number[]): SqlSteps<void> {
  yield* insertRows(
    MARK_DAYS,
    days.map((day) => [connection, day]),
  );
}

/**
 * Marks closed days for computing again. Call it in the transaction that changes their calls: most are of today,
 * which is not closed.
 */
export function* markClosedDays(days: ReadonlySet<number>): SqlSteps<void> {
  for (const day of days) yield* change(MARK_CLOSED, [day]);
}

function* listMarkedDays({ names }: SqlContext, connectionId: string, limit: number): SqlSteps<MarkedDay[]> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return [];
  const rows = yield ask(DUE, [connection, limit]);
  return rows.map((row) => ({ day: number(row, 'day'), serial: number(row, 'serial') }));
}

function* readOpenDays({ names }: SqlContext, connectionId: string): SqlSteps<number[]> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return [];
  return (yield ask(OPEN_DAYS, { connection })).map((row) => number(row, 'day'));
}

type ConnectionDay = Parameters<UnproxiedUsageStore['closing']>[0];

function* beginClosing({ names }: SqlContext, { connectionId, workspaceId, day }: ConnectionDay): SqlSteps<void> {
  const connection = yield* names.id(connectionId);
  yield* change(CLOSING, [connection, day, yield* names.id(workspaceId)]);
}

function* markDays(
  { names }: SqlContext,
  connectionId: string,
  { start, end }: Period,
  which: 'all' | 'unpriced' | { readonly termsOtherThan: string },
): SqlSteps<void> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return;
  const place = [connection, start, end];
  if (which === 'all') yield* change(MARK_RANGE, place);
  else if (which === 'unpriced') yield* change(MARK_UNPRICED, place);
  else yield* change(MARK_OTHERS, [...place, which.termsOtherThan]);
}

function* replaceDay({ names }: SqlContext, computed: ComputedDay): SqlSteps<void> {
  const { connectionId, workspaceId, provider, day, serial, isClosed, terms } = computed;
  const rows = yield* names.resolve((idOf) =>
    computed.rows.map(({ model, totals, coverage: { total, unproxied, unknown } }) => [
      idOf(workspaceId),
      day,
      idOf(connectionId),
      idOf(model),
      idOf(provider),
      ...listMeasures(totals, UNPROXIED_MEASURES),
      total,
      unproxied,
      unknown,
    ]),
  );
  const workspace = yield* names.id(workspaceId);
  const connection = yield* names.id(connectionId);
  yield* change(DELETE_DAY, [workspace, day, connection]);
  yield* insertRows(INSERT, rows);
  yield* change(WRITE_COMPUTED_DAY, [connection, day, workspace, isClosed ? 1 : 0, terms]);
  yield* change(REMOVE_DUE, [connection, day, serial]);
}

function* queryRange(
  { names }: SqlContext,
  sql: string,
  workspaceId: string,
  { start, end }: Period,
): SqlSteps<readonly ResultRow[]> {
  const workspace = yield* names.find(workspaceId);
  return workspace === undefined ? [] : yield askSums(sql, [workspace, start, end]);
}

function* readSums(context: SqlContext, sql: string, workspaceId: string, range: Period): SqlSteps<UnproxiedSum[]> {
  const rows = yield* queryRange(context, sql, workspaceId, range);
  const nameOf = yield* context.names.texts(rows.flatMap((row) => [row['provider'], row['model']]));
  return rows.map((row) => ({
    day: Number(row['day']),
    provider: nameOf(row['provider']) ?? '',
    model: nameOf(row['model']),
    totals: readTotals(row, UNPROXIED_MEASURES),
  }));
}

function* readCoverage(context: SqlContext, workspaceId: string, range: Period): SqlSteps<CoveredDay[]> {
  const rows = yield* queryRange(context, COVERED, workspaceId, range);
  const nameOf = yield* context.names.texts(rows.map((row) => row['connection']));
  return rows.map((row) => ({
    day: Number(row['day']),
    connectionId: nameOf(row['connection']) ?? '',
    coverage: toCoverage(row),
  }));
}

function toCoverage(row: ResultRow): SpendCoverage {
  const [total = 0n, unproxied = 0n, unknown = 0n] = COVERAGE.map((column) => BigInt(String(row[column])));
  return { total, unproxied, unknown };
}
