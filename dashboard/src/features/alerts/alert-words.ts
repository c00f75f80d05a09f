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
