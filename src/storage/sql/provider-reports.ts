import {
  REPORT_NAME_KINDS,
  type ReportAmounts,
  type ReportClass,
  type ReportDay,
  type ReportedCost,
  type ReportedPerson,
  type ReportedUsage,
  type ReportName,
  type ReportRows,
} from '../../domain/reconciliation/provider-report.ts';
import {
  digestReportDay,
  type ProviderReportStore,
  type ReportCursor,
  type ReportPage,
  type ReportState,
  sortRows,
  type StoredDay,
} from '../provider-reports.ts';
import { storedWord } from '../records/stored-word.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { reportCells } from './report-cells.ts';
import { reportLines } from './report-lines.ts';
import { markDay } from './unproxied-usage.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';
import type { SyncNames } from '../sqlite/sync-names.ts';
import type { Period } from '../../domain/time/period.ts';

/** Classes that have a column; the rare rest is JSON in `others`. */
const AMOUNT_COLUMNS = {
  input: 'input',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  webSearch: 'web_searches',
} as const satisfies Partial<Record<ReportClass, string>>;
const AMOUNTS = Object.entries(AMOUNT_COLUMNS) as [keyof typeof AMOUNT_COLUMNS, string][];

type ReportColumns = Record<string, string | number | null>;

/** Columns with numbers of names, read as text under the same name. */
const USAGE_WORDS = ['key', 'model', 'project', 'tier', 'context', 'geo', 'speed'] as const;
const COST_WORDS = ['key', 'model', 'project', 'tier', 'context', 'geo', 'kind', 'class', 'unit'] as const;

function usageColumns(names: SyncNames, row: ReportedUsage): ReportColumns {
  const others = Object.entries(row.amounts).filter(([name]) => !Object.hasOwn(AMOUNT_COLUMNS, name));
  return {
    ...Object.fromEntries(USAGE_WORDS.map((word) => [word, names.id(row[word])])),
    ...Object.fromEntries(AMOUNTS.map(([name, column]) => [column, row.amounts[name] ?? 0])),
    others: others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
    requests: row.requests,
  };
}

function toReportedUsage(row: ResultRow): ReportedUsage {
  const amounts: ReportAmounts = {};
  for (const [name, column] of AMOUNTS) {
    const amount = number(row, column);
    if (amount > 0) amounts[name] = amount;
  }
  const others = textOrNull(row, 'others');
  return {
    ...readNames(row, USAGE_WORDS),
    amounts: others === null ? amounts : { ...amounts, ...(JSON.parse(others) as ReportAmounts) },
    requests: numberOrNull(row, 'requests'),
  };
}

function costColumns(names: SyncNames, row: ReportedCost): ReportColumns {
  return {
    ...Object.fromEntries(COST_WORDS.map((word) => [word, names.id(row[word])])),
    description: row.line,
    amount: row.amount,
    nano_usd: row.nanoUsd,
  };
}

function personColumns(_: SyncNames, row: ReportedPerson): ReportColumns {
  return { person: JSON.stringify(row) };
}

function toReportedPerson(row: ResultRow): ReportedPerson {
  return JSON.parse(text(row, 'person')) as ReportedPerson;
}

function readNames<Word extends string>(row: ResultRow, words: readonly Word[]): Record<Word, string | null> {
  return Object.fromEntries(words.map((word) => [word, textOrNull(row, word)])) as Record<Word, string | null>;
}

type ReportKind = ReportRows['kind'];

const TABLES = { usage: 'report_usage', cost: 'report_costs', people: 'report_people' } as const;
const DELETE_DAY = {
  usage: 'DELETE FROM report_usage WHERE connection = ? AND day = ? AND report = ?',
  cost: 'DELETE FROM report_costs WHERE connection = ? AND day = ? AND report = ?',
  people: 'DELETE FROM report_people WHERE connection = ? AND day = ? AND report = ?',
} as const;
const COUNT_LINES = {
  cost: 'SELECT count(*) AS n FROM report_costs WHERE connection = ? AND day = ? AND report = ?',
  people: 'SELECT count(*) AS n FROM report_people WHERE connection = ? AND day = ? AND report = ?',
} as const;
const STATES = `SELECT s.*, n.text AS name FROM report_states s JOIN names n ON n.id = s.report WHERE connection = ?`;
const REVISION = 'SELECT revision FROM report_states WHERE connection = ? AND report = ?';
const KEEP_STATE = `INSERT OR REPLACE INTO report_states
  (connection, report, revision, goal, top, done_from, done_to, cursor, read_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const DIGEST = 'SELECT digest FROM report_days WHERE connection = ? AND report = ? AND day = ?';
const READ_AGAIN = 'UPDATE report_days SET read_at = ?, digest = ? WHERE connection = ? AND report = ? AND day = ?';
const PEOPLE_OF_DAY = 'SELECT person FROM report_people WHERE connection = ? AND day = ? AND report = ?';
const KEEP_DAY = `INSERT OR REPLACE INTO report_days (connection, report, day, read_at, changed_at, digest)
  VALUES (?, ?, ?, ?, ?, ?)`;
const KEEP_NAME = `INSERT OR REPLACE INTO report_names (connection, kind, id, name, hint, project, status)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const NAMES = 'SELECT * FROM report_names WHERE connection = ? ORDER BY kind, id';
/** Digest of a day whose rows came on several pages, which happens for people only. */
const NO_DIGEST = '';

export function sqliteProviderReports(ledger: LedgerDatabase): ProviderReportStore {
  const { connection, names } = ledger;
  return {
    async states(id) {
      const rows = connection.statement(STATES).all(names.find(id) ?? -1);
      return new Map(rows.map((row) => [text(row, 'name'), toReportState(row)]));
    },
    keep: (page) => ledger.writeNow(() => saveReportPage(ledger, page)),
    usage: async (id, range) => readReportDays(ledger, id, range, 'usage', USAGE_WORDS, toReportedUsage),
    cells: (id, range) => reportCells(ledger, id, range),
    costs: (id, range) => reportLines(ledger, id, range),
    people: async (id, range) => readReportDays(ledger, id, range, 'people', [], toReportedPerson),
    names: async (id) =>
      connection
        .statement(NAMES)
        .all(names.find(id) ?? -1)
        .map(toReportName),
    drop: (id, limit) => ledger.writeNow(() => dropConnection(ledger, id, limit)),
  };
}

function saveReportPage({ connection, names }: LedgerDatabase, page: ReportPage): boolean {
  const id = names.id(page.connectionId);
  const report = names.id(page.report);
  const { state } = page;
  const before = connection.statement(REVISION).get(id, report);
  if ((before ? number(before, 'revision') : 0) !== state.revision) return false;
  const at = { id, report, readAt: page.readAt };
  for (const day of page.days) saveReportDay({ connection, names }, at, day, page.goesOn);
  for (const { kind, id: named, name, hint, project, status } of page.names)
    connection.statement(KEEP_NAME).run(id, kind, named, name, hint, project, status);
  const { revision, goal, top, doneFrom, doneTo, cursor, readAt } = state;
  const position = cursor && JSON.stringify(cursor);
  connection.statement(KEEP_STATE).run(id, report, revision + 1, goal, top, doneFrom, doneTo, position, readAt);
  return true;
}

interface ReportRead {
  readonly id: number;
  readonly report: number;
  readonly readAt: number;
}

/** Stores a day. An unchanged day is only marked as read again. */
function saveReportDay(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  at: ReportRead,
  day: ReportDay,
  goesOn: boolean,
) {
  const { id, report, readAt } = at;
  const digest = goesOn ? NO_DIGEST : digestReportDay(day);
  if (!goesOn && knownDigest(connection, at, day) === digest) {
    connection.statement(READ_AGAIN).run(readAt, digest, id, report, day.day);
    return;
  }
  if (!goesOn) connection.statement(DELETE_DAY[day.kind]).run(id, day.day, report);
  const place = { connection: id, day: day.day, report };
  if (day.kind === 'usage') {
    for (const row of day.rows) insertReportRow(connection, 'report_usage', { ...place, ...usageColumns(names, row) });
    markDay(connection, id, day.day);
  } else {
    let line = goesOn ? number(connection.statement(COUNT_LINES[day.kind]).get(id, day.day, report) ?? {}, 'n') : 0;
    const rows =
      day.kind === 'cost'
        ? sortRows(day.rows).map((row) => costColumns(names, row))
        : sortRows(day.rows).map((row) => personColumns(names, row));
    for (const row of rows) insertReportRow(connection, TABLES[day.kind], { ...place, line: (line += 1), ...row });
  }
  connection.statement(KEEP_DAY).run(id, report, day.day, readAt, readAt, digest);
}

function knownDigest(
  connection: LedgerDatabase['connection'],
  { id, report }: ReportRead,
  { day }: ReportDay,
): string | null {
  const known = connection.statement(DIGEST).get(id, report, day);
  if (!known || text(known, 'digest') !== NO_DIGEST) return known ? text(known, 'digest') : null;
  const rows = connection.statement(PEOPLE_OF_DAY).all(id, day, report);
  return digestReportDay({ kind: 'people', rows: rows.map(toReportedPerson) });
}

function insertReportRow(
  connection: LedgerDatabase['connection'],
  into: string,
  columns: Record<string, string | number | null>,
): void {
  const all = Object.keys(columns);
  const sql = `INSERT INTO ${into} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`;
  connection.statement(sql).run(...Object.values(columns));
}

function readReportDays<RowShape>(
  { connection, names }: LedgerDatabase,
  connectionId: string,
  { start, end }: Period,
  kind: ReportKind,
  words: readonly string[],
  read: (row: ResultRow) => RowShape,
): StoredDay<RowShape>[] {
  const texts = words.map((word) => `(SELECT text FROM names WHERE id = r.${word}) AS ${word}_text`);
  const sql = `SELECT ${['r.*', ...texts].join(', ')} FROM ${TABLES[kind]} r
    WHERE connection = ? AND day >= ? AND day < ?`;
  const rows = connection.statement(sql).all(names.find(connectionId) ?? -1, start, end);
  const byDay = Map.groupBy(rows, (row) => number(row, 'day'));
  return [...byDay].map(([day, found]) => ({
    day,
    rows: found.map((row) =>
      read({ ...row, ...Object.fromEntries(words.map((word) => [word, row[`${word}_text`] ?? null])) }),
    ),
  }));
}

/** Tables in the order in which they are emptied. */
const DROPPED = [
  'unproxied_usage',
  'unproxied_days',
  'unproxied_due',
  'report_usage',
  'report_costs',
  'report_people',
  'report_names',
  'report_days',
  'report_states',
];
const KEY_OF: Readonly<Record<string, string>> = {
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

function dropConnection({ connection, names }: LedgerDatabase, connectionId: string, limit: number): number {
  const id = names.find(connectionId) ?? -1;
  let dropped = 0;
  for (const from of DROPPED) {
    if (dropped >= limit) break;
    const key = KEY_OF[from] ?? '';
    const sql = `DELETE FROM ${from} WHERE (${key}) IN (SELECT ${key} FROM ${from} WHERE connection = ? LIMIT ?)`;
    dropped += Number(connection.statement(sql).run(id, limit - dropped).changes);
  }
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
