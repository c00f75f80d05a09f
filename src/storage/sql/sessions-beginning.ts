import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { text } from './result-row.ts';

/** The session of a call, and the part of it that the index `entries_session` has. */
const SESSION = 'coalesce(session_name, session_hash)';
const INDEXED = `substr(${SESSION}, 1, 8) || substr(${SESSION}, -8)`;
const PREFIX_INDEXED = 8;
const NEXT = `SELECT ${INDEXED} AS indexed, ${SESSION} AS session FROM entries
  WHERE workspace = :workspace AND ${SESSION} IS NOT NULL AND ${INDEXED} >= :from AND ${INDEXED} < :end
  ORDER BY ${INDEXED} LIMIT 1`;

/** Sessions that share the indexed part of the prefix and are looked at. */
const LOOKED_AT_MAX = 1_000;
/** Names have no control characters, so no session lies between a text and the text with the first of them … */
const JUST_ABOVE = '\u0001';
/** … and all that begin with a text lie below the text with the last character there is. */
const ABOVE_ALL = '\u{10FFFF}';

/** Returns sessions whose names begin with a text, in one index step each. */
export function listSessionsBeginning(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  workspaceId: string,
  prefix: string,
  limit: number,
): string[] {
  const workspace = names.find(workspaceId);
  if (workspace === undefined) return [];
  const begin = Array.from(prefix).slice(0, PREFIX_INDEXED).join('');
  const next = connection.statement(NEXT);
  const found: string[] = [];
  let from = begin;
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX && found.length < limit; lookedAt += 1) {
    const row = next.get({ workspace, from, end: begin + ABOVE_ALL });
    if (!row) break;
    const session = text(row, 'session');
    if (session.startsWith(prefix)) found.push(session);
    from = text(row, 'indexed') + JUST_ABOVE;
  }
  return found;
}
