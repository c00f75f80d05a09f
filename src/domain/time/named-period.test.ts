import { expect, test } from 'vitest';
import { monthStart, namedPeriod, toIso } from './period.ts';

const NOW = Date.parse('2026-03-29T22:30:00Z');

test.each([
  ['last_24h', 'UTC', '2026-03-28T22:30:00.000Z', '2026-03-29T22:30:00.000Z'],
  ['last_7d', 'UTC', '2026-03-22T22:30:00.000Z', '2026-03-29T22:30:00.000Z'],
  ['last_30d', 'UTC', '2026-02-27T22:30:00.000Z', '2026-03-29T22:30:00.000Z'],
  ['today', 'UTC', '2026-03-29T00:00:00.000Z', '2026-03-29T22:30:00.000Z'],
  ['yesterday', 'UTC', '2026-03-28T00:00:00.000Z', '2026-03-29T00:00:00.000Z'],
  // The clocks went forward that night: yesterday has 23 hours where it is tomorrow already.
  ['today', 'Europe/Berlin', '2026-03-29T22:00:00.000Z', '2026-03-29T22:30:00.000Z'],
  ['yesterday', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['today', 'America/New_York', '2026-03-29T04:00:00.000Z', '2026-03-29T22:30:00.000Z'],
] as const)('%s in %s', (name, timeZone, start, end) => {
  const period = namedPeriod(name, NOW, timeZone);
  expect({ start: toIso(period.start), end: toIso(period.end) }).toEqual({ start, end });
});

test('a month begins at its first local midnight', () => {
  expect(toIso(monthStart(NOW, 'UTC'))).toBe('2026-03-01T00:00:00.000Z');
  expect(toIso(monthStart(NOW, 'Asia/Tokyo'))).toBe('2026-02-28T15:00:00.000Z');
  // The first hours of April there.
  expect(toIso(monthStart(Date.parse('2026-03-31T16:00:00Z'), 'Asia/Tokyo'))).toBe('2026-03-31T15:00:00.000Z');
});
