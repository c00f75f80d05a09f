import type { SpendCoverage } from '../../domain/reconciliation/coverage.ts';
import type { CoveredDay, UnproxiedUsageStore, UnproxiedSum, ComputedDay } from '../unproxied-usage.ts';
import { UNPROXIED_MEASURES } from '../totals.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import { change, type SqlSteps } from './steps.ts';
import type { ResultRow } from './result-row.ts';
import { unproxiedMeasures, readUnproxiedTotals } from './session-totals-row.ts';
import type { Period } from '../../domain/time/period.ts';

const MEASURES = Object.values(UNPROXIED_MEASURES);
const COVERAGE = ['covered_total', 'covered_unproxied', 'covered_unknown'];
const COLUMNS = ['workspace', 'day', 'connection', 'provider', 'model', ...MEASURES, ...COVERAGE];
const INSERT = `INSERT INTO unproxied_usage (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;
const sumOf = (columns: readonly string[]): string => columns.map((one) => `sum(${one}) AS ${one}`).join(', ');
const RANGE = 'FROM unproxied_usage WHERE workspace = ? AND day >= ? AND day < ?';
/** Excludes rows of models whose whole usage went through the gateway, which are stored for coverage only. */
const ANY = `HAVING ${MEASURES.map((one) => `sum(${one}) > 0`).join(' OR ')}`;
const RESTS = `SELECT day, provider, model, ${sumOf(MEASURES)} ${RANGE} GROUP BY day, provider, model ${ANY}`;
const SUMS = `SELECT min(day) AS day, provider, model, ${sumOf(MEASURES)} ${RANGE} GROUP BY provider, model ${ANY}`;
const COVERED = `SELECT day, connection, ${sumOf(COVERAGE)} ${RANGE} GROUP BY day, connection
  HAVING sum(covered_total) > 0 ORDER BY day`;
const DELETE_DAY = 'DELETE FROM unproxied_usage WHERE workspace = ? AND day = ? AND connection = ?';
const WRITE_COMPUTED_DAY = `INSERT OR REPLACE INTO unproxied_days (connection, day, workspace, is_closed, terms)
  VALUES (?, ?, ?, ?, ?)`;
const CLOSING = `INSERT INTO unproxied_days (connection, day, workspace, is_closed, terms) VALUES (?, ?, ?, 1, '')
  ON CONFLICT DO UPDATE SET is_closed = 1 WHERE is_closed = 0`;
const REMOVE_DUE = 'DELETE FROM unproxied_due WHERE connection = ? AND day = ? AND serial = ?';
const UNSETTLED = 'SELECT day, serial FROM unproxied_due WHERE connection = ? ORDER BY day DESC LIMIT ?';
/** Each mark gets a random serial. */
const MARK = 'INSERT OR REPLACE INTO unproxied_due (connection, day)';
const MARK_DAY = `${MARK} VALUES (?, ?)`;
const MARK_CLOSED = `INSERT INTO unproxied_due (connection, day)
  SELECT connection, day FROM unproxied_days WHERE day = ? AND is_closed = 1
  ON CONFLICT (connection, day) DO UPDATE SET serial = excluded.serial`;
const MARK_RANGE = `${MARK} SELECT connection, day FROM unproxied_days s WHERE connection = ? AND day >= ? AND day < ?`;
const MARK_OTHERS = `${MARK_RANGE} AND terms <> ?`;
const MARK_UNPRICED = `${MARK_RANGE} AND EXISTS (SELECT 1 FROM unproxied_usage r WHERE r.workspace = s.workspace
  AND r.day = s.day AND r.connection = s.connection AND r.unpriced_calls + r.unpriced_uses > 0)`;

export function sqliteUnproxiedUsage(ledger: LedgerDatabase): UnproxiedUsageStore {
  const { connection, names } = ledger;
  return {
    async markedDays(id, limit) {
      const rows = connection.statement(UNSETTLED).all(names.find(id) ?? -1, limit);
      return rows.map((row) => ({ day: Number(row['day']), serial: Number(row['serial']) }));
    },
    closing: ({ connectionId, workspaceId, day }) =>
      ledger.writeNow(() => {
        connection.statement(CLOSING).run(names.id(connectionId), day, names.id(workspaceId));
      }),
    replaceDay: (computed) => ledger.writeNow(() => replaceDay(ledger, computed)),
    markDays: (id, { start, end }, which) =>
      ledger.writeNow(() => {
        const place = [names.find(id) ?? -1, start, end];
        if (which === 'all') connection.statement(MARK_RANGE).run(...place);
        else if (which === 'unpriced') connection.statement(MARK_UNPRICED).run(...place);
        else connection.statement(MARK_OTHERS).run(...place, which.termsOtherThan);
      }),
    dailySums: async (workspaceId, range) =>
      queryUnproxied(ledger, RESTS, workspaceId, range).map(unproxiedReader(ledger)),
    sums: async (workspaceId, range) => queryUnproxied(ledger, SUMS, workspaceId, range).map(unproxiedReader(ledger)),
    async coverage(workspaceId, range) {
      const nameOf = (id: unknown): string | null => names.text(id);
      return queryUnproxied(ledger, COVERED, workspaceId, range).map((row): CoveredDay => {
        const connectionId = nameOf(Number(row['connection'])) ?? '';
        return { day: Number(row['day']), connectionId, coverage: toCoverage(row) };
      });
    },
  };
}

/** Marks a day for computing again. Call it in the transaction that changes its report. */
export function markDay(connection: SqliteConnection, id: number, day: number): void {
  connection.statement(MARK_DAY).run(id, day);
}

/**
 * Marks closed days for computing again. Call it in the transaction that changes their calls: most are of today,
 * which is not closed.
 */
export function* markClosedDays(days: ReadonlySet<number>): SqlSteps<void> {
  for (const day of days) yield* change(MARK_CLOSED, [day]);
}

function replaceDay({ connection, names }: LedgerDatabase, computed: ComputedDay): void {
  const { connectionId, workspaceId, day, serial, isClosed, terms, rows } = computed;
  const [id, workspace, provider] = [names.id(connectionId), names.id(workspaceId), names.id(computed.provider)];
  connection.statement(DELETE_DAY).run(workspace, day, id);
  for (const { model, totals, coverage } of rows) {
    const { total, unproxied, unknown } = coverage;
    const amounts = [...unproxiedMeasures(totals), total, unproxied, unknown];
    connection.statement(INSERT).run(workspace, day, id, provider, names.id(model), ...amounts);
  }
  connection.statement(WRITE_COMPUTED_DAY).run(id, day, workspace, isClosed ? 1 : 0, terms);
  connection.statement(REMOVE_DUE).run(id, day, serial);
}

function queryUnproxied(
  { connection, names }: LedgerDatabase,
  sql: string,
  workspaceId: string,
  { start, end }: Period,
): ResultRow[] {
  return connection.sumStatement(sql).all(names.find(workspaceId) ?? -1, start, end);
}

function unproxiedReader({ names }: LedgerDatabase): (row: ResultRow) => UnproxiedSum {
  const nameOf = (id: unknown): string | null => names.text(id);
  return (row) => ({
    day: Number(row['day']),
    provider: nameOf(Number(row['provider'])) ?? '',
    model: nameOf(Number(row['model'])),
    totals: readUnproxiedTotals(row),
  });
}

function toCoverage(row: ResultRow): SpendCoverage {
  const [total = 0n, unproxied = 0n, unknown = 0n] = COVERAGE.map((column) => BigInt(String(row[column])));
  return { total, unproxied, unknown };
}
