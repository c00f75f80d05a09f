import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitAmount } from './exact-amounts.ts';

const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 30 });

test('shares add up to the whole, to the last unit, and each is within one unit of its proportion', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), weights, (amount, all) => {
      const whole = all.reduce((sum, weight) => sum + weight, 0n);
      const shares = splitAmount(amount, all);
      expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(whole === 0n ? 0n : amount);
      for (const [index, share] of shares.entries()) {
        const apart = share * whole - amount * (all[index] ?? 0n);
        if (whole > 0n) expect(apart < whole && apart > -whole).toBe(true);
      }
    }),
  );
});

test('no share exceeds its weight if the amount does not exceed all weights', () => {
  fc.assert(
    fc.property(weights, fc.bigInt({ min: 0n, max: 10n ** 18n }), (all, some) => {
      const whole = all.reduce((sum, weight) => sum + weight, 0n);
      const amount = whole === 0n ? 0n : some % (whole + 1n);
      for (const [index, share] of splitAmount(amount, all).entries()) expect(share <= (all[index] ?? 0n)).toBe(true);
    }),
  );
});

test('the indivisible remainder goes to the shares that lose most by rounding, the first of equal ones', () => {
  expect(splitAmount(10n, [1n, 1n, 1n])).toEqual([4n, 3n, 3n]);
  expect(splitAmount(5n, [1n, 3n, 0n])).toEqual([1n, 4n, 0n]);
  expect(splitAmount(-10n, [1n, 1n, 1n])).toEqual([-4n, -3n, -3n]);
});
