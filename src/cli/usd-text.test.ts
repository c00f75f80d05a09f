import { expect, test } from 'vitest';
import { usdColumn } from './usd-text.ts';

test('amounts under each other have as many digits, and what is more than nothing never reads as nothing', () => {
  expect([1_234.5, 0, -2, null].map(usdColumn([1_234.5, -2, null]))).toEqual(['$1,234.50', '$0.00', '-$2.00', '-']);
  expect([20, 0.5, 0.00001, -0.00001].map(usdColumn([20, 0.5]))).toEqual([
    '$20.0000',
    '$0.5000',
    '<$0.0001',
    '-<$0.0001',
  ]);
});
