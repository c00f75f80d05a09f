import type {
  ReportAmounts,
  ReportDay,
  ReportedPerson,
  ReportedUsage,
} from '../../domain/reconciliation/provider-report.ts';
import { sortRows, type StoredDay } from '../provider-reports.ts';
import { CLASS_COLUMN_NAMES, classAmounts, rareAmounts, readAmounts } from './class-columns.ts';
import type { SqlContext } from './entry-table.ts';
import type { IdOf, TextOf } from './name-table.ts';
import { numberAt } from './result-row.ts';
import { askLists, change, insertRows, lists, type RowInsert, type SqlSteps, type SqlValue } from './steps.ts';
import type { Period } from '../../domain/time/period.ts';

type ReportKind = ReportDay['kind'];

/** Columns with numbers of names. */
const USAGE_WORDS = ['key', 'model', 'project', 'tier', 'context', 'geo', 'speed'] as const;
const COST_WORDS = ['key', 'model', 'project', 'tier', 'context', 'geo', 'kind', 'class', 'unit'] as const;
const PLACE = ['connection', 'day', 'report'];
const RARE = ['others', 'requests'];

const INSERT: Readonly<Record<ReportKind, RowInsert>> = {
  usage: {
    table: 'report_usage',
    columns: [...PLACE, ...USAGE_WORDS, ...CLASS_COLUMN_NAMES, ...RARE],
    keyColumns: PLACE.length + USAGE_WORDS.length,
    onConflict: '',
    returning: [],
  },
  cost: {
    table: 'report_costs',
    columns: [...PLACE, 'line', ...COST_WORDS, 'description', 'amount', 'nano_usd'],
    keyColumns: PLACE.length + 1,
    onConflict: '',
    returning: [],
  },
  people: {
    table: 'report_people',
    columns: [...PLACE, 'line', 'person'],
    keyColumns: PLACE.length + 1,
    onConflict: '',
    returning: [],
  },
};
const OF_DAY = 'WHERE connection = ? AND day = ? AND report = ?';
const DELETE: Readonly<Record<ReportKind, string>> = {
  usage: `DELETE FROM report_usage ${OF_DAY}`,
  cost: `DELETE FROM report_costs ${OF_DAY}`,
  people: `DELETE FROM report_people ${OF_DAY}`,
};
const LAST_LINE = {
  cost: `SELECT max(line) FROM report_costs ${OF_DAY}`,
  people: `SELECT max(line) FROM report_people ${OF_DAY}`,
};

/** One day of one report. */
export type ReportDayPlace = readonly [connection: number, day: number, report: number];

/** Adds the rows of days. @param goesOn the days have rows already */
export function* insertReportRows(
  { names }: SqlContext,
  [connection, report]: readonly [connection: number, report: number],
  days: readonly ReportDay[],
  goesOn: boolean,
): SqlSteps<void> {
  for (const [kind, ofKind] of Map.groupBy(days, (day) => day.kind)) {
    const places = ofKind.map((day): PlacedDay => ({ day, place: [connection, day.day, report], lastLine: 0 }));
    if (goesOn && kind !== 'usage')
      for (const placed of places) placed.lastLine = yield* readLastLine(kind, placed.place);
    const rows = yield* names.resolve((idOf) => places.flatMap((placed) => toRows(idOf, placed)));
    yield* insertRows(INSERT[kind], rows);
  }
}

interface PlacedDay {
  readonly day: ReportDay;
  readonly place: ReportDayPlace;
  /** Number of the last line that is stored; 0 = none. */
  lastLine: number;
}

export function* deleteReportRows(kind: ReportKind, place: ReportDayPlace): SqlSteps<void> {
  yield* change(DELETE[kind], place);
}

/** Returns the number of the last line; 0 = none. */
function* readLastLine(kind: keyof typeof LAST_LINE, place: ReportDayPlace): SqlSteps<number> {
  const [[line] = []] = lists(yield askLists(LAST_LINE[kind], place));
  return typeof line === 'number' ? line : 0;
}

function toRows(idOf: IdOf, { day, place, lastLine }: PlacedDay): SqlValue[][] {
  switch (day.kind) {
    case 'usage':
      return day.rows.map((row) => [
        ...place,
        ...USAGE_WORDS.map((word) => idOf(row[word])),
        ...classAmounts(row.amounts),
        rareText(row.amounts),
        row.requests,
      ]);
    case 'cost':
      return Array.from(sortRows(day.rows), (row, index) => [
        ...place,
        lastLine + index + 1,
        ...COST_WORDS.map((word) => idOf(row[word])),
        row.line,
        row.amount,
        row.nanoUsd,
      ]);
    case 'people':
      return Array.from(sortRows(day.rows), (row, index) => [...place, lastLine + index + 1, JSON.stringify(row)]);
  }
}

function rareText(amounts: ReportAmounts): string | null {
  const rare = rareAmounts(amounts);
  return rare.length === 0 ? null : JSON.stringify(Object.fromEntries(rare));
}

const IN_RANGE = 'WHERE connection = ? AND day >= ? AND day < ?';
const USAGE = `SELECT day, ${[...USAGE_WORDS, ...CLASS_COLUMN_NAMES, ...RARE].join(', ')} FROM report_usage
  ${IN_RANGE} ORDER BY day, report`;
const FIRST_AMOUNT = 1 + USAGE_WORDS.length;
const FIRST_RARE = FIRST_AMOUNT + CLASS_COLUMN_NAMES.length;
const NAMED = USAGE_WORDS.map((_, index) => 1 + index);
const PEOPLE = `SELECT day, person FROM report_people ${IN_RANGE} ORDER BY day, report, line`;
const PEOPLE_OF_DAY = `SELECT day, person FROM report_people ${OF_DAY}`;

export function* readReportedUsage(
  { names }: SqlContext,
  connectionId: string,
  { start, end }: Period,
): SqlSteps<StoredDay<ReportedUsage>[]> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return [];
  const rows = lists(yield askLists(USAGE, [connection, start, end]));
  const nameOf = yield* names.textsIn(rows, NAMED);
  return groupByDay(rows, (row) => toReportedUsage(row, nameOf));
}

export function* readReportedPeople(
  { names }: SqlContext,
  connectionId: string,
  { start, end }: Period,
): SqlSteps<StoredDay<ReportedPerson>[]> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return [];
  return groupByDay(lists(yield askLists(PEOPLE, [connection, start, end])), toReportedPerson);
}

export function* readPeopleOfDay(place: ReportDayPlace): SqlSteps<ReportedPerson[]> {
  return lists(yield askLists(PEOPLE_OF_DAY, place)).map(toReportedPerson);
}

function groupByDay<Row>(
  rows: readonly (readonly unknown[])[],
  read: (row: readonly unknown[]) => Row,
): StoredDay<Row>[] {
  const byDay = Map.groupBy(rows, (row) => numberAt(row, 0));
  return Array.from(byDay, ([day, found]) => ({ day, rows: found.map(read) }));
}

function toReportedUsage(row: readonly unknown[], nameOf: TextOf): ReportedUsage {
  const [, key, model, project, tier, context, geo, speed] = row;
  return {
    key: nameOf(key),
    model: nameOf(model),
    project: nameOf(project),
    tier: nameOf(tier),
    context: nameOf(context),
    geo: nameOf(geo),
    speed: nameOf(speed),
    amounts: readAmounts(row, FIRST_AMOUNT, row[FIRST_RARE]),
    requests: row[FIRST_RARE + 1] === null ? null : numberAt(row, FIRST_RARE + 1),
  };
}

function toReportedPerson(row: readonly unknown[]): ReportedPerson {
  return JSON.parse(String(row[1])) as ReportedPerson;
}
