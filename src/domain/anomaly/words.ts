import { formatUsd } from '../money/money.ts';
import type { FindingUnit } from './finding.ts';
import { offsetAt } from '../time/period.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Tue 3 March 14:00` needs a calendar of words; `Tue 2026-03-03 14:00` is read by everybody. Local time. */
export function localWeekdayTime(instant: number, timeZone: string): string {
  const local = new Date(instant + offsetAt(instant, timeZone));
  return `${DAYS[local.getUTCDay()] ?? ''} ${local.toISOString().slice(0, 16).replace('T', ' ')}`;
}

/** `Tue 2026-03-03 14:00 to 15:00`, with the second date where it is another day. */
export function localSpan(from: number, to: number, timeZone: string): string {
  const [start, end] = [localWeekdayTime(from, timeZone), localWeekdayTime(to, timeZone)];
  return `${start} to ${start.slice(0, 14) === end.slice(0, 14) ? end.slice(15) : end}`;
}

export function findingAmount(unit: FindingUnit, value: number): string {
  switch (unit) {
    case 'usd':
      return formatUsd(Math.round(value));
    case 'usd_per_million_tokens':
      return `${formatUsd(Math.round(value))} per million tokens`;
    case 'share':
      return `${(value * 100).toFixed(1)} %`;
    case 'calls':
      return `${Math.round(value).toLocaleString('en')} calls`;
    case 'hours':
      return `${Math.round(value)} hours`;
  }
}

/** `6.2 times`. */
export function formatFactor(factor: number): string {
  return `${factor < 10 ? factor.toFixed(1) : Math.round(factor).toLocaleString('en')} times`;
}

/** `the hour`, `6 hours`, `3 days`. */
export function hoursText(hours: number): string {
  if (hours === 1) return 'one hour';
  return hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`;
}
