import { joinCalls, type JoinStanding } from '../../domain/observed/join-calls.ts';
import { isSessionSent, type ObservedCall } from '../../domain/observed/observed-call.ts';
import { priceObserved } from '../../domain/observed/price-observed.ts';
import { formatCursor, parseCursor } from '../cursor.ts';
import type {
  ObservedAdjustment,
  ObservedQuery,
  ObservedStore,
  ObservationBatch,
  ObserveResult,
} from '../observed-store.ts';
import { callUses, negateUsed, type SessionUse } from '../session-use.ts';
import type { PricingOf, SessionPricing } from '../session-store.ts';
import type { RecordedObservation } from '../observed-store.ts';
import type { SqlContext } from './entry-table.ts';
import { NO_NAME, type IdOf } from './name-table.ts';
import {
  INSERT_OBSERVED,
  newObservedColumns,
  type ObservedRow,
  standingColumns,
  toObservedRows,
  toRecordedObservations,
  UPDATE_OBSERVED,
} from './observed-rows.ts';
import { insertRefs, readRelated } from './observed-refs.ts';
import { ObservedSums, readCountedSums, sumObservedByTag } from './observed-sums.ts';
import { number, text } from './result-row.ts';
import { requireRoomForModels } from './session-models.ts';
import { SessionUseBatch } from './session-use.ts';
import type { SqlLedger } from './sql-ledger.ts';
import { ask, askEach, change, insertRows, type RowInsert, type SqlSteps } from './steps.ts';

const READ_NEW = 'SELECT * FROM observed_calls WHERE id = ?';
const NEXT = 'SELECT workspace, observed FROM observed_due ORDER BY workspace, observed LIMIT ?';
const UNMARK = 'DELETE FROM observed_due WHERE workspace = ? AND observed = ?';
const MARK_UNPRICED = `INSERT INTO observed_due (workspace, observed)
  SELECT workspace, id FROM observed_calls WHERE workspace = ? AND cost IS NULL ON CONFLICT DO NOTHING`;
const ADJUST: RowInsert = {
  table: 'observed_adjustments',
  columns: ['observed', 'recorded_at', 'cost_before', 'cost_after', 'reason'],
  keyColumns: 0,
  onConflict: '',
  returning: [],
};
const OF_CALL = 'SELECT * FROM observed_calls WHERE workspace = ? AND figures_of = ?';
const OLD = `SELECT id FROM observed_calls o WHERE workspace = ? AND started_at < ? AND NOT EXISTS (
    SELECT 1 FROM session_records r WHERE r.workspace = o.workspace AND r.session = o.session)
  ORDER BY started_at LIMIT ?`;
const DELETES = [
  'DELETE FROM observed_refs WHERE observed = ?',
  'DELETE FROM observed_adjustments WHERE observed = ?',
  'DELETE FROM observed_calls WHERE id = ?',
];

export function sqlObservedCalls(ledger: SqlLedger): ObservedStore {
  return {
    observe: (observation, pricingOf) => ledger.write(() => storeObservation(ledger, observation, pricingOf)),
    async joinMarked(pricingOf, at, limit) {
      // Nearly always there is nothing to do, and then nothing is written.
      const [due] = await ledger.read(() => listDue(1));
      return due ? await ledger.write(() => joinMarked(ledger, pricingOf, at, limit)) : 0;
    },
    markUnpriced: (workspaceId) => ledger.write(() => markUnpriced(ledger, workspaceId)),
    page: (workspaceId, query) => ledger.read(() => readObservedPage(ledger, workspaceId, query)),
    ofCalls: (workspaceId, callIds) => ledger.read(() => readOfCalls(ledger, workspaceId, callIds)),
    countedSums: (workspaceId, range, tag) => ledger.read(() => readCountedSums(ledger, workspaceId, range, tag)),
    byTag: (workspaceId, tagKey, range) => ledger.read(() => sumObservedByTag(ledger, workspaceId, tagKey, range)),
    prune: (workspaceId, before, limit) => ledger.write(() => pruneObserved(ledger, workspaceId, before, limit)),
  };
}

function* storeObservation(
  context: SqlContext,
  observation: ObservationBatch,
  pricingOf: PricingOf,
): SqlSteps<ObserveResult> {
  const { workspaceId, calls, at } = observation;
  const pricing = pricingOf(workspaceId);
  const priced = calls.map((call) => {
    const { usage, ...cost } = price(call, pricing);
    return { call: { ...call, usage }, cost };
  });
  const rows = yield* context.names.resolve((idOf) =>
    priced.map(({ call, cost }) => newObservedColumns(call, cost, observation, idOf)),
  );
  const workspace = yield* context.names.id(workspaceId);
  const models = yield* context.names.ids(new Set(calls.map(({ model }) => model)));
  yield* requireRoomForModels(Array.from(models.values(), (model) => ({ workspace, model })));
  const stored = yield* insertRows(INSERT_OBSERVED, rows);
  const ids = stored.map((row) => number(row, 'id'));
  const added = yield* toObservedRows(
    context,
    yield* askEach(
      READ_NEW,
      ids.map((id) => [id]),
    ),
  );
  yield* insertRefs(added);
  yield* joinAgain(context, { workspaceId, workspace, ids, pricing, at });
  return { stored: ids.length, known: calls.length - ids.length };
}

function price(call: ObservedCall, { resolve }: SessionPricing): ReturnType<typeof priceObserved> {
  return priceObserved(call, (model) => resolve(call.provider, model, call.startedAt));
}

function* listDue(limit: number): SqlSteps<{ workspace: number; id: number }[]> {
  const rows = yield ask(NEXT, [limit]);
  return rows.map((row) => ({ workspace: number(row, 'workspace'), id: number(row, 'observed') }));
}

function* joinMarked(context: SqlContext, pricingOf: PricingOf, at: number, limit: number): SqlSteps<number> {
  const due = yield* listDue(limit);
  const nameOf = yield* context.names.texts(due.map(({ workspace }) => workspace));
  for (const [workspace, own] of Map.groupBy(due, (one) => one.workspace)) {
    const workspaceId = nameOf(workspace) ?? '';
    const ids = own.map(({ id }) => id);
    yield* joinAgain(context, { workspaceId, workspace, ids, pricing: pricingOf(workspaceId), at });
    for (const id of ids) yield* change(UNMARK, [workspace, id]);
  }
  return due.length;
}

interface JoinWork {
  readonly workspaceId: string;
  readonly workspace: number;
  readonly ids: readonly number[];
  readonly pricing: SessionPricing;
  readonly at: number;
}

/** Joins calls and all that they may be the same as. Only what changed is written. */
function* joinAgain(context: SqlContext, { workspaceId, workspace, ids, pricing, at }: JoinWork): SqlSteps<void> {
  const { observed, gateway } = yield* readRelated(context, workspace, ids);
  const standings = joinCalls(
    observed.map(({ call }) => call),
    gateway,
  );
  const stored = new Set(gateway.map(({ callId }) => callId));
  const changes = observed.flatMap((before) => {
    // Retention deletes calls of the gateway first; what they used stays in the sums.
    if (before.state === 'joined' && !stored.has(before.figuresOf ?? '')) return [];
    const standing = standings.get(before.call.observationId);
    const after = standing && withStanding(withPrice(before, pricing), standing);
    return after && !isUnchanged(before, after) ? [{ before, after }] : [];
  });
  const idOf = yield* nameNumbers(context, changes);
  const [sums, uses] = [new ObservedSums(), new SessionUseBatch()];
  for (const { before, after } of changes) {
    for (const [row, sign] of [[before, -1] as const, [after, 1] as const]) {
      if (row.state === 'counted') sums.add(row, idOf, sign);
      if (row.state === 'counted' || addsSession(row)) addSessionUse(uses, workspaceId, row.call, sign);
    }
    yield* change(UPDATE_OBSERVED, [...standingColumns(after, idOf), after.id]);
  }
  yield* insertRows(
    ADJUST,
    changes.flatMap(({ before, after }) => adjustmentRow(before, after, at)),
  );
  yield* sums.write();
  yield* uses.write(context);
}

interface ObservedChange {
  readonly before: ObservedRow;
  readonly after: ObservedRow;
}

/** Returns the numbers of all names that changed rows have. */
function* nameNumbers({ names }: SqlContext, changes: readonly ObservedChange[]): SqlSteps<IdOf> {
  const texts = changes.flatMap(({ after: { call, state, joinedBy } }) => [
    call.source,
    call.assistant,
    call.tokenId,
    call.provider,
    call.model,
    state,
    joinedBy,
  ]);
  const ids = yield* names.ids(new Set(texts.filter((name) => name !== null)));
  return (name) => (name === null ? NO_NAME : (ids.get(name) ?? NO_NAME));
}

function withPrice(row: ObservedRow, pricing: SessionPricing): ObservedRow {
  if (row.cost !== null) return row;
  const { cost, uncertainUpTo, priceVersion } = price(row.call, pricing);
  return { ...row, cost, uncertainUpTo, priceVersion };
}

function withStanding(row: ObservedRow, standing: JoinStanding): ObservedRow {
  const { state } = standing;
  const figuresOf = state === 'joined' ? standing.callId : state === 'repeated' ? standing.observationId : null;
  const joinedBy = state === 'joined' ? standing.by : null;
  return {
    ...row,
    state,
    figuresOf,
    joinedBy,
    possibleDuplicates: state === 'counted' ? standing.possibleDuplicates : [],
  };
}

function isUnchanged(a: ObservedRow, b: ObservedRow): boolean {
  return (
    a.state === b.state &&
    a.figuresOf === b.figuresOf &&
    a.joinedBy === b.joinedBy &&
    a.cost === b.cost &&
    a.possibleDuplicates.join() === b.possibleDuplicates.join()
  );
}

/** Returns true if telemetry names the session of a gateway call, and the call itself does not. At most one such report fits a call. */
function addsSession({ state, joinedBy, call: { assistant } }: ObservedRow): boolean {
  return state === 'joined' && joinedBy === 'usage' && assistant !== null && !isSessionSent(assistant);
}

function negateUse(use: SessionUse): SessionUse {
  return { ...use, used: negateUsed(use.used) };
}

function addSessionUse(uses: SessionUseBatch, workspaceId: string, call: ObservedCall, sign: 1 | -1): void {
  const { session, usage, model } = call;
  if (session === null || !usage) return;
  const own = callUses({ ...call, usage, model, requestedModel: null });
  uses.addUses(workspaceId, session, sign === 1 ? own : own.map(negateUse));
}

/** Returns a row if what the call adds to sums has changed since it was joined for the first time. */
function adjustmentRow(before: ObservedRow, after: ObservedRow, at: number): (string | number | null)[][] {
  const [costBefore, costAfter] = [before, after].map((row) => (row.state === 'counted' ? row.cost : 0));
  const isMoved = before.state !== after.state || costBefore !== costAfter;
  const wasOrIsCounted = before.state === 'counted' || after.state === 'counted';
  if (before.state === 'new' || !isMoved || !wasOrIsCounted) return [];
  return [[after.id, at, costBefore ?? null, costAfter ?? null, adjustmentReason(before, after)]];
}

function adjustmentReason(before: ObservedRow, after: ObservedRow): ObservedAdjustment['reason'] {
  if (after.state === 'joined') return 'gateway';
  if (after.state === 'repeated') return 'repeated';
  return before.state === 'counted' ? 'price' : 'released';
}

function* markUnpriced({ names }: SqlContext, workspaceId: string): SqlSteps<void> {
  yield* change(MARK_UNPRICED, [yield* names.id(workspaceId)]);
}

/** Reads a page, newest first; within one millisecond in reverse order of arrival. */
function* readObservedPage(
  context: SqlContext,
  workspaceId: string,
  { range, cursor, limit, possibleDuplicates = false }: ObservedQuery,
): SqlSteps<{ rows: RecordedObservation[]; next: string | null }> {
  const workspace = yield* context.names.find(workspaceId);
  if (workspace === undefined) return { rows: [], next: null };
  const before = cursor === null ? { startedAt: range.end, id: 0 } : parseCursor(cursor);
  const rows = yield ask(
    `SELECT * FROM observed_calls WHERE workspace = :workspace AND started_at >= :start AND started_at <= :last
      AND (started_at < :last OR id < :id) ${possibleDuplicates ? 'AND possible IS NOT NULL' : ''}
      ORDER BY started_at DESC, id DESC LIMIT :limit`,
    { workspace, start: range.start, last: before.startedAt, id: before.id, limit: limit + 1 },
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next =
    rows.length > page.length && last ? { startedAt: number(last, 'started_at'), id: number(last, 'id') } : null;
  return { rows: yield* toRecordedObservations(context, page), next: next && formatCursor(next) };
}

function* readOfCalls(
  context: SqlContext,
  workspaceId: string,
  callIds: readonly string[],
): SqlSteps<RecordedObservation[]> {
  const workspace = yield* context.names.find(workspaceId);
  if (workspace === undefined) return [];
  const rows = yield* askEach(
    OF_CALL,
    callIds.map((id) => [workspace, id]),
  );
  return yield* toRecordedObservations(
    context,
    rows.toSorted((a, b) => (text(a, 'observation') < text(b, 'observation') ? -1 : 1)),
  );
}

function* pruneObserved({ names }: SqlContext, workspaceId: string, before: number, limit: number): SqlSteps<number> {
  const old = yield ask(OLD, [yield* names.id(workspaceId), before, limit]);
  for (const row of old) for (const sql of DELETES) yield* change(sql, [number(row, 'id')]);
  return old.length;
}
