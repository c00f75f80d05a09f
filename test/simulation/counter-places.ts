import { type Limit, NO_VALUE } from '../../src/domain/limits/limit.ts';
import type { Period } from '../../src/domain/time/period.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import { trueWindow } from './calendar.ts';
import type { CounterPlace } from './true-call.ts';

const windows = new WeakMap<Limit, Period[]>();

export function findWindow(limit: Limit, at: number): Period {
  const known = windows.get(limit) ?? [];
  const found = known.find(({ start, end }) => at >= start && at < end);
  if (found) return found;
  const period = trueWindow(limit.window, at, limit.zones);
  windows.set(limit, [...known, period]);
  return period;
}

/** Where a limit counts such a call: in no place, in one, or in one for each agent above the call's own. */
export function findCounterPlaces(limit: Limit, subject: LimitSubject, at: number): CounterPlace[] {
  if (limit.workspaceId !== subject.workspaceId) return [];
  const { start } = findWindow(limit, at);
  return valuesOf(limit, subject).map((value) => ({
    counter: limit.counter,
    unit: limit.unit,
    windowStart: start,
    value,
  }));
}

function valuesOf(limit: Limit, subject: LimitSubject): string[] {
  const { scope } = limit;
  if (scope.kind !== 'each') {
    const value = valueOf(scope, subject);
    return value === null ? [] : [value];
  }
  if (scope.keyId !== null && scope.keyId !== subject.keyId) return [];
  const { session = null, run = null, agent = null, parentAgent = null, olderAgents = [] } = subject.context ?? {};
  if (scope.of !== 'agent') return [(scope.of === 'run' ? run : session) ?? NO_VALUE];
  if (agent === null) return [session === null ? NO_VALUE : `${session}/(main)`];
  const line = [agent, ...(parentAgent === null ? [] : [parentAgent]), ...olderAgents];
  return line.map((name) => `${session ?? NO_VALUE}/${name}`);
}

type SingleScope = Exclude<Limit['scope'], { kind: 'each' }>;

function valueOf(scope: SingleScope, { keyId, provider, model, pricedModel, tags }: LimitSubject): string | null {
  switch (scope.kind) {
    case 'workspace':
      return '';
    case 'key':
      return scope.keyId === keyId ? '' : null;
    case 'provider':
      return scope.provider === provider ? '' : null;
    case 'model': {
      const pattern = new RegExp(`^${scope.pattern.replaceAll('*', '.*')}$`);
      const bare = model.replace(/^.*\//, '');
      return [model, bare, pricedModel ?? bare].some((name) => pattern.test(name)) ? '' : null;
    }
    case 'tag':
      return tags[scope.key] === scope.value ? '' : null;
    case 'each_tag':
      return tags[scope.key] ?? NO_VALUE;
  }
}
