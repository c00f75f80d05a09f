import { perDialect } from './dialect.ts';
import type { SqlContext } from './entry-table.ts';
import { text } from './result-row.ts';
import { ask, type SqlSteps } from './steps.ts';

const PREFIX_INDEXED = 8;
const NEXT = perDialect((dialect) => {
  const session = 'coalesce(session_name, session_hash)';
  /** The part of it that the index `entries_session` has. */
  const indexed = `substr(${session}, 1, 8) || ${dialect.ending(session, 8)}`;
  return `SELECT ${indexed} AS indexed, ${session} AS session FROM entries
    WHERE workspace = :workspace AND ${session} IS NOT NULL AND ${indexed} >= :from AND ${indexed} < :end
    ORDER BY ${indexed} LIMIT 1`;
});

/** Sessions that share the indexed part of the prefix and are looked at. */
const LOOKED_AT_MAX = 1_000;
/** Names have no control characters, so no session lies between a text and the text with the first of them … */
const JUST_ABOVE = '\u0001';
/** … and all that begin with a text lie below the text with the last character there is. */
const ABOVE_ALL = '\u{10FFFF}';

/** Returns sessions whose names begin with a text, in one index step each. */
export function* listSessionsBeginning(
  { names, dialect }: SqlContext,
  workspaceId: string,
  prefix: string,
  limit: number,
): SqlSteps<string[]> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return [];
  const begin = Array.from(prefix).slice(0, PREFIX_INDEXED).join('');
  const found: string[] = [];
  let from = begin;
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX && found.length < limit; lookedAt += 1) {
    const [row] = yield ask(NEXT(dialect), { workspace, from, end: begin + ABOVE_ALL });
    if (!row) break;
    const session = text(row, 'session');
    if (session.startsWith(prefix)) found.push(session);
    from = text(row, 'indexed') + JUST_ABOVE;
  }
  return found;
}
