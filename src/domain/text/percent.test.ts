import { expect, test } from 'vitest';
import { formatChange, formatPart, formatPercent } from './percent.ts';

test('a share above 0 is never shown as 0%', () => {
  expect([0, 0.0004, 0.042, 0.05, 0.38, 1].map(formatPercent)).toEqual(['0%', '<0.1%', '4.2%', '5%', '38%', '100%']);
});

test('a share below 1 is never shown as 100%', () => {
  expect([0.994, 0.996, 0.9999, 1, 1.004].map(formatPercent)).toEqual(['99%', '>99%', '>99%', '100%', '100%']);
});

test('a part of nothing has no share', () => {
  expect([formatPart(1, 4), formatPart(0, 0)]).toEqual(['25%', '']);
});

test('a change names its direction, and is absent when there was nothing before', () => {
  expect([formatChange(112, 100), formatChange(96, 100), formatChange(310, 100), formatChange(5, 0)]).toEqual([
    '+12%',
    '-4%',
    '3.1×',
    null,
  ]);
});

test('a change from next to nothing is no huge factor', () => {
  expect([formatChange(1_000, 100), formatChange(1_001, 100), formatChange(372_500, 100)]).toEqual([
    '10×',
    '>10×',
    '>10×',
  ]);
});
