import type {
  LimitAction,
  Limit,
  LimitScope,
  LimitRaise,
  UncertainRule,
  LimitUnit,
  LimitWindow,
  ZoneChange,
} from '../../domain/limits/limit.ts';
import type { RecordTables } from './tables.ts';

export type LimitRow = RecordTables['limits'];

export const KEEP_UNCERTAIN = JSON.stringify('keep' satisfies UncertainRule);

/** Most limits have the same, and there are very many limits. */
let lastThresholds: { readonly text: string; readonly list: readonly number[] } = { text: '[]', list: [] };

function parseThresholds(text: string): readonly number[] {
  lastThresholds = { text, list: JSON.parse(text) as number[] };
  return lastThresholds.list;
}

/**
 * A limit goes by the zone in which it was made; what came before has no window of its own to keep. A change of the same
 * millisecond counts as later: it may be.
 */
function zonesSince(made: number, zones: readonly ZoneChange[]): readonly ZoneChange[] {
  const before = zones.findLastIndex(({ since }) => since < made);
  const first = zones[before];
  return before <= 0 || !first ? zones : [{ ...first, since: 0 }, ...zones.slice(before + 1)];
}

/** `zones` are those of the limit's workspace. */
export function toLimit(row: LimitRow, zones: readonly ZoneChange[]): Limit {
  return {
    id: row.id,
    counter: row.counter,
    workspaceId: row.workspace_id,
    scope: JSON.parse(row.scope) as LimitScope,
    unit: row.unit as LimitUnit,
    amount: row.amount,
    raise: row.raise === null ? null : (JSON.parse(row.raise) as LimitRaise),
    window: row.window as LimitWindow,
    action: row.action as LimitAction,
    thresholds: row.thresholds === lastThresholds.text ? lastThresholds.list : parseThresholds(row.thresholds),
    uncertain: row.uncertain === KEEP_UNCERTAIN ? 'keep' : (JSON.parse(row.uncertain) as UncertainRule),
    label: row.label,
    zones: zonesSince(row.created_at, zones),
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
