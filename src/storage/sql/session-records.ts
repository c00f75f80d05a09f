import { EMPTY_TOTALS, emptySum, addTotals, sumTotals, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import type { SessionRecord } from '../../domain/sessions/session-record.ts';
import { NOTHING_UNPROXIED, type UnproxiedRecord, subtractGatewayUse } from '../unproxied-sessions.ts';
import { UNPROXIED_MEASURES } from '../totals.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import { number, type ResultRow, text } from './result-row.ts';
import { SessionSums } from './session-sums.ts';
import { unproxiedMeasures, readSource, readUnproxiedTotals } from './session-totals-row.ts';
import { unmarkSession, readSessionUses } from './session-use.ts';
import type { PricingOf, SessionPricing, SessionUpload, UploadResult } from '../session-store.ts';

/** Different models that a workspace's records may name. */
const SESSION_MODELS_MAX = 10_000;

const MEASURES = Object.values(UNPROXIED_MEASURES);
const COLUMNS = ['workspace', 'session', 'source', 'token', 'model', 'at', 'counts', 'price_version', ...MEASURES];
const INSERT = `INSERT INTO session_records (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;
const READ = `SELECT r.*, (SELECT text FROM names WHERE id = r.model) AS model_name,
  (SELECT text FROM names WHERE id = r.source) AS source_name
  FROM session_records r WHERE workspace = ? AND session = ? ORDER BY id`;
const DELETE = 'DELETE FROM session_records WHERE id = ?';
const UPDATE = `UPDATE session_records SET price_version = ?, ${MEASURES.map((column) => `${column} = ?`).join(', ')}
  WHERE id = ?`;
const NEXT = `SELECT workspace, (SELECT text FROM names WHERE id = workspace) AS workspace_name, session
  FROM session_due LIMIT ?`;
const KNOWN_MODEL = 'SELECT 1 FROM session_models WHERE workspace = ? AND model = ?';
const COUNT_MODELS = 'SELECT count(*) AS n FROM session_models WHERE workspace = ?';
const ADD_MODEL = 'INSERT INTO session_models (workspace, model) VALUES (?, ?)';

/** A row of `session_records`. */
interface StoredRecord {
  readonly id: number;
  readonly source: LocalSource;
  readonly record: SessionRecord;
  readonly totals: UsageTotals;
  readonly row: ResultRow;
}

export async function uploadRecords(
  ledger: LedgerDatabase,
  given: SessionUpload,
  pricing: SessionPricing,
): Promise<UploadResult> {
  return await ledger.writeNow(() => {
    const { names, connection } = ledger;
    const workspace = names.id(given.workspaceId);
    const sums = new SessionSums();
    let replaced = 0;
    const counted = emptySum();
    const sessions = Map.groupBy(given.records, ({ sessionId }) => sessionId);
    for (const [session, records] of sessions) {
      const models = new Set(records.map(({ model }) => model));
      const old = readRecords(connection, workspace, session).filter(
        ({ source, record }) => source === given.source && models.has(record.model),
      );
      for (const one of old) {
        sums.add(one.row, one.totals, -1);
        connection.statement(DELETE).run(one.id);
      }
      replaced += old.length;
      const added = new Set(records.map((record) => insertRecord(ledger, workspace, given, record)));
      const computed = computeSessionUsage(ledger, workspace, session, pricing, sums);
      for (const [id, { totals }] of computed) if (added.has(id)) addTotals(counted, totals);
    }
    sums.write(connection);
    return { sessions: sessions.size, replaced, counted };
  });
}

/** Returns the usage of a session's records beyond its calls; null = it has no records. */
export function readSynced(
  { names, connection }: LedgerDatabase,
  workspaceId: string,
  session: string,
): UsageTotals | null {
  const workspace = names.find(workspaceId);
  const records = workspace === undefined ? [] : readRecords(connection, workspace, session);
  return records.length === 0 ? null : sumTotals(records);
}

/** Computes marked sessions again, in the order of their hashes. */
export async function computeMarkedSessionUsage(
  ledger: LedgerDatabase,
  pricingOf: PricingOf,
  limit: number,
): Promise<number> {
  const { connection } = ledger;
  // Nearly always there is nothing to do, and then nothing is written.
  if (connection.statement(NEXT).all(1).length === 0) return 0;
  return await ledger.writeNow(() => {
    const due = connection.statement(NEXT).all(limit);
    const sums = new SessionSums();
    for (const row of due) {
      const pricing = pricingOf(text(row, 'workspace_name'));
      computeSessionUsage(ledger, number(row, 'workspace'), text(row, 'session'), pricing, sums);
    }
    sums.write(connection);
    return due.length;
  });
}

/** Stores the usage of each record of a session beyond its calls, and returns it by record number. */
function computeSessionUsage(
  { connection }: LedgerDatabase,
  workspace: number,
  session: string,
  pricing: SessionPricing,
  sums: SessionSums,
): Map<number, UnproxiedRecord> {
  const stored = readRecords(connection, workspace, session);
  const rests = subtractGatewayUse(
    stored,
    stored.length === 0 ? [] : connection.run(readSessionUses(workspace, session)),
    pricing,
  );
  const computed = new Map<number, UnproxiedRecord>();
  for (const [index, { id, totals, row }] of stored.entries()) {
    const rest = rests[index] ?? NOTHING_UNPROXIED;
    computed.set(id, rest);
    if (rest.priceVersion === row['price_version'] && isSame(totals, rest.totals)) continue;
    connection.statement(UPDATE).run(rest.priceVersion, ...unproxiedMeasures(rest.totals), id);
    sums.add(row, totals, -1);
    sums.add(row, rest.totals, 1);
  }
  connection.run(unmarkSession(workspace, session));
  return computed;
}

function insertRecord(
  { connection, names }: LedgerDatabase,
  workspace: number,
  given: SessionUpload,
  record: SessionRecord,
): number {
  const { sessionId, model, timestamp, ...counts } = record;
  const modelId = names.id(model);
  requireRoomForModel(connection, workspace, modelId);
  const { lastInsertRowid } = connection
    .statement(INSERT)
    .run(
      workspace,
      sessionId,
      names.id(given.source),
      names.id(given.tokenId),
      modelId,
      Date.parse(timestamp),
      JSON.stringify(counts),
      null,
      ...unproxiedMeasures(EMPTY_TOTALS),
    );
  return Number(lastInsertRowid);
}

function requireRoomForModel(connection: SqliteConnection, workspace: number, model: number): void {
  if (connection.statement(KNOWN_MODEL).get(workspace, model)) return;
  if (Number(connection.statement(COUNT_MODELS).get(workspace)?.['n']) >= SESSION_MODELS_MAX)
    throw new TollbookError(
      'unprocessable',
      `The records of this workspace name ${SESSION_MODELS_MAX} different models already, and this upload another one.`,
      'model',
    );
  connection.statement(ADD_MODEL).run(workspace, model);
}

function readRecords(connection: SqliteConnection, workspace: number, session: string): StoredRecord[] {
  return connection
    .statement(READ)
    .all(workspace, session)
    .map((row) => ({
      id: number(row, 'id'),
      source: readSource(text(row, 'source_name')),
      record: {
        ...(JSON.parse(text(row, 'counts')) as Omit<SessionRecord, 'sessionId' | 'model' | 'timestamp'>),
        sessionId: session,
        model: text(row, 'model_name'),
        timestamp: new Date(number(row, 'at')).toISOString(),
      },
      totals: readUnproxiedTotals(row),
      row,
    }));
}

function isSame(a: UsageTotals, b: UsageTotals): boolean {
  const others = unproxiedMeasures(b);
  return unproxiedMeasures(a).every((value, index) => BigInt(value) === BigInt(others[index] ?? 0));
}
