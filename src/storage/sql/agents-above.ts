import { perDialect } from './dialect.ts';
import { SESSION, type SqlContext } from './entry-reader.ts';
import { ask, type SqlSteps } from './steps.ts';
import { textOrNull } from './result-row.ts';

const PARENT = perDialect(
  (dialect) => `SELECT e.parent_agent FROM entries e
    WHERE e.workspace = :workspace AND ${SESSION(dialect).condition} AND e.agent = :agent AND e.parent_agent IS NOT NULL
    ORDER BY e.started_at LIMIT 1`,
);

export function* listAgentsAbove(
  { names, dialect }: SqlContext,
  workspaceId: string,
  session: string,
  agent: string,
  limit: number,
): SqlSteps<string[]> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return [];
  const above: string[] = [];
  for (let child = agent; above.length < limit;) {
    const [row] = yield ask(PARENT(dialect), { workspace, session, agent: child });
    const parent = row ? textOrNull(row, 'parent_agent') : null;
    if (parent === null || parent === agent || above.includes(parent)) break;
    above.push(parent);
    child = parent;
  }
  return above;
}
