import type { RateCard } from '../core/price.ts';
import type { Period } from './draft-card.ts';

const DAY_MS = 86_400_000;
const SUNDAY = 0;
const SATURDAY = 6;

/** The price that holds at a time (epoch ms); of several, that of the last period. */
export function cardAt(periods: readonly Period[], atMs: number): RateCard | null {
  for (let index = periods.length - 1; index >= 0; index -= 1) {
    const period = periods[index];
    if (period && holds(period, atMs)) return period.card;
  }
  return null;
}

function holds({ from, until, daily }: Period, atMs: number): boolean {
  if (from !== null && atMs < from) return false;
  if (until !== null && atMs >= until) return false;
  if (daily === null) return true;
  if (daily.workdays && !isWorkday(atMs)) return false;
  const time = atMs % DAY_MS;
  return daily.start <= daily.end ? daily.start <= time && time < daily.end : time >= daily.start || time < daily.end;
}

/** From Monday to Friday, in UTC. */
function isWorkday(atMs: number): boolean {
  const day = new Date(atMs).getUTCDay();
  return day !== SUNDAY && day !== SATURDAY;
}
