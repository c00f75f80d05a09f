import { REPORT_NAME_KINDS, type ReportDay, type ReportName } from '../../domain/reconciliation/provider-report.ts';
import {
  digestReportDay,
  type ProviderReportStore,
  type ReportCursor,
  type ReportPage,
  type ReportState,
} from '../provider-reports.ts';
import { storedWord } from '../records/stored-word.ts';
import type { SqlContext } from './entry-table.ts';
import { readReportCells } from './report-cells.ts';
import {
  deleteReportRows,
  insertReportRows,
  readPeopleOfDay,
  readReportedPeople,
  readReportedUsage,
} from './report-days.ts';
import { readReportLines } from './report-lines.ts';
import type { SqlLedger } from './sql-ledger.ts';
import {
  ask,
  askEach,
  change,
  insertRows,
  replaceColumns,
  type RowInsert,
  type SqlSteps,
  type SqlValue,
} from './steps.ts';
import { markDueDays } from './unproxied-usage.ts';
import { number, type ResultRow, text, textOrNull } from './result-row.ts';

const STATES = `SELECT s.*, n.text AS name FROM report_states s JOIN names n ON n.id = s.report WHERE connection = ?`;
const REVISION = 'SELECT revision FROM report_states WHERE connection = ? AND report = ?';
const PROGRESS = ['revision', 'goal', 'top', 'done_from', 'done_to', 'cursor', 'read_at'];
const WRITE_STATE = `INSERT INTO report_states (connection, report, ${PROGRESS.join(', ')})
  VALUES (?, ?, ${PROGRESS.map(() => '?').join(', ')})
  ON CONFLICT (connection, report) DO UPDATE SET ${replaceColumns(PROGRESS)}`;
const DIGEST = 'SELECT day, digest FROM report_days WHERE connection = ? AND day = ? AND report = ?';
const WRITE_DAYS: RowInsert = {
  table: 'report_days',
  columns: ['connection', 'report', 'day', 'read_at', 'changed_at', 'digest'],
  keyColumns: 3,
  onConflict: `ON CONFLICT (connection, report, day) DO UPDATE SET ${replaceColumns(['read_at', 'changed_at', 'digest'])}`,
  returning: [],
};
const READ_AGAIN: RowInsert = {
  ...WRITE_DAYS,
  onConflict: `ON CONFLICT (connection, report, day) DO UPDATE SET ${replaceColumns(['read_at', 'digest'])}`,
};
const NAMED = ['name', 'hint', 'project', 'status'];
const WRITE_NAMES: RowInsert = {
  table: 'report_names',
  columns: ['connection', 'kind', 'id', ...NAMED],
  keyColumns: 3,
  onConflict: `ON CONFLICT (connection, kind, id) DO UPDATE SET ${replaceColumns(NAMED)}`,
  returning: [],
};
const NAMES = 'SELECT * FROM report_names WHERE connection = ? ORDER BY kind, id';
/** Digest of a day whose rows came on several pages, which happens for people only. */
const NO_DIGEST = '';

export function sqlProviderReports(ledger: SqlLedger): ProviderReportStore {
  return {
    states: (connectionId) => ledger.read(() => readStates(ledger, connectionId)),
    keep: (page) => ledger.write(() => saveReportPage(ledger, page)),
    usage: (connectionId, range) => ledger.read(() => readReportedUsage(ledger, connectionId, range)),
    cells: (connectionId, range) => ledger.read(() => readReportCells(ledger, connectionId, range)),
    costs: (connectionId, range) => ledger.read(() => readReportLines(ledger, connectionId, range)),
    people: (connectionId, range) => ledger.read(() => readReportedPeople(ledger, connectionId, range)),
    names: (connectionId) => ledger.read(() => readReportNames(ledger, connectionId)),
    drop: (connectionId, limit) => ledger.write(() => dropConnection(ledger, connectionId, limit)),
  };
}

function* readStates({ names }: SqlContext, connectionId: string): SqlSteps<Map<string, ReportState>> {
  const connection = yield* names.find(connectionId);
  const rows = connection === undefined ? [] : yield ask(STATES, [connection]);
  return new Map(rows.map((row) => [text(row, 'name'), toReportState(row)]));
}

function* readReportNames({ names }: SqlContext, connectionId: string): SqlSteps<ReportName[]> {
  const connection = yield* names.find(connectionId);
  const rows = connection === undefined ? [] : yield ask(NAMES, [connection]);
  return rows.map(toReportName);
}

function* saveReportPage(context: SqlContext, page: ReportPage): SqlSteps<boolean> {
  const connection = yield* context.names.id(page.connectionId);
  const report = yield* context.names.id(page.report);
  const { revision, goal, top, doneFrom, doneTo, cursor, readAt } = page.state;
  const [before] = yield ask(REVISION, [connection, report]);
  if ((before ? number(before, 'revision') : 0) !== revision) return false;
  yield* saveReportDays(context, connection, report, page);
  yield* insertRows(
    WRITE_NAMES,
    page.names.map(({ kind, id, name, hint, project, status }) => [connection, kind, id, name, hint, project, status]),
  );
  const position = cursor && JSON.stringify(cursor);
  yield* change(WRITE_STATE, [connection, report, revision + 1, goal, top, doneFrom, doneTo, position, readAt]);
  return true;
}

/** Stores days. Unchanged ones are only marked as read again. */
function* saveReportDays(context: SqlContext, connection: number, report: number, page: ReportPage): SqlSteps<void> {
  const { readAt, goesOn } = page;
  // The last of equal days wins, as if they came on several pages.
  const days = goesOn ? page.days : [...new Map(page.days.map((day) => [day.day, day])).values()];
  const known = goesOn ? new Map<number, string>() : yield* readDigests(connection, report, days);
  const digests = new Map(days.map((day) => [day, goesOn ? NO_DIGEST : digestReportDay(day)]));
  const isChanged = (day: ReportDay): boolean => known.get(day.day) !== digests.get(day);
  const changed = days.filter(isChanged);
  for (const { kind, day } of changed) if (known.has(day)) yield* deleteReportRows(kind, [connection, day, report]);
  yield* insertReportRows(context, [connection, report], changed, goesOn);
  yield* markDueDays(
    connection,
    changed.flatMap(({ kind, day }) => (kind === 'usage' ? [day] : [])),
  );
  const toRow = (day: ReportDay): SqlValue[] => [connection, report, day.day, readAt, readAt, digests.get(day) ?? ''];
  yield* insertRows(WRITE_DAYS, changed.map(toRow));
  yield* insertRows(READ_AGAIN, days.filter((day) => !isChanged(day)).map(toRow));
}

/** Returns the digests of stored days. Days that were never read are missing. */
function* readDigests(connection: number, report: number, days: readonly ReportDay[]): SqlSteps<Map<number, string>> {
  const places = days.map(({ day }): [number, number, number] => [connection, day, report]);
  const digests = new Map<number, string>();
  for (const row of yield* askEach(DIGEST, places)) {
    const [day, digest] = [number(row, 'day'), text(row, 'digest')];
    const people = digest === NO_DIGEST ? yield* readPeopleOfDay([connection, day, report]) : null;
    digests.set(day, people ? digestReportDay({ kind: 'people', rows: people }) : digest);
  }
  return digests;
}

/** Primary keys of the tables of a connection, in the order in which they are emptied. */
const DROPPED = {
  unproxied_usage: 'workspace, day, connection, model',
  unproxied_days: 'connection, day',
  unproxied_due: 'connection, day',
  report_usage: 'connection, day, report, key, model, project, tier, context, geo, speed',
  report_costs: 'connection, day, report, line',
  report_people: 'connection, day, report, line',
  report_names: 'connection, kind, id',
  report_days: 'connection, report, day',
  report_states: 'connection, report',
};
const DROPS = Object.entries(DROPPED).map(
  ([table, key]) => `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE connection = ? LIMIT ?)`,
);

function* dropConnection({ names }: SqlContext, connectionId: string, limit: number): SqlSteps<number> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return 0;
  let dropped = 0;
  for (const sql of DROPS) if (dropped < limit) dropped += yield* change(sql, [connection, limit - dropped]);
  return dropped;
}

function toReportState(row: ResultRow): ReportState {
  const cursor = textOrNull(row, 'cursor');
  return {
    revision: number(row, 'revision'),
    goal: number(row, 'goal'),
    top: number(row, 'top'),
    doneFrom: number(row, 'done_from'),
    doneTo: number(row, 'done_to'),
    cursor: cursor === null ? null : (JSON.parse(cursor) as ReportCursor),
    readAt: number(row, 'read_at'),
  };
}

function toReportName(row: ResultRow): ReportName {
  return {
    kind: storedWord(REPORT_NAME_KINDS, text(row, 'kind')),
    id: text(row, 'id'),
    name: text(row, 'name'),
    hint: textOrNull(row, 'hint'),
    project: textOrNull(row, 'project'),
    status: textOrNull(row, 'status'),
  };
}
