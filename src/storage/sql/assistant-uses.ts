import { ASSISTANTS, OBSERVED_SOURCES } from '../../domain/observed/observed-call.ts';
import { LOCAL_SOURCES, readSourceModel } from '../../domain/sessions/local-call.ts';
import type { Period } from '../../domain/time/period.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { ceil, floor } from '../range-segments.ts';
import { storedWord } from '../records/stored-word.ts';
import type { AssistantUse, AssistantUseQuery, AssistantUses } from '../session-store.ts';
import { OBSERVED_MEASURES, UNPROXIED_MEASURES } from '../totals.ts';
import { perDialect } from './dialect.ts';
import type { SqlContext } from './entry-table.ts';
import { NO_NAME, type TextOf } from './name-table.ts';
import { type ResultRow, textOrNull } from './result-row.ts';
import { ask, askSums, type SqlSteps } from './steps.ts';
import { readTotals } from './totals-row.ts';

const RECORDS = perDialect((dialect) => {
  const columns = ['at', 'session', 'source', 'token', 'model', ...Object.values(UNPROXIED_MEASURES)];
  const project = `${dialect.tagValue('counts', ':project')} AS project`;
  return perSession(
    (ofSession) => `SELECT ${columns.join(', ')}, ${project} FROM session_records
      WHERE workspace = :workspace AND at >= :start AND at < :end ${ofSession}`,
  );
});

const PARTS = ['source', 'assistant', 'session', 'token', 'provider', 'model'];
const SUMMED = ['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens', 'uncertain_up_to'];
const OBSERVED = perSession((ofSession) => {
  const groups = [...PARTS, `started_at - started_at % ${HOUR_MS}`].join(', ');
  const sums = SUMMED.map((column) => `sum(${column}) AS ${column}`);
  return `SELECT ${PARTS.join(', ')}, min(started_at) AS first_at, max(ended_at) AS last_at, count(*) AS calls,
      sum(coalesce(cost, 0)) AS cost, sum(CASE WHEN cost IS NULL THEN 1 ELSE 0 END) AS unpriced_calls,
      sum(CASE WHEN uncertain_up_to > 0 THEN 1 ELSE 0 END) AS uncertain_calls, ${sums.join(', ')}
    FROM observed_calls WHERE workspace = :workspace AND started_at >= :start AND started_at < :end ${ofSession}
      AND state = :counted AND assistant <> ${NO_NAME}
    GROUP BY ${groups}`;
});

const USED_TIME = `SELECT min(at) AS first, max(at) AS last FROM session_records
    WHERE workspace = :workspace AND at >= :start AND at < :end
  UNION ALL SELECT min(started_at) AS first, max(started_at) AS last FROM observed_calls
    WHERE workspace = :workspace AND started_at >= :start AND started_at < :end`;

/** SQL for all sessions, and for the session `:session`. */
function perSession(build: (ofSession: string) => string): { readonly all: string; readonly one: string } {
  return { all: build(''), one: build('AND session = :session') };
}

/** Reads usage by hour and session, UTC day by UTC day, newest first, until there is too much. */
export function* readAssistantUses(
  context: SqlContext,
  workspaceId: string,
  { range, session, valuesMax }: AssistantUseQuery,
): SqlSteps<AssistantUses> {
  const { names } = context;
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return { uses: [], from: range.start };
  // An hour counts as a whole, at its start.
  const hours = { start: ceil(range.start, HOUR_MS), end: ceil(range.end, HOUR_MS) };
  const { start, end } = yield* readUsedHours(workspace, hours);
  const counted = (yield* names.find('counted')) ?? NO_NAME;
  const rows: StoredUse[] = [];
  const read = (from: number, to: number): SqlSteps<void> =>
    readUsesBetween(
      context,
      { workspace, counted, start: from, end: to, ...(session !== undefined && { session }) },
      rows,
    );
  if (session !== undefined) yield* read(start, end);
  else
    for (let to = end; to > start;) {
      const from = Math.max(start, floor(to - 1, DAY_MS));
      yield* read(from, to);
      to = from;
      if (rows.length >= valuesMax && from > start) return { uses: yield* toUses(context, rows), from };
      yield;
    }
  return { uses: yield* toUses(context, rows), from: range.start };
}

/** Returns the hours of a range from the first use to the last. Without any use, the range is empty. */
function* readUsedHours(workspace: number, { start, end }: Period): SqlSteps<Period> {
  const rows = yield ask(USED_TIME, { workspace, start, end });
  const known = rows.flatMap(({ first, last }) => (first === null ? [] : [Number(first), Number(last)]));
  if (known.length === 0) return { start, end: start };
  return { start: floor(Math.min(...known), HOUR_MS), end: floor(Math.max(...known), HOUR_MS) + HOUR_MS };
}

interface StoredUse {
  readonly kind: 'record' | 'observed';
  readonly row: ResultRow;
}

interface UsePlace {
  readonly workspace: number;
  readonly counted: number;
  readonly start: number;
  readonly end: number;
  readonly session?: string;
}

function* readUsesBetween({ dialect }: SqlContext, place: UsePlace, rows: StoredUse[]): SqlSteps<void> {
  const { counted, ...where } = place;
  const which = place.session === undefined ? 'all' : 'one';
  const add = (kind: StoredUse['kind'], found: readonly ResultRow[]): void => {
    for (const row of found) rows.push({ kind, row });
  };
  add('record', yield askSums(RECORDS(dialect)[which], { ...where, project: 'projectId' }));
  add('observed', yield askSums(OBSERVED[which], { ...where, counted }));
}

/** Columns with numbers of names. */
const NAMED = {
  record: ['source', 'token', 'model'],
  observed: ['source', 'assistant', 'token', 'provider', 'model'],
} as const;

function* toUses({ names }: SqlContext, rows: readonly StoredUse[]): SqlSteps<AssistantUse[]> {
  const textOf = yield* names.texts(rows.flatMap(({ kind, row }) => NAMED[kind].map((column) => row[column])));
  return rows.map(({ kind, row }) => (kind === 'record' ? toRecordUse(row, textOf) : toObservedUse(row, textOf)));
}

function toRecordUse(row: ResultRow, textOf: TextOf): AssistantUse {
  const source = storedWord(LOCAL_SOURCES, textOf(row['source']) ?? '');
  const { provider, name: model } = readSourceModel(source, textOf(row['model']) ?? '');
  const at = Number(row['at']);
  const totals = readTotals(row, UNPROXIED_MEASURES);
  const project = textOrNull(row, 'project');
  return { source, assistant: source, provider, model, project, ...readUsePlace(row, textOf, at, at), totals };
}

function toObservedUse(row: ResultRow, textOf: TextOf): AssistantUse {
  return {
    source: storedWord(OBSERVED_SOURCES, textOf(row['source']) ?? ''),
    assistant: storedWord(ASSISTANTS, textOf(row['assistant']) ?? ''),
    provider: textOf(row['provider']) ?? '',
    model: textOf(row['model']) ?? '',
    project: null,
    ...readUsePlace(row, textOf, Number(row['first_at']), Number(row['last_at'])),
    totals: readTotals(row, OBSERVED_MEASURES),
  };
}

function readUsePlace(
  row: ResultRow,
  textOf: TextOf,
  firstAt: number,
  lastAt: number,
): Pick<AssistantUse, 'hour' | 'session' | 'tokenId' | 'firstAt' | 'lastAt'> {
  const session = textOrNull(row, 'session');
  return { hour: floor(firstAt, HOUR_MS), session, tokenId: textOf(row['token']) ?? '', firstAt, lastAt };
}
