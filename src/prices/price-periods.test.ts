import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardAt, cardsBetween } from './price-periods.ts';
import type { PricePeriod } from './draft-card.ts';
import { createPriceBook } from './price-book.ts';
import { userCard } from './price-schema.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Friday. */
const START = Date.parse('2026-11-20T00:00:00Z');

const cardOf = (input: number) =>
  userCard({ provider: 'a', model: 'b', usdPerMillion: { input: `${input}`, output: '1' } });
const period = (
  input: number,
  from: number | null,
  until: number | null,
  daily: PricePeriod['daily'] = null,
): PricePeriod => ({
  from,
  until,
  daily,
  card: cardOf(input),
});
const inputs = (cards: readonly PricePeriod['card'][]) =>
  cards.map(({ tiers }) => (tiers[0]?.rates.input ?? Number.NaN) / 1_000_000).toSorted((a, b) => a - b);

describe('prices between two moments', () => {
  const base = period(1, null, null);

  it('are a single card if nothing changes', () => {
    expect(cardsBetween([base], START, START + HOUR)).toEqual([base.card]);
    expect(cardsBetween([], START, START + HOUR)).toEqual([]);
  });

  it('include a card that applies only in the middle', () => {
    const short = period(9, START + HOUR / 4, START + HOUR / 2);
    expect(inputs(cardsBetween([base, short], START, START + HOUR))).toEqual([1, 9]);
  });

  it('leave out a card that a later price covers completely', () => {
    expect(inputs(cardsBetween([period(9, null, null), base], START, START + HOUR))).toEqual([1]);
    expect(inputs(cardsBetween([base, period(9, START + HOUR + 1, null)], START, START + HOUR))).toEqual([1]);
  });

  it('include the price of working days from midnight on', () => {
    const workdays = period(9, null, null, { start: 0, end: DAY, workdays: true });
    const sunday = START + 2 * DAY;
    expect(inputs(cardsBetween([base, workdays], sunday, sunday + HOUR))).toEqual([1]);
    expect(inputs(cardsBetween([base, workdays], sunday + DAY - HOUR / 2, sunday + DAY + HOUR / 2))).toEqual([1, 9]);
  });

  it('are the cards of every moment', () => {
    const hours = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * HOUR);
    const moment = fc.option(
      hours(-30, 60).map((after) => START + after),
      { nil: null },
    );
    const daily = fc.record({ start: hours(0, 23), end: hours(0, 23), workdays: fc.boolean() });
    const drawn = fc.tuple(moment, moment, fc.option(daily, { nil: null }));
    fc.assert(
      fc.property(fc.array(drawn, { maxLength: 5 }), hours(0, 72), hours(0, 30), (drafts, after, length) => {
        const periods = drafts.map(([from, until, each], index) => period(index + 1, from, until, each));
        const [from, until] = [START + after, START + after + length];
        const seen = new Set<PricePeriod['card']>();
        for (let at = from; at <= until; at += HOUR) {
          const card = cardAt(periods, at);
          if (card) seen.add(card);
        }
        expect(inputs(cardsBetween(periods, from, until))).toEqual(inputs([...seen]));
      }),
    );
  });
});

describe('DeepSeek’s prices while a call may run', () => {
  const book = createPriceBook();
  const at = (time: string) => {
    const now = Date.parse(time);
    return inputs(book.between('ws', 'deepseek', 'deepseek-flash', now - 5_000, now + HOUR));
  };

  it.each<[string, string, number[]]>([
    ['long before the peak of a working day', '2026-11-19T23:30:00Z', [0.15]],
    ['within an hour before it', '2026-11-20T00:30:00Z', [0.15, 0.3]],
    ['within it', '2026-11-20T01:30:00Z', [0.3]],
    ['near its end', '2026-11-20T03:30:00Z', [0.15, 0.3]],
    ['just after it', '2026-11-20T04:00:03Z', [0.15, 0.3]],
    ['between the two of a day', '2026-11-20T04:30:00Z', [0.15]],
    ['before the second', '2026-11-20T05:00:00Z', [0.15, 0.3]],
    ['at the hour of the peak on a Saturday', '2026-11-21T00:30:00Z', [0.15]],
  ])('%s', (_, time, expected) => {
    expect(at(time)).toEqual(expected);
  });
});
