import { floor } from '../range-segments.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { KeySeen } from '../usage-queries.ts';

const DAYS = `SELECT min(start) AS first, max(start) AS last FROM key_day
  WHERE workspace = :workspace AND start >= :from AND key = :key`;
const HOURS = `SELECT min(start) AS first, max(start) AS last FROM key_hour
  WHERE workspace = :workspace AND start >= :from AND start < :until AND key = :key`;
const ENTRIES = `SELECT min(started_at) AS first, max(started_at) AS last FROM entries
  WHERE workspace = :workspace AND started_at >= :from AND started_at < :until AND key = :key AND sent = 1`;

type QueryParameters = Record<string, number>;

/** Finds the first and last call by day, then hour, then entry. Where entries were pruned, it returns the hour. */
export function readKeySeen(
  { connection, names }: LedgerDatabase,
  workspaceId: string,
  keyId: string,
  since: number,
): KeySeen | null {
  const [workspace, key] = [names.find(workspaceId), names.find(keyId)];
  if (workspace === undefined || key === undefined) return null;
  const ask = (sql: string, times: QueryParameters) => connection.statement(sql).get({ workspace, key, ...times });
  const days = ask(DAYS, { from: floor(since, DAY_MS) });
  if (days?.['first'] === null || days?.['first'] === undefined) return null;
  const edge = (day: number, side: 'first' | 'last'): number => {
    const hour = Number(ask(HOURS, { from: day, until: day + DAY_MS })?.[side] ?? day);
    return Number(ask(ENTRIES, { from: hour, until: hour + HOUR_MS })?.[side] ?? hour);
  };
  return { firstAt: edge(Number(days['first']), 'first'), lastAt: edge(Number(days['last']), 'last') };
}
