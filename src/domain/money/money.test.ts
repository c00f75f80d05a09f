import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addWhole,
  divideHalfUp,
  divideUp,
  multiplyWhole,
  parseDecimal,
  parseUsd,
  usdFromNano,
  usdTextFromNano,
} from './money.ts';

const whole = fc.bigInt({ min: 0n, max: 2n ** 80n }).map((value) => (value <= 2n ** 53n - 1n ? Number(value) : value));

describe('whole amounts', () => {
  it('keep every digit, whatever their size', () => {
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(BigInt(addWhole(a, b))).toBe(BigInt(a) + BigInt(b));
        expect(BigInt(multiplyWhole(a, b))).toBe(BigInt(a) * BigInt(b));
      }),
    );
  });

  it('become bigint exactly if a number would lose digits', () => {
    expect(addWhole(Number.MAX_SAFE_INTEGER, 0)).toBe(Number.MAX_SAFE_INTEGER);
    expect(addWhole(Number.MAX_SAFE_INTEGER, 1)).toBe(2n ** 53n);
    expect(multiplyWhole(3_037_000_500, 3_037_000_500)).toBe(9_223_372_037_000_250_000n);
  });

  it('round halves up, and up to the next whole if requested', () => {
    expect([1499, 1500, 1501, 2500].map((pico) => divideHalfUp(pico, 1000))).toEqual([1, 2, 2, 3]);
    expect([0, 1, 1000, 1001].map((pico) => divideUp(pico, 1000))).toEqual([0, 1, 1, 2]);
    expect(divideHalfUp(10n ** 30n + 500n, 1000)).toBe(10n ** 27n + 1n);
  });
});

describe('usdFromNano', () => {
  it('returns the number that prints as the exact decimal', () => {
    expect(usdFromNano(47_750_000)).toBe(0.04775);
    expect(usdFromNano(1)).toBe(1e-9);
    expect(usdFromNano(300_000_000)).toBe(0.3);
    expect(usdFromNano(9_007_199_254_740_992_000_000_001n)).toBe(9_007_199_254_740_992);
  });
});

describe('parseUsd', () => {
  it('reads decimal text exactly', () => {
    expect(parseUsd('5')).toBe(5_000_000_000);
    expect(parseUsd('0.1')).toBe(100_000_000);
    expect(parseUsd('0.000000001')).toBe(1);
    expect(parseUsd(' $1,234,567.89 ')).toBe(1_234_567_890_000_000);
    expect(parseUsd('9000000')).toBe(9_000_000_000_000_000);
  });

  it.each(['', '-1', '1e3', '1,5', '.5', '5.', '0.0000000001', '9000000.01', 'NaN', 'five', '0x10', '1 000'])(
    'refuses %j with a sentence',
    (text) => {
      expect(() => parseUsd(text)).toThrow(/is not an amount of dollars; write a number/);
    },
  );

  it('is undone by usdFromNano for every amount a limit can have', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000_000_000_000_000 }), (nano) => {
        const text = `${BigInt(nano) / 1_000_000_000n}.${(BigInt(nano) % 1_000_000_000n).toString().padStart(9, '0')}`;
        expect(parseUsd(text)).toBe(nano);
        expect(usdFromNano(nano)).toBe(Number(text));
      }),
    );
  });
});

describe('parseDecimal', () => {
  it('accepts further decimals only if they are zeros', () => {
    expect(parseDecimal('0.1250000', 3)).toBe(125);
    expect(parseDecimal('0.1251', 3)).toBeNull();
  });
});

it.each([
  [0, '0.000000000'],
  [1, '0.000000001'],
  [645_000, '0.000645000'],
  [1_000_000_000, '1.000000000'],
  [9_000_000_123_456_789, '9000000.123456789'],
])('%i nano-USD are written as %s, to the last digit', (nano, text) => {
  expect(usdTextFromNano(nano)).toBe(text);
});
