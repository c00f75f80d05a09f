import {
  CALL_OUTCOMES,
  type Entry,
  ENTRY_SOURCES,
  UNCERTAIN_REASONS,
  type UsageSource,
} from '../../domain/usage/call.ts';
import { formatProvenance, parseProvenance } from '../../domain/pricing/provenance.ts';
import type { Adjustment } from '../entry-store.ts';
import { storedWord } from '../records/stored-word.ts';
import type { EntryCorrection, EntrySource, NewEntry } from '../sql/entry-table.ts';
import { OTHER } from '../sql/rollup-caps.ts';
import { number, type ResultRow, text, textOrNull } from '../sql/result-row.ts';
import { type EntryCounts, MEASURES } from '../totals.ts';

/** Source of the rows of corrections, which have a mark like a journal. */
export const CORRECTIONS = 'corrections';

/** Parts of an entry that no query needs as columns. */
type EntryDetail = Pick<
  Entry,
  | 'firstByteMs'
  | 'cost'
  | 'priced'
  | 'errorType'
  | 'hold'
  | 'openWork'
  | 'counted'
  | 'shortenedTo'
  | 'touched'
  | 'usage'
>;

/** Returns the row of a new entry. */
export function toCallRow({ entry, counts, row }: NewEntry, id: number, { journalId, mark }: EntrySource): ResultRow {
  for (const [column, cell] of Object.entries(row)) requireStorable(column, cell);
  return wellFormedColumns({
    ...identity(entry, row.model_text === null ? entry.model : OTHER),
    ...measures(counts),
    correction: 0,
    id,
    journal: journalId,
    position: mark,
    cost_after: entry.cost,
    detail: JSON.stringify(entryDetail(entry)),
  });
}

/** Returns the row of a correction, with the columns of its entry and the differences of its measures. */
export function toCorrectionRow(
  { adjustment, corrected, moved }: EntryCorrection,
  summedModel: string | null,
  position: number,
): ResultRow {
  return wellFormedColumns({
    ...identity(corrected.recorded.entry, summedModel),
    ...measures(moved),
    correction: position,
    id: corrected.id,
    journal: CORRECTIONS,
    position,
    cost_after: adjustment.costAfter,
    detail: JSON.stringify(adjustment),
  });
}

/** Throws for what JSON would leave out or turn into null. */
function requireStorable(column: string, cell: string | number | null | undefined): void {
  if (cell === undefined || (typeof cell === 'number' && !Number.isSafeInteger(cell)))
    throw new RangeError(`The column ${column} can't hold ${cell}.`);
}

/** Half a surrogate pair has no form in UTF-8. */
function wellFormedColumns(row: ResultRow): ResultRow {
  const columns = Object.entries(row);
  return Object.fromEntries(
    columns.map(([name, cell]) => [name, typeof cell === 'string' ? cell.toWellFormed() : cell]),
  );
}

/** Columns that a call and its corrections have in common. */
function identity(entry: Entry, summedModel: string | null): ResultRow {
  const { session, agent, parentAgent, run, requestClass } = entry.context;
  return {
    workspace: entry.workspaceId,
    started_at: entry.startedAt,
    call_id: entry.callId,
    ended_at: entry.endedAt,
    sent: entry.outcome === 'not_sent' ? 0 : 1,
    source: entry.source,
    key: entry.keyId,
    provider: entry.provider,
    operation: entry.operation,
    requested_model: entry.requestedModel,
    model: entry.model,
    summed_model: summedModel,
    stream: entry.stream ? 1 : 0,
    outcome: entry.outcome,
    uncertain_reason: entry.uncertainReason,
    status: entry.status,
    usage_source: entry.usageSource,
    provenance: entry.provenance && formatProvenance(entry.provenance),
    tags: entry.tags,
    session: session ?? entry.sessionHash,
    session_hash: entry.sessionHash,
    agent,
    parent_agent: parentAgent,
    run,
    request_class: requestClass,
    request_id: entry.requestId,
    response_id: entry.responseId,
  };
}

function measures(counts: EntryCounts): ResultRow {
  const names = Object.entries(MEASURES) as [keyof EntryCounts, string][];
  return Object.fromEntries(names.map(([name, column]) => [column, counts[name]]));
}

function entryDetail({ firstByteMs, cost, priced, errorType, ...rest }: Entry): EntryDetail {
  const { hold, counted, shortenedTo, touched, usage, openWork } = rest;
  const ended = { ...(priced && { priced }), ...(errorType !== undefined && { errorType }) };
  const optional = { ...ended, ...(openWork && { openWork }) };
  return { firstByteMs, cost, ...optional, hold, counted, shortenedTo, touched, usage };
}

const USAGE_SOURCES: readonly UsageSource[] = ['reported', 'counted', 'none'];

/** Columns that `fromCallRow` needs. */
export const CALL_COLUMNS = `id, workspace, started_at, call_id, ended_at, source, key, provider, operation, requested_model,
  model, stream, outcome, uncertain_reason, status, usage_source, provenance, tags, session, session_hash, agent,
  parent_agent, run, request_class, request_id, response_id, detail`;

export function fromCallRow(row: ResultRow): Entry {
  const provenance = textOrNull(row, 'provenance');
  const reason = textOrNull(row, 'uncertain_reason');
  return {
    ...(JSON.parse(text(row, 'detail')) as EntryDetail),
    callId: text(row, 'call_id'),
    workspaceId: text(row, 'workspace'),
    keyId: text(row, 'key'),
    provider: text(row, 'provider'),
    operation: text(row, 'operation'),
    requestedModel: textOrNull(row, 'requested_model'),
    stream: row['stream'] === 1,
    tags: row['tags'] as Entry['tags'],
    sessionHash: textOrNull(row, 'session_hash'),
    context: {
      session: textOrNull(row, 'session'),
      agent: textOrNull(row, 'agent'),
      parentAgent: textOrNull(row, 'parent_agent'),
      run: textOrNull(row, 'run'),
      requestClass: textOrNull(row, 'request_class'),
    },
    startedAt: number(row, 'started_at'),
    endedAt: number(row, 'ended_at'),
    outcome: storedWord(CALL_OUTCOMES, text(row, 'outcome')),
    uncertainReason: reason === null ? null : storedWord(UNCERTAIN_REASONS, reason),
    status: number(row, 'status'),
    usageSource: storedWord(USAGE_SOURCES, text(row, 'usage_source')),
    model: textOrNull(row, 'model'),
    provenance: provenance === null ? null : parseProvenance(provenance),
    requestId: textOrNull(row, 'request_id'),
    responseId: textOrNull(row, 'response_id'),
    source: storedWord(ENTRY_SOURCES, text(row, 'source')),
  };
}

export function fromCorrectionRow(row: ResultRow): Adjustment {
  return JSON.parse(text(row, 'detail')) as Adjustment;
}
