import type { AlertShape } from '../../../../src/contract/usage.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { exactCount, formatShare } from '../../shared/format/number.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly AlertShape['severity'][];

/** What an amount of an alert is in, as its evidence says; null = it has none. */
export function alertAmountText(unit: unknown, amount: number | null): string | null {
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

/** What helps, for each type of alert. Its message says what happened; this says what can be done about it. */
export const ALERT_ADVICE: Readonly<Record<AlertShape['type'], string>> = {
  BUDGET_EXCEEDED:
    'See who uses it and whom it refused. If the spending is right, raise the limit for a while; it falls back by itself.',
  BUDGET_WARNING:
    'There is still room. See what uses it most; raise the limit before it is reached, or let it hold and refuse what does not fit.',
  COST_SPIKE:
    'Look at the calls of that time: a loop, a larger prompt, or a dearer model is behind most spikes. A limit on the key or tag ends the next one by itself.',
  UNUSUAL_ACTIVITY:
    'If nobody knows of it, revoke the key: a leaked key looks like this. If it is meant, mute it and say why.',
  ERROR_SPIKE:
    'Look at the calls that failed and the status that the provider gave. Failed calls cost nothing, but whoever made them may repeat them.',
  RATE_LIMIT:
    'Calls can wait, be spread over time or over provider keys, or a higher limit can be asked for where it comes from.',
  UNPRICED_MODEL:
    'Set a price for the model, or refresh the price lists: its calls are then priced anew, from the first one on.',
  OVERRUN:
    'Until it is marked as read, calls to this model are held at more than their bound. Look at the call; mark it as read once it is understood.',
  WEBHOOK_DISABLED: 'Mend the receiver, then enable the webhook and replay what it missed.',
  ADMIN_KEY_TROUBLE: 'Give the connection a key that the provider takes; what was missed is read then.',
  COVERAGE: 'Look for a newer version of Tollbook; until then that usage is missing from reports.',
  JOURNAL_TROUBLE:
    'Calls are refused while they can’t be written down. Look at the disk of the data folder; tollbook doctor says more.',
  LEDGER_TROUBLE: 'No call is lost: the journal keeps them. tollbook doctor says what stands in the way.',
};
