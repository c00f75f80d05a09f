import type { CallContext } from '../usage/call-context.ts';
import { type CallName, NO_VALUE } from './limit.ts';

/** Agent of calls that name a session and no agent. */
export const MAIN_AGENT = '(main)';

const NO_NAME: readonly string[] = [NO_VALUE];

type NamedContext = Pick<CallContext, 'session' | 'agent' | 'parentAgent' | 'olderAgents' | 'run'>;

/**
 * Returns the values that a call counts under: its session, its run, or its agent and all agents above it. Calls
 * without the name share `(none)`.
 */
export function eachValues(of: CallName, context: NamedContext): readonly string[] {
  if (of === 'agent') return agentValues(context);
  const name = context[of];
  return name === null ? NO_NAME : [name];
}

function agentValues({ session, agent, parentAgent, olderAgents }: NamedContext): readonly string[] {
  if (agent === null) return session === null ? NO_NAME : [agentValue(session, MAIN_AGENT)];
  const values = [agentValue(session, agent)];
  if (parentAgent !== null) values.push(agentValue(session, parentAgent));
  if (olderAgents) for (const older of olderAgents) values.push(agentValue(session, older));
  return values;
}

/** Returns the value of an agent, whose name means something only within its session. */
export function agentValue(session: string | null, agent: string): string {
  return `${session === null ? NO_VALUE : escapeSlash(session)}/${agent}`;
}

/** Writes a session so that the first slash of a value ends it. */
function escapeSlash(session: string): string {
  return session.includes('/') || session.includes('%')
    ? session.replaceAll('%', '%25').replaceAll('/', '%2F')
    : session;
}
