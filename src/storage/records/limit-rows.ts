import type { Action, Limit, LimitScope, Raise, UncertainRule, Unit, Window, ZoneChange } from '../../core/limit.ts';
import type { Tables } from './tables.ts';

export type LimitRow = Tables['limits'];

/** `zones` are those of the limit's workspace. */
export function limitView(row: LimitRow, zones: readonly ZoneChange[]): Limit {
  return {
    id: row.id,
    counter: row.counter,
    workspaceId: row.workspace_id,
    scope: JSON.parse(row.scope) as LimitScope,
    unit: row.unit as Unit,
    amount: row.amount,
    raise: row.raise === null ? null : (JSON.parse(row.raise) as Raise),
    window: row.window as Window,
    action: row.action as Action,
    thresholds: JSON.parse(row.thresholds) as number[],
    uncertain: JSON.parse(row.uncertain) as UncertainRule,
    label: row.label,
    zones,
    countsPast: row.counts_past === 1,
  };
}

/** Equal scopes are equal texts: every kind is made with its fields in one order. */
export function scopeText(scope: LimitScope): string {
  switch (scope.kind) {
    case 'workspace':
      return JSON.stringify({ kind: scope.kind });
    case 'key':
      return JSON.stringify({ kind: scope.kind, keyId: scope.keyId });
    case 'provider':
      return JSON.stringify({ kind: scope.kind, provider: scope.provider });
    case 'model':
      return JSON.stringify({ kind: scope.kind, pattern: scope.pattern });
    case 'tag':
      return JSON.stringify({ kind: scope.kind, key: scope.key, value: scope.value });
    case 'each_tag':
      return JSON.stringify({ kind: scope.kind, key: scope.key });
  }
}
