import type { Period } from '../time/period.ts';

/** The specification's event types, then this product's own. */
export const ALERT_TYPES = [
  'COST_SPIKE',
  'BUDGET_WARNING',
  'BUDGET_EXCEEDED',
  'UNUSUAL_ACTIVITY',
  'ERROR_SPIKE',
  'RATE_LIMIT',
  'UNPRICED_MODEL',
  'STALE_PRICE',
  'OVERRUN',
  'WEBHOOK_DISABLED',
  'JOURNAL_PROBLEM',
  'LEDGER_PROBLEM',
  'KEY_PROBLEM',
  'COVERAGE',
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof SEVERITIES)[number];

export interface Alert {
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly workspaceId: string;
  readonly title: string;
  readonly message: string;
  /** Equal episodes have equal keys: an alert is stored once per key. */
  readonly episode: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly scope: Readonly<Record<string, string>>;
  readonly value: number | null;
  readonly threshold: number | null;
  /** Time that the alert is about: the window of a limit, the hours of a spike. null = an instant, or no end. */
  readonly period: Period | null;
  readonly evidence: Readonly<Record<string, unknown>>;
}
