import { expect, test } from 'vitest';
import { shownReasons } from './reconciliation-text.ts';

test('reasons with an amount are shown, largest first, and the unexplained part always', () => {
  const none = {
    outside_gateway: 0,
    uncertain_calls: 0,
    price_drift: 0,
    no_price: 0,
    batch: 0,
    fees: 0,
    unknown_key: 0,
    not_final: 0,
    rounding: 0,
    unexplained: 0,
  };
  expect(shownReasons({ ...none, batch: -2, outside_gateway: 1.5 })).toEqual([
    ['batch', -2],
    ['outside_gateway', 1.5],
    ['unexplained', 0],
  ]);
  expect(shownReasons(none)).toEqual([['unexplained', 0]]);
});
