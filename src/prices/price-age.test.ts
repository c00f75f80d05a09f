import { expect, it } from 'vitest';
import { BUILT_IN_CHECKED } from './overrides.ts';
import { priceAge } from './price-age.ts';
import { createPriceBook } from './price-book.ts';
import { DAY_MS } from '../domain/time/units.ts';

const CHECKED = Date.parse(BUILT_IN_CHECKED);

it('prices are old after more than 60 days', () => {
  expect(priceAge(CHECKED, CHECKED + 60 * DAY_MS)).toEqual({ checkedAt: CHECKED, ageDays: 60, isOld: false });
  expect(priceAge(CHECKED, CHECKED + 61 * DAY_MS)).toEqual({ checkedAt: CHECKED, ageDays: 61, isOld: true });
});

it('a clock that is behind gives no negative age', () => {
  expect(priceAge(CHECKED, CHECKED - DAY_MS)).toMatchObject({ ageDays: 0, isOld: false });
});

it('fetched prices are as old as their fetch, and at most as old as the built-in ones', () => {
  const book = createPriceBook();
  expect(book.checkedAt()).toBe(CHECKED);
  book.setRefreshed([], CHECKED + 5 * DAY_MS);
  expect(book.checkedAt()).toBe(CHECKED + 5 * DAY_MS);
  book.setRefreshed([], CHECKED - 5 * DAY_MS);
  expect(book.checkedAt()).toBe(CHECKED);
  book.setRefreshed([]);
  expect(book.checkedAt()).toBe(CHECKED);
});
