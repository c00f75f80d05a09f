import { expect, test } from 'vitest';
import {
  formatDate,
  formatDateTime,
  formatDay,
  formatSeconds,
  formatSpan,
  formatStep,
  formatWholeStep,
  formatWeekdayTime,
} from './dates.ts';

const AT = Date.UTC(2026, 10, 22, 23, 3, 7);

test('dates and times are in the given time zone', () => {
  expect([formatDate(AT, 'UTC'), formatDate(AT, 'Europe/Berlin'), formatDay('2026-01-31')]).toEqual([
    '22 Nov 2026',
    '23 Nov 2026',
    '31 Jan 2026',
  ]);
  expect(formatDateTime('2026-11-22T23:03:07Z', 'Asia/Kolkata')).toBe('23 Nov 2026, 04:33');
  expect(formatSeconds(AT, 'UTC')).toBe('22 Nov 2026, 23:03:07');
  expect(formatWeekdayTime(AT, 'UTC')).toBe('Sun 22 Nov 2026, 23:03');
});

test('a span repeats the date only when it changes', () => {
  const hour = 3_600_000;
  expect(formatSpan(AT - hour, AT, 'UTC')).toBe('22 Nov 2026, 22:03 to 23:03');
  expect(formatSpan(AT, AT + hour, 'UTC', formatWeekdayTime)).toBe('Sun 22 Nov 2026, 23:03 to Mon 23 Nov 2026, 00:03');
});

test('a step of a chart is labeled by its start', () => {
  expect((['hour', 'day', 'week', 'month'] as const).map((step) => formatStep(AT, step, 'UTC'))).toEqual([
    'Sun 23:03',
    '22 Nov',
    '22 Nov',
    'Nov 2026',
  ]);
});

test('a step of a chart in full names its days', () => {
  const until = AT + 7 * 86_400_000;
  expect(formatWholeStep(AT, AT + 3_600_000, 'hour', 'UTC')).toBe('Sun 22 Nov 2026, 23:03 to Mon 23 Nov 2026, 00:03');
  expect(formatWholeStep(AT, AT + 60_000, 'minute', 'UTC')).toBe('Sun 22 Nov 2026, 23:03 to 23:04');
  expect((['day', 'week', 'month'] as const).map((step) => formatWholeStep(AT, until, step, 'UTC'))).toEqual([
    'Sun 22 Nov 2026',
    '22 Nov 2026 to 29 Nov 2026',
    'Nov 2026',
  ]);
});
