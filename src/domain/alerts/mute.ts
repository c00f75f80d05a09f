import type { Alert, AlertType } from './alert.ts';

/**
 * Alerts that can be muted: those about spend. Alerts about the installation, and about refused calls, are always sent.
 */
export const MUTABLE_TYPES = [
  'COST_SPIKE',
  'UNUSUAL_ACTIVITY',
  'ERROR_SPIKE',
  'RATE_LIMIT',
  'BUDGET_WARNING',
  'BUDGET_EXCEEDED',
] as const satisfies readonly AlertType[];
type MutableType = (typeof MUTABLE_TYPES)[number];

/** A rule that keeps alerts from being stored and sent. */
export interface AlertMute {
  readonly id: string;
  readonly workspaceId: string;
  /** null = of every type that can be muted. */
  readonly type: MutableType | null;
  /**
   * Entries that the scope of an alert must contain, for instance `{ key: 'key_…' }` or `{ 'tag:team': 'search' }`; {} =
   * any scope.
   */
  readonly scope: Readonly<Record<string, string>>;
  /** Epoch ms, exclusive; null = until it is removed. */
  readonly until: number | null;
  readonly reason: string;
  readonly createdAt: number;
}

export type NewMute = Omit<AlertMute, 'id' | 'createdAt'>;

/** Tests whether a rule mutes an alert. */
export function silences(
  { type, scope, until }: Pick<AlertMute, 'type' | 'scope' | 'until'>,
  alert: Pick<Alert, 'type' | 'scope'>,
  now: number,
): boolean {
  if (until !== null && now >= until) return false;
  if (type === null ? !MUTABLE_TYPES.some((each) => each === alert.type) : type !== alert.type) return false;
  return Object.entries(scope).every(([name, value]) => alert.scope[name] === value);
}
