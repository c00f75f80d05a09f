import type { CallContext } from '../usage/call-context.ts';
import { type CallName, NO_VALUE, OTHER_VALUE } from './limit.ts';

/** Agent of calls that name a session and no agent. */
const MAIN_AGENT = '(main)';

const NO_NAME: readonly string[] = [NO_VALUE];
/** Values that Tollbook itself counts under. A client's name that reads the same is escaped. */
const OWN_VALUES: readonly string[] = [NO_VALUE, OTHER_VALUE, MAIN_AGENT];

type NamedContext = Pick<CallContext, 'session' | 'agent' | 'parentAgent' | 'olderAgents' | 'run'>;

/**
 * Returns the values that a call counts under: its session, its run, or its agent and all agents above it. Calls
 * without the name share `(none)`.
 */
export function eachValues(of: CallName, context: NamedContext): readonly string[] {
  if (of === 'agent') return agentValues(context);
  const name = context[of];
  return name === null ? NO_NAME : [escapeOwn(name)];
}

function agentValues({ session, agent, parentAgent, olderAgents }: NamedContext): readonly string[] {
  if (agent === null) return session === null ? NO_NAME : [`${sessionPart(session)}/${MAIN_AGENT}`];
  const values = [agentValue(session, agent)];
  if (parentAgent !== null) values.push(agentValue(session, parentAgent));
  if (olderAgents) for (const older of olderAgents) values.push(agentValue(session, older));
  return values;
}

/** Returns the value of an agent, whose name means something only within its session. */
export function agentValue(session: string | null, agent: string): string {
  return `${sessionPart(session)}/${escapeOwn(agent)}`;
}

/** Writes a session so that the first slash of a value ends it. */
function sessionPart(session: string | null): string {
  if (session === null) return NO_VALUE;
  return session.includes('/') || session.includes('%')
    ? session.replaceAll('%', '%25').replaceAll('/', '%2F')
    : escapeOwn(session);
}

/** Writes a name so that it differs from the values that Tollbook itself counts under, and from all other names. */
function escapeOwn(name: string): string {
  if (OWN_VALUES.includes(name)) return `%28${name.slice(1)}`;
  return name.startsWith('%') ? `%25${name.slice(1)}` : name;
}

/** Names behind a value of a limit on each session, agent or run; null = calls without the name. */
export interface NamedValue {
  readonly session: string | null;
  /** null = the main agent, unless the session is null too. */
  readonly agent: string | null;
  readonly run: string | null;
}

/** Returns the names that clients gave, from the value that calls with them count under. */
export function readEachValue(of: CallName, value: string): NamedValue {
  const none = { session: null, agent: null, run: null };
  if (of !== 'agent') return { ...none, [of]: unescapeOwn(value) };
  const slash = value.indexOf('/');
  if (slash < 0) return { ...none, session: unescapeSession(value) };
  return { ...none, session: unescapeSession(value.slice(0, slash)), agent: unescapeOwn(value.slice(slash + 1)) };
}

function unescapeSession(part: string): string | null {
  const name = unescapeOwn(part);
  return name === part ? part.replaceAll('%2F', '/').replaceAll('%25', '%') : name;
}

function unescapeOwn(written: string): string | null {
  if (OWN_VALUES.includes(written)) return null;
  if (written.startsWith('%28') && OWN_VALUES.includes(`(${written.slice(3)}`)) return `(${written.slice(3)}`;
  return written.startsWith('%25') ? `%${written.slice(3)}` : written;
}
