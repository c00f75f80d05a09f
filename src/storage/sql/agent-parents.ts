import type { AgentParents } from '../../domain/usage/call-context.ts';
import type { AgentParentsQuery } from '../counter-store.ts';
import { type Dialect, perDialect } from './dialect.ts';
import type { SqlContext } from './entry-table.ts';
import { textOrNull } from './result-row.ts';
import { ask, type SqlSteps } from './steps.ts';

/** Looks up one parent after another, because an agent may have many calls. */
export const NEXT_PARENT: (dialect: Dialect) => string = perDialect((dialect) => {
  const session = "coalesce(session_name, session_hash, '')";
  /** In the form of the index `entries_agent`. */
  const indexed = (text: string): string => `substr(${text}, 1, 8) || ${dialect.ending(text, 8)}`;
  return `SELECT parent_agent FROM entries
    WHERE workspace = :workspace AND key = :key AND ${indexed(session)} = ${indexed(':session')}
      AND agent = :agent AND parent_agent > :after AND parent_agent IS NOT NULL AND ${session} = :session
    ORDER BY parent_agent LIMIT 1`;
});

/** Reads the parents of agents, and those of the agents above them. */
export function* readAgentParents(context: SqlContext, query: AgentParentsQuery): SqlSteps<AgentParents[]> {
  const { agents, agentsMax } = query;
  const line = [...agents];
  const found: AgentParents[] = [];
  for (const agent of line) {
    if (found.length >= agentsMax) break;
    const parents = yield* context.entries.parents(context, query, agent);
    found.push({ agent, parents });
    for (const parent of parents) if (!line.includes(parent)) line.push(parent);
  }
  return found;
}

/** Reads the parents of one agent, in order of name. */
export function* readParents(
  { names, dialect }: SqlContext,
  { workspaceId, keyId, session, parentsMax }: Omit<AgentParentsQuery, 'agents' | 'agentsMax'>,
  agent: string,
): SqlSteps<string[]> {
  const [workspace, key] = [yield* names.find(workspaceId), yield* names.find(keyId)];
  const parents: string[] = [];
  if (workspace === undefined || key === undefined) return parents;
  for (let after = ''; parents.length < parentsMax;) {
    const [row] = yield ask(NEXT_PARENT(dialect), { workspace, key, session: session ?? '', agent, after });
    const parent = row ? textOrNull(row, 'parent_agent') : null;
    if (parent === null) break;
    parents.push(parent);
    after = parent;
  }
  return parents;
}
