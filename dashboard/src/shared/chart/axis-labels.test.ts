import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/time/units.ts';
import { amountLabels, axisLabels } from './axis-labels.ts';

const NOW = Date.parse('2026-11-22T10:30:00Z');

function starts(count: number, lengthMs: number, last = Date.parse('2026-11-22T00:00:00Z')): string[] {
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * lengthMs).toISOString());
}

test('of thirty days, today has a label', () => {
  const labels = axisLabels({ starts: starts(30, DAY_MS), step: 'day', zone: 'UTC', now: NOW }, 10);
  expect(labels.length).toBeLessThanOrEqual(10);
  expect(labels.at(-1)).toEqual({ column: 29, text: 'Today' });
  expect(labels.at(-2)?.text).toBe('19 Nov');
});

test('hours of one day have times, and hours of several days have days', () => {
  const day = starts(24, HOUR_MS, Date.parse('2026-11-21T23:00:00Z'));
  expect(axisLabels({ starts: day, step: 'hour', zone: 'UTC', now: NOW }, 6).map(({ text }) => text)).toEqual([
    '00:00',
    '04:00',
    '08:00',
    '12:00',
    '16:00',
    '20:00',
  ]);
  const days = starts(72, HOUR_MS, Date.parse('2026-11-22T23:00:00Z'));
  expect(axisLabels({ starts: days, step: 'hour', zone: 'UTC', now: NOW }, 6)).toEqual([
    { column: 0, text: '20 Nov' },
    { column: 24, text: '21 Nov' },
    { column: 48, text: 'Today' },
  ]);
});

test('days are those of the time zone', () => {
  const [label] = axisLabels({ starts: ['2026-11-21T23:00:00.000Z'], step: 'day', zone: 'Europe/Berlin', now: NOW }, 9);
  expect(label?.text).toBe('Today');
});

test('the end of a first day has no label that would touch the next', () => {
  const labels = axisLabels({ starts: starts(50, HOUR_MS), step: 'hour', zone: 'UTC', now: NOW }, 4);
  expect(labels.map(({ column }) => column)).not.toContain(0);
});

test('a phone has at least one label', () => {
  expect(axisLabels({ starts: starts(5, DAY_MS), step: 'day', zone: 'UTC', now: NOW }, 0)).toHaveLength(1);
});

test('amounts of an axis have cents only if one of them needs some', () => {
  const dollars = (usd: number): string => `$${usd.toFixed(2)}`;
  expect(amountLabels([0, 50, 100], dollars)).toEqual(['$0', '$50', '$100']);
  expect(amountLabels([0, 0.5, 1], dollars)).toEqual(['$0.00', '$0.50', '$1.00']);
});
