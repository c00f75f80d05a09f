import { expect, test } from 'vitest';
import { compareCoverage, throughGatewayShare } from './coverage.ts';

const USD = 1_000_000_000n;
const coverage = (total: number, unproxied: number, unknown = 0) => ({
  total: BigInt(total) * USD,
  unproxied: BigInt(unproxied) * USD,
  unknown: BigInt(unknown) * USD,
});

test('unknown usage lowers the covered share like unproxied usage', () => {
  expect(throughGatewayShare(coverage(100, 10, 7))).toBe(0.83);
  expect(throughGatewayShare(coverage(3, 1))).toBe(0.6666);
  expect(throughGatewayShare(coverage(0, 0))).toBeNull();
});

test('a gap has grown if its share and amount have, and is over when its share is near the earlier one', () => {
  const before = coverage(400, 40);
  const is = (total: number, unproxied: number): string | undefined =>
    compareCoverage(coverage(total, unproxied), before)?.is;
  expect(is(100, 10)).toBe('over');
  expect(is(100, 11)).toBe('over');
  expect(is(100, 13)).toBe('between');
  expect(is(100, 15)).toBe('grown');
  // More of less spend is no more money.
  expect(is(20, 10)).toBe('between');
  expect(compareCoverage(coverage(1, 1), coverage(0, 0))).toBeNull();
  expect(compareCoverage(coverage(0, 0), before)).toBeNull();
});
