import { eachValues } from '../../domain/limits/each-value.ts';
import { type LimitScope, NO_VALUE } from '../../domain/limits/limit.ts';
import { modelMatcher } from '../backfill.ts';
import { effectiveEntry } from '../effective-entry.ts';
import type { CallHold, CallHolds, CallHoldsQuery } from '../usage-queries.ts';
import type { SqlContext } from './entry-table.ts';
import { ask, askEach, type SqlSteps } from './steps.ts';
import { ENTRY_COLUMNS, readAmounts, readContext } from './entry-rows.ts';
import { toRecordedEntries } from './read-entry.ts';
import { number, type ResultRow, textOrNull } from './result-row.ts';

/** Entries per turn. */
const AT_ONCE = 2_000;
const IN_RANGE = 'e.workspace = :workspace AND e.started_at >= :start AND e.started_at < :end';
const FLOOR = `SELECT e.started_at FROM entries e WHERE ${IN_RANGE} ORDER BY e.started_at DESC LIMIT 1 OFFSET :skip`;
const REST = `${IN_RANGE} AND (e.started_at, e.id) > (:start, :after)`;
const TURN_END = `SELECT e.started_at, e.id FROM entries e WHERE ${REST} ORDER BY e.started_at, e.id
  LIMIT 1 OFFSET ${AT_ONCE - 1}`;
const CORRECTED = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.id = ? AND e.started_at = ?`;

/** Reads the calls of a scope in order of start, in turns of few entries. */
export function* readCallHolds(
  reader: SqlContext,
  workspaceId: string,
  { range, scope, pricedAs, entriesMax }: CallHoldsQuery,
): SqlSteps<CallHolds> {
  const { names } = reader;
  const [workspace, source] = [yield* names.find(workspaceId), yield* names.find('proxy')];
  const condition = yield* scopeCondition(reader, scope);
  if (workspace === undefined || source === undefined || condition === null) return { calls: [], from: range.start };
  const [floor] = yield ask(FLOOR, { workspace, ...range, skip: entriesMax });
  // The oldest millisecond may be incomplete.
  const from = floor ? Math.min(number(floor, 'started_at') + 1, range.end) : range.start;
  const read = `SELECT ${HOLD_COLUMNS}, ${scopeColumn(reader, scope)} AS scope_tag FROM entries e
    WHERE ${REST} AND (e.started_at, e.id) <= (:to, :last) AND e.source = :source AND e.sent = 1 AND ${condition.sql}
    ORDER BY e.started_at, e.id`;
  const matches = scope.kind === 'model' ? modelMatcher(scope.pattern, pricedAs) : null;
  const calls: CallHold[] = [];
  for (let rest = { start: from, after: -1 }; ;) {
    const [end] = yield ask(TURN_END, { workspace, end: range.end, ...rest });
    const to = { to: end ? number(end, 'started_at') : range.end, last: end ? number(end, 'id') : 0 };
    const rows = yield ask(read, { workspace, source, end: range.end, ...rest, ...to, ...condition.parameters });
    for (const call of yield* toCallHolds(reader, rows, scope)) {
      if (matches === null || (call.requestedModel !== null && matches(call.provider, call.requestedModel)))
        calls.push(call);
    }
    if (!end) return { calls, from };
    rest = { start: to.to, after: to.last };
    yield;
  }
}

const HOLD_COLUMNS = `e.id, e.started_at, e.ended_at, e.key, e.provider, e.requested_model, e.requested_model_text,
  e.hold_usd, e.hold_input, e.hold_output, e.counted_usd, e.counted_input, e.counted_output,
  e.session_name, e.session_hash, e.agent, e.parent_agent, e.run, e.request_class,
  CASE WHEN EXISTS (SELECT 1 FROM adjustments a WHERE a.entry = e.id) THEN 1 ELSE 0 END AS is_corrected`;

interface ScopeCondition {
  readonly sql: string;
  readonly parameters: Record<string, string | number>;
}

/** Returns the condition of a scope; null = no entry has that name. */
function* scopeCondition({ names, dialect }: SqlContext, scope: LimitScope): SqlSteps<ScopeCondition | null> {
  const named = function* (column: 'key' | 'provider', name: string): SqlSteps<ScopeCondition | null> {
    const id = yield* names.find(name);
    return id === undefined ? null : { sql: `e.${column} = :name`, parameters: { name: id } };
  };
  switch (scope.kind) {
    case 'key':
      return yield* named('key', scope.keyId);
    case 'provider':
      return yield* named('provider', scope.provider);
    case 'each':
      return scope.keyId === null ? EVERY_CALL : yield* named('key', scope.keyId);
    case 'tag':
      return {
        sql: `${dialect.tagValue('e.tags', ':tag')} = :value`,
        parameters: { tag: scope.key, value: scope.value },
      };
    case 'each_tag':
      return { sql: 'TRUE', parameters: { tag: scope.key } };
    case 'workspace':
    case 'model':
      return EVERY_CALL;
  }
}

const EVERY_CALL: ScopeCondition = { sql: 'TRUE', parameters: {} };

function scopeColumn({ dialect }: SqlContext, { kind }: LimitScope): string {
  return kind === 'each_tag' ? dialect.tagValue('e.tags', ':tag') : 'NULL';
}

function* toCallHolds({ names }: SqlContext, rows: readonly ResultRow[], scope: LimitScope): SqlSteps<CallHold[]> {
  const nameOf = yield* names.texts(rows.flatMap((row) => [row['key'], row['provider'], row['requested_model']]));
  const corrected = yield* readCorrected(rows.filter((row) => row['is_corrected'] === 1));
  return rows.map((row) => ({
    startedAt: number(row, 'started_at'),
    endedAt: number(row, 'ended_at'),
    keyId: nameOf(row['key']) ?? '',
    provider: nameOf(row['provider']) ?? '',
    requestedModel: textOrNull(row, 'requested_model_text') ?? nameOf(row['requested_model']),
    hold: readAmounts(row, 'hold'),
    counted: corrected.get(number(row, 'id')) ?? readAmounts(row, 'counted'),
    values: readValues(row, scope),
  }));
}

/** Returns what corrected entries count, by their number. */
function* readCorrected(rows: readonly ResultRow[]): SqlSteps<Map<number, CallHold['counted']>> {
  const found = yield* askEach(
    CORRECTED,
    rows.map((row) => [number(row, 'id'), number(row, 'started_at')]),
  );
  const recorded = yield* toRecordedEntries(found);
  return new Map(recorded.map((one, index) => [number(found[index] ?? {}, 'id'), effectiveEntry(one).counted]));
}

function readValues(row: ResultRow, scope: LimitScope): readonly string[] {
  if (scope.kind === 'each') return eachValues(scope.of, readContext(row));
  if (scope.kind === 'each_tag') return [textOrNull(row, 'scope_tag') ?? NO_VALUE];
  return ONE_COUNTER;
}

const ONE_COUNTER: readonly string[] = [''];
