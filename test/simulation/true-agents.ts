import { countsAgents, type Limit, scopeKeyId } from '../../src/domain/limits/limit.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import type { TrueCall } from './true-call.ts';
import { must } from './violation.ts';

/** The parents of agents, by the agents of one key and session. */
type Parents = ReadonlyMap<string, ReadonlySet<string>>;

/** Which agents are above which, by all that calls have named. */
export class TrueAgents {
  /** Also by calls that were refused, of which only memory knows, for a while. */
  readonly #named = new Map<string, Map<string, Set<string>>>();

  asked(subject: LimitSubject): void {
    const key = scopeKey(subject);
    let parents = this.#named.get(key);
    if (!parents) this.#named.set(key, (parents = new Map<string, Set<string>>()));
    addParent(parents, subject);
  }

  /** The call with all agents that may be above its own. */
  atMost(subject: LimitSubject): LimitSubject {
    if (!subject.context) return subject;
    const line = climb(this.#named.get(scopeKey(subject)) ?? new Map<string, Set<string>>(), subject);
    const olderAgents = line.filter((agent) => agent !== subject.context?.parentAgent);
    return { ...subject, context: { ...subject.context, olderAgents } };
  }

  /**
   * Checks the agents that an admitted call counts under.
   * @param before calls that were admitted before it arrived
   */
  checkAdmitted({ id, subject }: TrueCall, before: readonly TrueCall[], limits: Iterable<Limit>): void {
    const { context } = subject;
    if (!context || context.agent === null) return;
    const isCounted = [...limits].some((limit) => countsAgents(limit) && countsCall(limit, subject));
    const counted = [context.parentAgent, ...(context.olderAgents ?? [])];
    const known = new Map<string, Set<string>>();
    const key = scopeKey(subject);
    for (const call of before)
      if (call.state !== 'gone' && scopeKey(call.subject) === key) addParent(known, call.subject);
    for (const agent of isCounted ? climb(known, subject) : [])
      must(counted.includes(agent), () => `12: ${id} does not count under ${agent}, which is above ${context.agent}`);
    const atMost = climb(this.#named.get(key) ?? new Map<string, Set<string>>(), subject);
    for (const agent of counted)
      must(agent === null || atMost.includes(agent), () => `12: ${id} counts under ${agent}, which nobody named`);
  }
}

function countsCall({ workspaceId, scope }: Limit, subject: LimitSubject): boolean {
  const keyId = scopeKeyId(scope);
  return workspaceId === subject.workspaceId && (keyId === null || keyId === subject.keyId);
}

function addParent(parents: Map<string, Set<string>>, { context }: LimitSubject): void {
  if (!context?.agent || context.parentAgent === null) return;
  parents.set(context.agent, (parents.get(context.agent) ?? new Set()).add(context.parentAgent));
}

/** Returns all agents above a call's own. */
function climb(parents: Parents, { context }: LimitSubject): string[] {
  if (!context?.agent) return [];
  const line = new Set([context.agent]);
  if (context.parentAgent !== null) line.add(context.parentAgent);
  for (const agent of line) for (const parent of parents.get(agent) ?? []) line.add(parent);
  line.delete(context.agent);
  return [...line];
}

function scopeKey({ workspaceId, keyId, context }: LimitSubject): string {
  return `${workspaceId} ${keyId} ${context?.session ?? ''}`;
}
