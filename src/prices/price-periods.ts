import type { RateCard } from '../domain/pricing/price.ts';
import type { PricePeriod } from './draft-card.ts';
import { DAY_MS } from '../domain/time/units.ts';

const SUNDAY = 0;
const SATURDAY = 6;

/** Returns the price at a time (epoch ms). If several periods apply, the last one wins. */
export function cardAt(periods: readonly PricePeriod[], atMs: number): RateCard | null {
  for (let index = periods.length - 1; index >= 0; index -= 1) {
    const period = periods[index];
    if (period && holds(period, atMs)) return period.card;
  }
  return null;
}

/** Returns every price that applies at some time from `fromMs` to `untilMs` (epoch ms, both inclusive), each once. */
export function cardsBetween(periods: readonly PricePeriod[], fromMs: number, untilMs: number): RateCard[] {
  const cards: RateCard[] = [];
  addCard(cards, periods, fromMs, fromMs, untilMs);
  // Prices change only where a period starts or ends.
  for (const { from, until, daily } of periods) {
    if (from !== null) addCard(cards, periods, from, fromMs, untilMs);
    if (until !== null) addCard(cards, periods, until, fromMs, untilMs);
    if (daily !== null) addDaily(cards, periods, daily, fromMs, untilMs);
  }
  return cards;
}

function addDaily(
  cards: RateCard[],
  periods: readonly PricePeriod[],
  { start, end }: NonNullable<PricePeriod['daily']>,
  fromMs: number,
  untilMs: number,
): void {
  for (let day = fromMs - (fromMs % DAY_MS); day <= untilMs; day += DAY_MS) {
    // Working days start and end at midnight.
    addCard(cards, periods, day, fromMs, untilMs);
    addCard(cards, periods, day + start, fromMs, untilMs);
    addCard(cards, periods, day + end, fromMs, untilMs);
  }
}

function addCard(
  cards: RateCard[],
  periods: readonly PricePeriod[],
  atMs: number,
  fromMs: number,
  untilMs: number,
): void {
  if (atMs < fromMs || atMs > untilMs) return;
  const card = cardAt(periods, atMs);
  if (card && !cards.includes(card)) cards.push(card);
}

function holds({ from, until, daily }: PricePeriod, atMs: number): boolean {
  if (from !== null && atMs < from) return false;
  if (until !== null && atMs >= until) return false;
  if (daily === null) return true;
  if (daily.workdays && !isWorkday(atMs)) return false;
  const time = atMs % DAY_MS;
  return daily.start <= daily.end ? daily.start <= time && time < daily.end : time >= daily.start || time < daily.end;
}

/** Returns true from Monday to Friday, in UTC. */
function isWorkday(atMs: number): boolean {
  const day = new Date(atMs).getUTCDay();
  return day !== SUNDAY && day !== SATURDAY;
}
