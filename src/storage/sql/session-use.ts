import type { Entry } from '../../domain/usage/call.ts';
import { floor } from '../range-segments.ts';
import { addUsed, sessionUses, type SessionUse, useKey } from '../session-use.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import { number, type ResultRow, text } from './result-row.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

const KEY = ['workspace', 'session', 'start', 'provider', 'model', 'requested', 'speed', 'tier', 'geo', 'step'];
const USED = [
  'input',
  'cache_read',
  'cache_write',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'web_searches',
  'calls',
];
const ADD = `INSERT INTO session_use (${[...KEY, ...USED].join(', ')})
  VALUES (${[...KEY, ...USED].map(() => '?').join(', ')})
  ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${USED.map((one) => `${one} = ${one} + excluded.${one}`).join(', ')}`;
const READ = 'SELECT * FROM session_use WHERE workspace = ? AND session = ?';
const UNSETTLE = `INSERT OR IGNORE INTO session_due
  SELECT workspace, session FROM session_records WHERE workspace = ? AND session = ? LIMIT 1`;
const UNSETTLE_ALL = `INSERT OR IGNORE INTO session_due
  SELECT DISTINCT workspace, session FROM session_records WHERE workspace = ?`;
const REMOVE_DUE_SESSION = 'DELETE FROM session_due WHERE workspace = ? AND session = ?';
const PRUNE = `DELETE FROM session_use WHERE (workspace, session, start, provider, model, requested, speed, tier, geo, step) IN (
  SELECT workspace, session, start, provider, model, requested, speed, tier, geo, step FROM session_use u
  WHERE workspace = ? AND start < ? AND NOT EXISTS (
    SELECT 1 FROM session_records r WHERE r.workspace = u.workspace AND r.session = u.session)
  ORDER BY start LIMIT ?)`;

/** Collects the use of the calls of a batch, by session; most calls have none. */
export class SessionUseBatch {
  readonly #sessions = new Map<string, { workspaceId: string; session: string; uses: Map<string, SessionUse> }>();

  add(entry: Entry): void {
    const { workspaceId, sessionHash } = entry;
    if (sessionHash === null) return;
    for (const use of sessionUses(entry)) {
      const key = JSON.stringify([workspaceId, sessionHash]);
      let session = this.#sessions.get(key);
      if (!session) this.#sessions.set(key, (session = { workspaceId, session: sessionHash, uses: new Map() }));
      const before = session.uses.get(useKey(use));
      session.uses.set(useKey(use), before ? { ...use, used: addUsed(before.used, use.used) } : use);
    }
  }

  write({ connection, names }: LedgerDatabase): void {
    for (const { workspaceId, session, uses } of this.#sessions.values()) {
      const workspace = names.id(workspaceId);
      for (const use of uses.values())
        connection.statement(ADD).run(...sessionUseKey(workspace, session, use), ...usedColumns(use));
      connection.statement(UNSETTLE).run(workspace, session);
    }
  }
}

function sessionUseKey(workspace: number, session: string, use: SessionUse): (string | number)[] {
  const { start, provider, model, requested, speed, tier, geo, step } = use;
  return [workspace, session, start, provider, model, requested, speed, tier, geo, step];
}

function usedColumns({ used }: SessionUse): number[] {
  const { input, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h, output, webSearch, calls } = used;
  return [input, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h, output, webSearch, calls];
}

export function readSessionUses(connection: SqliteConnection, workspace: number, session: string): SessionUse[] {
  return connection.statement(READ).all(workspace, session).map(toSessionUse);
}

function toSessionUse(row: ResultRow): SessionUse {
  return {
    start: number(row, 'start'),
    provider: text(row, 'provider'),
    model: text(row, 'model'),
    requested: text(row, 'requested'),
    speed: text(row, 'speed'),
    tier: text(row, 'tier'),
    geo: text(row, 'geo'),
    step: number(row, 'step'),
    used: {
      input: number(row, 'input'),
      cacheRead: number(row, 'cache_read'),
      cacheWrite: number(row, 'cache_write'),
      cacheWrite5m: number(row, 'cache_write_5m'),
      cacheWrite1h: number(row, 'cache_write_1h'),
      output: number(row, 'output'),
      webSearch: number(row, 'web_searches'),
      calls: number(row, 'calls'),
    },
  };
}

export async function markSessions(
  ledger: LedgerDatabase,
  workspaceId: string,
  which: 'all' | 'unpriced',
): Promise<void> {
  const sql = which === 'all' ? UNSETTLE_ALL : `${UNSETTLE_ALL} AND unpriced_calls + unpriced_uses > 0`;
  await ledger.write(() => void ledger.connection.statement(sql).run(ledger.names.id(workspaceId)));
}

export function unmarkSession(connection: SqliteConnection, workspace: number, session: string): void {
  connection.statement(REMOVE_DUE_SESSION).run(workspace, session);
}

export async function pruneSessionUse(
  ledger: LedgerDatabase,
  workspaceId: string,
  before: number,
  limit: number,
): Promise<number> {
  return await ledger.write(() => {
    const pruned = ledger.connection.statement(PRUNE).run(ledger.names.id(workspaceId), floor(before, HOUR_MS), limit);
    return Number(pruned.changes);
  });
}
