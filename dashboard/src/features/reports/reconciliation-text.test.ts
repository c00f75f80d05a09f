import { expect, test } from 'vitest';
import { shownReasons } from './reconciliation-text.ts';

test('reasons with an amount are shown, largest first, and what is unexplained always', () => {
  const none = {
    not_through_the_gate: 0,
    uncertain_calls: 0,
    price_drift: 0,
    no_price: 0,
    batch: 0,
    fees: 0,
    key_unknown: 0,
    settling: 0,
    rounding: 0,
    unexplained: 0,
  };
  expect(shownReasons({ ...none, batch: -2, not_through_the_gate: 1.5 })).toEqual([
    ['batch', -2],
    ['not_through_the_gate', 1.5],
    ['unexplained', 0],
  ]);
  expect(shownReasons(none)).toEqual([['unexplained', 0]]);
});
