import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { shortDollars, type UsdRounding } from '../../../../src/domain/text/money.ts';
import { formatCount } from '../../../../src/domain/text/counts.ts';
import { formatPercent } from '../../../../src/domain/text/percent.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly AlertShape['severity'][];

export const SEVERITY_NAMES: Readonly<Record<AlertShape['severity'], string>> = {
  critical: 'Critical',
  warning: 'Warning',
  info: 'Info',
};

/** Formats an amount of an alert in the unit that its evidence names; null = no amount. */
export function alertAmountText(unit: unknown, amount: number | null, rounding?: UsdRounding): string | null {
  if (amount === null) return null;
  switch (unit) {
    case 'usd':
      return shortDollars(amount, rounding);
    case 'usd_per_million_tokens':
      return `${shortDollars(amount)} per million tokens`;
    case 'share':
      return `${formatPercent(amount)} of calls`;
    case 'hours':
      return `${formatCount(Math.round(amount))} hours`;
    default:
      return typeof unit === 'string' ? `${formatCount(amount)} ${unit.replaceAll('_', ' ')}` : formatCount(amount);
  }
}

/** Advice for each type of alert. The message says what happened; this says what to do. */
export const ALERT_ADVICE: Readonly<Record<AlertShape['type'], string>> = {
  BUDGET_EXCEEDED:
    'Check which keys use the limit and which calls it refused. If the spending is expected, raise the limit temporarily.',
  BUDGET_WARNING:
    'The limit is not reached yet. Check what uses it most, and raise it in time if the spending is expected.',
  COST_SPIKE:
    'Check the calls of that time. Most spikes come from a loop, a longer prompt or a more expensive model. A limit on the key or tag stops the next one.',
  UNUSUAL_ACTIVITY:
    'If nobody on your team can explain it, revoke the key: a leaked key looks like this. If it is intended, mute the alert and give the reason.',
  ERROR_SPIKE:
    'Check the failed calls and the status that the provider returned. Failed calls cost nothing, but clients may retry them.',
  RATE_LIMIT: 'Spread the calls over time or over several provider keys, or ask the provider for a higher rate limit.',
  UNPRICED_MODEL:
    'Set a price for the model, or update Tollbook for newer price lists. Its earlier calls are then priced too.',
  STALE_PRICE:
    'Update Tollbook for newer price lists, or set a custom price for holds. The ledger already has the charged costs.',
  OVERRUN:
    'Check the call, then mark the alert as read. Until then, Tollbook reserves more for each call to this model.',
  WEBHOOK_DISABLED: 'Fix the receiver, enable the webhook, and replay the missed deliveries.',
  KEY_PROBLEM: 'Replace the key with a valid one. After a new admin key, Tollbook reads the missed reports.',
  COVERAGE:
    'See which keys and models are used outside the gateway, and send their calls through it. If a report could not be read in full, update Tollbook: until then, this usage is missing from the totals.',
  JOURNAL_PROBLEM:
    'Calls are refused while the journal cannot be written. Check the disk of the data folder, and run: npx tollbook doctor',
  LEDGER_PROBLEM: 'No call is lost: the journal keeps them. To find the cause, run: npx tollbook doctor',
};
