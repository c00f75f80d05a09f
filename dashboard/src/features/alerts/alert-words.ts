import type { AlertShape } from '../../../../src/api/contract.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { exactCount, formatShare } from '../../shared/format/number.ts';

type AlertType = AlertShape['type'];

/** Types of alerts as people know them, those of spending first. */
export const TYPE_NAMES: Readonly<Record<AlertType, string>> = {
  BUDGET_EXCEEDED: 'Limit reached',
  BUDGET_WARNING: 'Limit near',
  COST_SPIKE: 'Cost spike',
  UNUSUAL_ACTIVITY: 'Unusual activity',
  ERROR_SPIKE: 'Error spike',
  RATE_LIMIT: 'Rate limit',
  UNPRICED_MODEL: 'Model without a price',
  OVERRUN: 'More than its bound',
  WEBHOOK_DISABLED: 'Webhook disabled',
  KEY_TROUBLE: 'Admin key refused',
  COVERAGE: 'Not covered',
  JOURNAL_TROUBLE: 'Trouble with the journal',
  BOOK_TROUBLE: 'Trouble with the book',
};

export const ALERT_TYPES = Object.keys(TYPE_NAMES) as readonly AlertType[];

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly AlertShape['severity'][];

/** What an amount of an alert is in, as its evidence says; null = it has none. */
export function amountText(unit: unknown, amount: number | null): string | null {
  if (amount === null) return null;
  switch (unit) {
    case 'usd':
      return formatUsd(amount);
    case 'usd_per_million_tokens':
      return `${formatUsd(amount)} per million tokens`;
    case 'share':
      return `${formatShare(amount)} of calls`;
    case 'hours':
      return `${exactCount(Math.round(amount))} hours`;
    default:
      return typeof unit === 'string' ? `${exactCount(amount)} ${unit.replaceAll('_', ' ')}` : exactCount(amount);
  }
}
