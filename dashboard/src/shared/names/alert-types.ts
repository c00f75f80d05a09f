import type { AlertShape } from '../../../../src/contract/usage.ts';

export type AlertType = AlertShape['type'];

/** Types of alerts as people know them, those of spending first. */
export const ALERT_TYPE_NAMES: Readonly<Record<AlertType, string>> = {
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

export const ALERT_TYPES = Object.keys(ALERT_TYPE_NAMES) as readonly AlertType[];
