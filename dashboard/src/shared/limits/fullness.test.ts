import { expect, test } from 'vitest';
import { usedText } from './fullness.ts';

test('the share of a limit says that it is used, and a limit of nothing claims no share', () => {
  expect(usedText({ counted: 2, held: 1, amountInForce: 4 }, 'usd')).toBe('75% of $4.00 used');
  expect(usedText({ counted: 0, held: 0, amountInForce: 0 }, 'usd')).toBe('it allows nothing');
});
