import { floor } from '../range-segments.ts';
import type { SqlContext } from './entry-table.ts';
import { ask, type SqlSteps } from './steps.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { ResultRow } from './result-row.ts';
import type { KeySeen } from '../usage-queries.ts';

const DAYS = `SELECT min(start) AS first, max(start) AS last FROM key_day
  WHERE workspace = :workspace AND start >= :from AND key = :key`;
const HOURS = `SELECT min(start) AS first, max(start) AS last FROM key_hour
  WHERE workspace = :workspace AND start >= :from AND start < :until AND key = :key`;

type QueryParameters = Record<string, number>;

/** Finds the first and last call by day, then hour, then entry. Where entries were pruned, it returns the hour. */
export function* readKeySeen(
  context: SqlContext,
  workspaceId: string,
  keyId: string,
  since: number,
): SqlSteps<KeySeen | null> {
  const { names } = context;
  const [workspace, key] = [yield* names.find(workspaceId), yield* names.find(keyId)];
  if (workspace === undefined || key === undefined) return null;
  const bounds = function* (sql: string, times: QueryParameters): SqlSteps<ResultRow> {
    const [row] = yield ask(sql, { workspace, key, ...times });
    return row ?? {};
  };
  const days = yield* bounds(DAYS, { from: floor(since, DAY_MS) });
  if (days['first'] === null || days['first'] === undefined) return null;
  const edge = function* (day: number, side: 'first' | 'last'): SqlSteps<number> {
    const hours = yield* bounds(HOURS, { from: day, until: day + DAY_MS });
    const hour = Number(hours[side] ?? day);
    const within = { start: hour, end: hour + HOUR_MS };
    const calls = yield* context.entries.keyBounds(context, workspaceId, keyId, within);
    return calls[side] ?? hour;
  };
  return { firstAt: yield* edge(Number(days['first']), 'first'), lastAt: yield* edge(Number(days['last']), 'last') };
}
