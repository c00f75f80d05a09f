import type { Entry } from '../../domain/usage/call.ts';
import { floor } from '../range-segments.ts';
import { addUsed, sessionUses, type SessionUse, useKey } from '../session-use.ts';
import type { SqlContext } from './entry-table.ts';
import { NO_NAME } from './name-table.ts';
import { addColumns, askEach, change, insertRows, type RowInsert, type SqlSteps } from './steps.ts';
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
const ADD: RowInsert = {
  table: 'session_use',
  columns: [...KEY, ...USED],
  keyColumns: KEY.length,
  onConflict: `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${addColumns('session_use', USED)}`,
  returning: [],
};
const READ = 'SELECT * FROM session_use WHERE workspace = ? AND session = ?';
const HAS_RECORDS = 'SELECT workspace, session FROM session_records WHERE workspace = ? AND session = ? LIMIT 1';
const UNSETTLE: RowInsert = {
  table: 'session_due',
  columns: ['workspace', 'session'],
  keyColumns: 2,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: [],
};
const markRecorded = (condition = ''): string => `INSERT INTO session_due (workspace, session)
  SELECT DISTINCT workspace, session FROM session_records WHERE workspace = ? ${condition} ON CONFLICT DO NOTHING`;
const MARK = { all: markRecorded(), unpriced: markRecorded('AND unpriced_calls + unpriced_uses > 0') };
const DUE_SESSION = 'SELECT workspace, session FROM session_due WHERE workspace = ? AND session = ?';
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
    if (sessionHash !== null) this.addUses(workspaceId, sessionHash, sessionUses(entry));
  }

  addUses(workspaceId: string, sessionHash: string, uses: readonly SessionUse[]): void {
    for (const use of uses) {
      const key = JSON.stringify([workspaceId, sessionHash]);
      let session = this.#sessions.get(key);
      if (!session) this.#sessions.set(key, (session = { workspaceId, session: sessionHash, uses: new Map() }));
      const before = session.uses.get(useKey(use));
      session.uses.set(useKey(use), before ? { ...use, used: addUsed(before.used, use.used) } : use);
    }
  }

  *write({ names }: SqlContext): SqlSteps<void> {
    const sessions = [...this.#sessions.values()];
    if (sessions.length === 0) return;
    const ids = yield* names.ids(new Set(sessions.map(({ workspaceId }) => workspaceId)));
    const rows = sessions.flatMap(({ workspaceId, session, uses }) =>
      Array.from(uses.values(), (use) => [
        ...sessionUseKey(ids.get(workspaceId) ?? NO_NAME, session, use),
        ...usedColumns(use),
      ]),
    );
    yield* insertRows(ADD, rows);
    const places = sessions.map(({ workspaceId, session }) => [ids.get(workspaceId) ?? NO_NAME, session]);
    yield* unsettle(yield* askEach(HAS_RECORDS, places));
  }
}

function* unsettle(sessions: readonly ResultRow[]): SqlSteps<void> {
  yield* insertRows(
    UNSETTLE,
    sessions.map((row) => listKey(toSessionKey(row))),
  );
}

function sessionUseKey(workspace: number, session: string, use: SessionUse): (string | number)[] {
  const { start, provider, model, requested, speed, tier, geo, step } = use;
  return [workspace, session, start, provider, model, requested, speed, tier, geo, step];
}

function usedColumns({ used }: SessionUse): number[] {
  const { input, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h, output, webSearch, calls } = used;
  return [input, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h, output, webSearch, calls];
}

/** A session of assistants that has records or calls. */
export interface SessionKey {
  /** Number of the workspace. */
  readonly workspace: number;
  readonly session: string;
}

export function sessionName({ workspace, session }: SessionKey): string {
  return `${workspace} ${session}`;
}

function toSessionKey(row: ResultRow): SessionKey {
  return { workspace: number(row, 'workspace'), session: text(row, 'session') };
}

function listKey({ workspace, session }: SessionKey): [number, string] {
  return [workspace, session];
}

/** Reads what calls of sessions used, by `sessionName`. */
export function* readSessionUses(keys: readonly SessionKey[]): SqlSteps<Map<string, SessionUse[]>> {
  const uses = new Map<string, SessionUse[]>();
  for (const row of yield* askEach(READ, keys.map(listKey))) {
    const name = sessionName(toSessionKey(row));
    const known = uses.get(name);
    if (known) known.push(toSessionUse(row));
    else uses.set(name, [toSessionUse(row)]);
  }
  return uses;
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

export function* markSessions({ names }: SqlContext, workspaceId: string, which: 'all' | 'unpriced'): SqlSteps<void> {
  yield* change(MARK[which], [yield* names.id(workspaceId)]);
}

/** Unmarks sessions. Few uploaded sessions are marked. */
export function* unmarkSessions(keys: readonly SessionKey[]): SqlSteps<void> {
  const marked = yield* askEach(DUE_SESSION, keys.map(listKey));
  for (const row of marked) yield* change(REMOVE_DUE_SESSION, listKey(toSessionKey(row)));
}

export function* pruneSessionUse(
  { names }: SqlContext,
  workspaceId: string,
  before: number,
  limit: number,
): SqlSteps<number> {
  return yield* change(PRUNE, [yield* names.id(workspaceId), floor(before, HOUR_MS), limit]);
}
