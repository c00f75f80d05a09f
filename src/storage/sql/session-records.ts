import { addTotals, emptySum, sumTotals, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import { LOCAL_SOURCES, type LocalSource } from '../../domain/sessions/local-call.ts';
import type { SessionRecord } from '../../domain/sessions/session-record.ts';
import type { Period } from '../../domain/time/period.ts';
import { storedWord } from '../records/stored-word.ts';
import { NOTHING_UNPROXIED, type UnproxiedRecord, subtractGatewayUse } from '../unproxied-sessions.ts';
import { UNPROXIED_MEASURES } from '../totals.ts';
import { readAssistantUses } from './assistant-uses.ts';
import type { SqlContext } from './entry-table.ts';
import { NO_NAME, type TextOf } from './name-table.ts';
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
import { number, type ResultRow, text, textOrNull } from './result-row.ts';
import { readObservedSums } from './observed-sums.ts';
import { requireRoomForModels } from './session-models.ts';
import { type RecordPlace, readSessionSums, SessionSums } from './session-sums.ts';
import { listMeasures, readTotals } from './totals-row.ts';
import {
  markSessions,
  pruneSessionUse,
  readSessionUses,
  type SessionKey,
  sessionName,
  unmarkSessions,
} from './session-use.ts';
import type { SqlLedger } from './sql-ledger.ts';
import type {
  PricingOf,
  SessionPricing,
  SessionStore,
  SessionSum,
  SessionUpload,
  UploadResult,
} from '../session-store.ts';

/** Maximum sessions with records in memory. */
const SESSIONS_AT_ONCE = 50;

const MEASURES = Object.values(UNPROXIED_MEASURES);
const COLUMNS = ['workspace', 'session', 'source', 'token', 'model', 'at', 'counts', 'price_version', ...MEASURES];
const INSERT: RowInsert = {
  table: 'session_records',
  columns: COLUMNS,
  keyColumns: 0,
  onConflict: '',
  returning: [],
};
/** Changes stored records. As an upsert, a server changes all of them in one statement. */
const UPDATE: RowInsert = {
  table: 'session_records',
  columns: ['id', ...COLUMNS],
  keyColumns: 1,
  onConflict: `ON CONFLICT (id) DO UPDATE SET ${replaceColumns(['price_version', ...MEASURES])}`,
  returning: [],
};
const READ = 'SELECT * FROM session_records WHERE workspace = ? AND session = ?';
const DELETE = 'DELETE FROM session_records WHERE workspace = ? AND session = ? AND source = ? AND model = ?';
const NEXT = 'SELECT workspace, session FROM session_due ORDER BY workspace, session LIMIT ?';
export function sqlSessions(ledger: SqlLedger): SessionStore {
  return {
    upload: (given, pricing) => ledger.write(() => uploadRecords(ledger, given, pricing)),
    async computeMarked(pricingOf, limit) {
      // Nearly always there is nothing to do, and then nothing is written.
      const isMarked = await ledger.read(hasMarkedSessions);
      return isMarked ? await ledger.write(() => computeMarkedSessions(ledger, pricingOf, limit)) : 0;
    },
    markForComputing: (workspaceId, which) => ledger.write(() => markSessions(ledger, workspaceId, which)),
    sums: (workspaceId, range) => ledger.read(() => readAllSums(ledger, workspaceId, range)),
    assistantUses: (workspaceId, query) => ledger.read(() => readAssistantUses(ledger, workspaceId, query)),
    synced: (workspaceId, session) => ledger.read(() => readSynced(ledger, workspaceId, session)),
    pruneUse: (workspaceId, before, limit) => ledger.write(() => pruneSessionUse(ledger, workspaceId, before, limit)),
  };
}

function* readAllSums(context: SqlContext, workspaceId: string, range: Period): SqlSteps<SessionSum[]> {
  const records = yield* readSessionSums(context, workspaceId, range);
  return [...records, ...(yield* readObservedSums(context, workspaceId, range))];
}

/** A record of a session. */
interface RecordRow {
  /** null = it is not stored yet. */
  readonly id: number | null;
  readonly session: string;
  readonly place: RecordPlace;
  readonly source: LocalSource;
  readonly record: SessionRecord;
  /** The rest of the record as JSON. */
  readonly counts: string;
  /** Its usage beyond the calls of its session. */
  readonly unproxied: UnproxiedRecord;
}

/** Records of a session that is computed again. */
interface SessionRows {
  readonly key: SessionKey;
  readonly rows: readonly RecordRow[];
  readonly pricing: SessionPricing;
}

function* uploadRecords(context: SqlContext, given: SessionUpload, pricing: SessionPricing): SqlSteps<UploadResult> {
  const added = yield* toRecordRows(context, given);
  const sessions = [...Map.groupBy(added, ({ session }) => session).values()];
  const sums = new SessionSums();
  const counted = emptySum();
  let replaced = 0;
  for (let from = 0; from < sessions.length; from += SESSIONS_AT_ONCE) {
    const open = yield* openSessions(context, sessions.slice(from, from + SESSIONS_AT_ONCE), pricing);
    for (const { old } of open) {
      yield* deleteRecords(old, sums);
      replaced += old.length;
    }
    addTotals(counted, yield* computeSessions(open, sums));
  }
  yield* sums.write();
  return { sessions: sessions.length, replaced, counted };
}

/** Reads the stored records of sessions. The added ones replace the `old` ones. */
function* openSessions(
  context: SqlContext,
  sessions: readonly (readonly RecordRow[])[],
  pricing: SessionPricing,
): SqlSteps<(SessionRows & { readonly old: readonly RecordRow[] })[]> {
  const keys = sessions.map(commonKey);
  const stored = yield* readRecords(context, keys);
  return sessions.map((added) => {
    const key = commonKey(added);
    const replaced = new Set(added.map(placeName));
    const { old = [], kept = [] } = Object.groupBy(stored.get(sessionName(key)) ?? [], (row) =>
      replaced.has(placeName(row)) ? 'old' : 'kept',
    );
    return { key, rows: [...kept, ...added], old, pricing };
  });
}

function commonKey([row]: readonly RecordRow[]): SessionKey {
  return { workspace: row?.place.workspace ?? NO_NAME, session: row?.session ?? '' };
}

/** Returns a name that is equal for records of one source and model. */
function placeName({ place: { source, model } }: RecordRow): string {
  return `${source} ${model}`;
}

/** Returns the usage of a session's records beyond its calls; null = it has no records. */
function* readSynced(context: SqlContext, workspaceId: string, session: string): SqlSteps<UsageTotals | null> {
  const workspace = yield* context.names.find(workspaceId);
  if (workspace === undefined) return null;
  const stored = yield* readRecords(context, [{ workspace, session }]);
  const records = stored.get(sessionName({ workspace, session })) ?? [];
  return records.length === 0 ? null : sumTotals(records.map(({ unproxied }) => unproxied));
}

function* hasMarkedSessions(): SqlSteps<boolean> {
  const due = yield ask(NEXT, [1]);
  return due.length > 0;
}

/** Computes marked sessions again, in the order of their hashes. */
function* computeMarkedSessions(context: SqlContext, pricingOf: PricingOf, limit: number): SqlSteps<number> {
  const due = yield ask(NEXT, [limit]);
  const keys = due.map((row) => ({ workspace: number(row, 'workspace'), session: text(row, 'session') }));
  const stored = yield* readRecords(context, keys);
  const nameOf = yield* context.names.texts(keys.map(({ workspace }) => workspace));
  const sums = new SessionSums();
  const sessions = keys.map((key) => ({
    key,
    rows: stored.get(sessionName(key)) ?? [],
    pricing: pricingOf(nameOf(key.workspace) ?? ''),
  }));
  yield* computeSessions(sessions, sums);
  yield* sums.write();
  return keys.length;
}

/** Stores the usage of each record beyond the calls of its session. Returns that of records that were added. */
function* computeSessions(sessions: readonly SessionRows[], sums: SessionSums): SqlSteps<UsageTotals> {
  const keys = sessions.map(({ key }) => key);
  const uses = yield* readSessionUses(keys);
  const changed: RecordRow[] = [];
  for (const { key, rows, pricing } of sessions) {
    const computed = subtractGatewayUse(rows, uses.get(sessionName(key)) ?? [], pricing);
    for (const [index, row] of rows.entries()) {
      const unproxied = computed[index] ?? NOTHING_UNPROXIED;
      if (row.id !== null && isSame(row.unproxied, unproxied)) continue;
      sums.add(row.place, row.unproxied.totals, -1);
      sums.add(row.place, unproxied.totals);
      changed.push({ ...row, unproxied });
    }
  }
  const { added = [], stored = [] } = Object.groupBy(changed, ({ id }) => (id === null ? 'added' : 'stored'));
  yield* insertRows(
    UPDATE,
    Array.from(stored, (row) => [row.id, ...recordColumns(row)]),
  );
  yield* insertRows(INSERT, added.map(recordColumns));
  yield* unmarkSessions(keys);
  return sumTotals(added.map(({ unproxied }) => unproxied));
}

function isSame(a: UnproxiedRecord, b: UnproxiedRecord): boolean {
  const measures = listMeasures(b.totals, UNPROXIED_MEASURES);
  return (
    a.priceVersion === b.priceVersion &&
    listMeasures(a.totals, UNPROXIED_MEASURES).every((value, index) => value === measures[index])
  );
}

/** Returns the values of `COLUMNS`. */
function recordColumns({ session, place, counts, unproxied }: RecordRow): SqlValue[] {
  const { workspace, source, token, model, at } = place;
  const measures = listMeasures(unproxied.totals, UNPROXIED_MEASURES);
  return [workspace, session, source, token, model, at, counts, unproxied.priceVersion, ...measures];
}

/** Returns the rows of an upload. Throws if the workspace has no room for their models. */
function* toRecordRows({ names }: SqlContext, given: SessionUpload): SqlSteps<RecordRow[]> {
  const { workspaceId, source, tokenId, records } = given;
  const rows = yield* names.resolve((idOf) => {
    const place = { workspace: idOf(workspaceId), source: idOf(source), token: idOf(tokenId) };
    return records.map((one): RecordRow => {
      const { sessionId: session, timestamp, model: named, ...counts } = one;
      const model = named.toWellFormed();
      return {
        id: null,
        session,
        place: { ...place, model: idOf(model), at: Date.parse(timestamp) },
        source,
        record: { ...one, model },
        counts: JSON.stringify(counts),
        unproxied: NOTHING_UNPROXIED,
      };
    });
  });
  yield* requireRoomForModels(rows.map(({ place }) => place));
  return rows;
}

/** Deletes records of one session. */
function* deleteRecords(old: readonly RecordRow[], sums: SessionSums): SqlSteps<void> {
  for (const { place, unproxied } of old) sums.add(place, unproxied.totals, -1);
  for (const { session, place } of new Map(old.map((row) => [placeName(row), row])).values())
    yield* change(DELETE, [place.workspace, session, place.source, place.model]);
}

/** Reads the records of sessions by `sessionName`, in the order in which they were added. */
function* readRecords({ names }: SqlContext, keys: readonly SessionKey[]): SqlSteps<Map<string, RecordRow[]>> {
  const rows = yield* askEach(
    READ,
    keys.map(({ workspace, session }) => [workspace, session]),
  );
  const nameOf = yield* names.texts(rows.flatMap((row) => [row['source'], row['model']]));
  const sorted = rows.toSorted((a, b) => number(a, 'id') - number(b, 'id'));
  return Map.groupBy(
    sorted.map((row) => toRecordRow(row, nameOf)),
    ({ session, place: { workspace } }) => sessionName({ workspace, session }),
  );
}

function toRecordRow(row: ResultRow, nameOf: TextOf): RecordRow {
  const [session, counts] = [text(row, 'session'), text(row, 'counts')];
  const at = number(row, 'at');
  return {
    id: number(row, 'id'),
    session,
    place: {
      workspace: number(row, 'workspace'),
      source: number(row, 'source'),
      token: number(row, 'token'),
      model: number(row, 'model'),
      at,
    },
    source: storedWord(LOCAL_SOURCES, nameOf(row['source']) ?? ''),
    record: {
      ...(JSON.parse(counts) as Omit<SessionRecord, 'sessionId' | 'model' | 'timestamp'>),
      sessionId: session,
      model: nameOf(row['model']) ?? '',
      timestamp: new Date(at).toISOString(),
    },
    counts,
    unproxied: { totals: readTotals(row, UNPROXIED_MEASURES), priceVersion: textOrNull(row, 'price_version') },
  };
}
