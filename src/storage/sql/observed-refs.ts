import type { Entry } from '../../domain/usage/call.ts';
import { gatewayRefs, observedRefs } from '../../domain/observed/join-calls.ts';
import type { SqlContext } from './entry-table.ts';
import { type ObservedRow, toObservedRows } from './observed-rows.ts';
import { number } from './result-row.ts';
import { ask, askEach, insertRows, type RowInsert, type SqlSteps, type SqlValue } from './steps.ts';

/** Observations with one common id that are read. More can't be one call. */
const SAME_REF_MAX = 100;
/** Rounds in which further reports are looked for. Each adds reports with an id of those found before. */
const ROUNDS_MAX = 10;

const INSERT_REFS: RowInsert = {
  table: 'observed_refs',
  columns: ['workspace', 'ref', 'observed'],
  keyColumns: 3,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: [],
};
const MARK: RowInsert = {
  table: 'observed_due',
  columns: ['workspace', 'observed'],
  keyColumns: 2,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: [],
};
const HAS_CALLS = 'SELECT 1 AS found FROM observed_refs WHERE workspace = ? LIMIT 1';
const FIND = `SELECT workspace, observed FROM observed_refs WHERE workspace = ? AND ref = ? LIMIT ${SAME_REF_MAX}`;
const READ = 'SELECT * FROM observed_calls WHERE id = ?';

export function* insertRefs(rows: readonly Pick<ObservedRow, 'id' | 'workspace' | 'call'>[]): SqlSteps<void> {
  yield* insertRows(
    INSERT_REFS,
    rows.flatMap(({ id, workspace, call }) => observedRefs(call).map((ref) => [workspace, ref, id])),
  );
}

/** Marks observed calls that may be calls of a batch. Returns how many. */
export function* markObserved({ names }: SqlContext, entries: readonly Entry[]): SqlSteps<number> {
  const places: SqlValue[][] = [];
  for (const [workspaceId, own] of Map.groupBy(entries, (entry) => entry.workspaceId)) {
    const workspace = yield* names.id(workspaceId);
    const [known] = yield ask(HAS_CALLS, [workspace]);
    if (known) places.push(...own.flatMap((entry) => gatewayRefs(entry).map((ref) => [workspace, ref])));
  }
  const found = yield* askEach(FIND, places);
  yield* insertRows(
    MARK,
    found.map((row) => [number(row, 'workspace'), number(row, 'observed')]),
  );
  return found.length;
}

/** Observed calls of one workspace, and gateway calls that they may be. */
export interface JoinedSet {
  readonly observed: readonly ObservedRow[];
  readonly gateway: readonly Entry[];
}

/** Reads calls with all reports that have an id in common with them, directly or through others. */
export function* readRelated(context: SqlContext, workspace: number, ids: readonly number[]): SqlSteps<JoinedSet> {
  const observed = new Map<number, ObservedRow>();
  const gateway = new Map<string, Entry>();
  let next: readonly number[] = ids;
  for (let round = 0; round < ROUNDS_MAX && next.length > 0; round += 1) {
    const rows = yield* askEach(
      READ,
      next.map((id) => [id]),
    );
    const added = (yield* toObservedRows(context, rows)).filter((row) => row.workspace === workspace);
    for (const row of added) observed.set(row.id, row);
    const entries = yield* readGatewayCalls(context, workspace, added);
    const addedEntries = entries.filter(({ callId }) => !gateway.has(callId));
    for (const entry of addedEntries) gateway.set(entry.callId, entry);
    const refs = new Set([...added.flatMap(({ call }) => observedRefs(call)), ...addedEntries.flatMap(gatewayRefs)]);
    const found = yield* askEach(
      FIND,
      Array.from(refs, (ref) => [workspace, ref]),
    );
    next = [...new Set(found.map((row) => number(row, 'observed')))].filter((id) => !observed.has(id));
  }
  return { observed: [...observed.values()], gateway: [...gateway.values()] };
}

/** Reads gateway calls that have an id of these calls, or belong to the session of a call without ids. */
function* readGatewayCalls(
  context: SqlContext,
  workspace: number,
  rows: readonly ObservedRow[],
): SqlSteps<readonly Entry[]> {
  const refs = new Set(rows.flatMap(({ call }) => observedRefs(call)));
  const found = yield* context.entries.observed(
    context,
    workspace,
    rows.map(({ call }) => call),
  );
  return found.filter((entry) => gatewayRefs(entry).some((ref) => refs.has(ref)));
}
