import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitAmount } from './exact-amounts.ts';

const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 30 });

test('shares add up to the amount exactly, and each is within one unit of its proportion', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), weights, (amount, all) => {
      const total = all.reduce((sum, weight) => sum + weight, 0n);
      const shares = splitAmount(amount, all);
      expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(total === 0n ? 0n : amount);
      for (const [index, share] of shares.entries()) {
        const error = share * total - amount * (all[index] ?? 0n);
        if (total > 0n) expect(error < total && error > -total).toBe(true);
      }
    }),
  );
});

test('no share exceeds its weight if the amount does not exceed the sum of the weights', () => {
  fc.assert(
    fc.property(weights, fc.bigInt({ min: 0n, max: 10n ** 18n }), (all, some) => {
      const total = all.reduce((sum, weight) => sum + weight, 0n);
      const amount = total === 0n ? 0n : some % (total + 1n);
      for (const [index, share] of splitAmount(amount, all).entries()) expect(share <= (all[index] ?? 0n)).toBe(true);
    }),
  );
});

test('remaining units go to the shares that lost most by rounding, in order if they lost the same', () => {
  expect(splitAmount(10n, [1n, 1n, 1n])).toEqual([4n, 3n, 3n]);
  expect(splitAmount(5n, [1n, 3n, 0n])).toEqual([1n, 4n, 0n]);
  expect(splitAmount(-10n, [1n, 1n, 1n])).toEqual([-4n, -3n, -3n]);
});
