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

/** Where a limit counts such a call; null = nowhere. */
export function findCounterPlace(limit: Limit, subject: LimitSubject, at: number): CounterPlace | null {
  const value = limit.workspaceId === subject.workspaceId ? valueOf(limit, subject) : null;
  if (value === null) return null;
  const { start } = findWindow(limit, at);
  return { counter: limit.counter, unit: limit.unit, windowStart: start, value };
}

function valueOf({ scope }: Limit, { keyId, provider, model, pricedModel, tags }: LimitSubject): string | null {
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
