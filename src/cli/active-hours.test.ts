import { expect, test } from 'vitest';
import { readActiveHours, renderActiveHours } from './active-hours.ts';

test.each([
  ['Mon-Fri 09:00-18:00 Europe/Berlin', 'mon,tue,wed,thu,fri 09:00-18:00 Europe/Berlin'],
  ['sat,sun 00:00-24:00 UTC', 'sat,sun 00:00-24:00 UTC'],
  ['Fri-Mon,Wed 8:30-12:00 UTC', 'mon,wed,fri,sat,sun 8:30-12:00 UTC'],
  ['Monday 22:00-06:00 Asia/Tokyo', 'mon 22:00-06:00 Asia/Tokyo'],
  ['09:00 - 18:00 UTC', '09:00-18:00 UTC'],
])('%j are active hours', (text, shown) => {
  expect(renderActiveHours(readActiveHours(text))).toBe(shown);
});

test.each([
  '',
  'always',
  'Mon-Fri',
  'Mon-Fri 9-18 UTC',
  'Mon-Fri 09:00-18:00',
  'Caturday 09:00-18:00 UTC',
  'Mon-Tue-Wed 09:00-18:00 UTC',
])('%j is refused, and the error shows how to write active hours', (text) => {
  expect(() => readActiveHours(text)).toThrow(/for example: --hours 'Mon-Fri 09:00-18:00 Europe\/Berlin'/);
});

test('active hours without a time zone are refused with what is missing', () => {
  expect(() => readActiveHours('Mon-Fri 09:00-18:00')).toThrow(/^"Mon-Fri 09:00-18:00" have no time zone; for example/);
  expect(() => readActiveHours('always')).toThrow(/are not valid active hours/);
});
