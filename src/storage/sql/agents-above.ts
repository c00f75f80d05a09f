import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { textOrNull } from './result-row.ts';

/** The session of a call, as in the index `entries_session`. */
const SESSION = 'coalesce(session_name, session_hash)';
const PARENT = `SELECT parent_agent FROM entries
  WHERE workspace = :workspace
    AND substr(${SESSION}, 1, 8) || substr(${SESSION}, -8) = substr(:session, 1, 8) || substr(:session, -8)
    AND ${SESSION} IS NOT NULL AND ${SESSION} = :session AND agent = :agent AND parent_agent IS NOT NULL
  ORDER BY started_at LIMIT 1`;

export function listAgentsAbove(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  workspaceId: string,
  session: string,
  agent: string,
  limit: number,
): string[] {
  const workspace = names.find(workspaceId);
  if (workspace === undefined) return [];
  const above: string[] = [];
  for (let child = agent; above.length < limit;) {
    const row = connection.statement(PARENT).get({ workspace, session, agent: child });
    const parent = row ? textOrNull(row, 'parent_agent') : null;
    if (parent === null || parent === agent || above.includes(parent)) break;
    above.push(parent);
    child = parent;
  }
  return above;
}
