import { countNoun, formatCount } from '../text/counts.ts';
import { formatUsd } from '../text/money.ts';
import { formatPercent } from '../text/percent.ts';
import type { FindingUnit } from './finding.ts';

/** Describes an amount of a finding in its unit. */
export function findingAmount(unit: FindingUnit, value: number): string {
  switch (unit) {
    case 'usd':
      return formatUsd(Math.round(value));
    case 'usd_per_million_tokens':
      return `${formatUsd(Math.round(value))} per million tokens`;
    case 'share':
      return formatPercent(value);
    case 'calls':
      return countNoun(Math.round(value), 'call');
    case 'hours':
      return countNoun(Math.round(value), 'hour');
  }
}

/** Describes a factor: `6.2 times`. */
export function formatFactor(factor: number): string {
  return `${factor < 10 ? factor.toFixed(1) : formatCount(Math.round(factor))} times`;
}

/** Describes a number of hours: `one hour`, `6 hours`, `3 days`. */
export function hoursText(hours: number): string {
  if (hours === 1) return 'one hour';
  return hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`;
}
