import { expect, test } from 'vitest';
import { checkPrices } from './doctor.ts';
import { DAY_MS } from '../domain/time/units.ts';

const CHECKED = Date.parse('2026-11-22');
const after = (days: number, pricesUrl: string | null = null) =>
  checkPrices({ prices: { checkedAt: () => CHECKED }, clock: () => CHECKED + days * DAY_MS, config: { pricesUrl } });

test('the doctor shows the age of the price lists', () => {
  expect(after(12)).toEqual({
    name: 'prices',
    state: 'ok',
    message: 'Prices were last checked on 22 Nov 2026, 12 days ago.',
  });
  expect(after(60).state).toBe('ok');
});

test('the doctor warns of price lists older than 60 days, with what to do', () => {
  expect(after(61)).toMatchObject({ state: 'warning', message: expect.stringContaining('SVC_PRICES_URL') as string });
  expect(after(61, 'https://prices.example/list.json')).toMatchObject({
    state: 'warning',
    message: expect.stringContaining('tollbook prices refresh') as string,
  });
});
