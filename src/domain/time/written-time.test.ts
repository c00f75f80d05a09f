import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toIso } from './period.ts';
import { readWrittenTime, type WrittenTimeContext } from './written-time.ts';

// A Tuesday, in the first hours of Wednesday where it is later.
const NOW = Date.parse('2026-11-24T22:30:00Z');

function read(text: string, context: Partial<WrittenTimeContext> = {}): string {
  const whole = { now: NOW, timeZone: 'UTC', edge: 'start', direction: 'past', ...context } as const;
  return toIso(readWrittenTime(text, whole, '--since')).replace(':00.000Z', '');
}

test.each([
  ['now', '2026-11-24T22:30'],
  ['7d', '2026-11-17T22:30'],
  [' 24H ', '2026-11-23T22:30'],
  ['90m', '2026-11-24T21:00'],
  ['today', '2026-11-24T00:00'],
  ['Yesterday', '2026-11-23T00:00'],
  ['tuesday', '2026-11-24T00:00'],
  ['mon', '2026-11-23T00:00'],
  ['wednesday', '2026-11-18T00:00'],
  ['month', '2026-11-01T00:00'],
  ['2026-10', '2026-10-01T00:00'],
  ['2026-11-01', '2026-11-01T00:00'],
  ['20261101', '2026-11-01T00:00'],
  ['2026-11-01 09:15', '2026-11-01T09:15'],
  ['2026-11-01T09:15+01:00', '2026-11-01T08:15'],
])('%j is read as the past time %s', (text, instant) => {
  expect(read(text)).toBe(instant);
});

test.each([
  ['7d', '2026-12-01T22:30'],
  ['tomorrow', '2026-11-26T00:00'],
  ['tuesday', '2026-12-02T00:00'],
  ['wed', '2026-11-26T00:00'],
  ['2027-01-31', '2027-02-01T00:00'],
  ['2026-12', '2027-01-01T00:00'],
  ['month', '2026-12-01T00:00'],
])('%j in the future ends at %s, and a day belongs to it whole', (text, instant) => {
  expect(read(text, { direction: 'future', edge: 'end' })).toBe(instant);
});

test('days and times without an offset are those of the time zone', () => {
  const berlin = { timeZone: 'Europe/Berlin' };
  // It is Tuesday, 23:30 there.
  expect(read('today', berlin)).toBe('2026-11-23T23:00');
  expect(read('2026-11-01T12:00', berlin)).toBe('2026-11-01T11:00');
  expect(read('2026-11-01T12:00Z', berlin)).toBe('2026-11-01T12:00');
  expect(read('today', { timeZone: 'Asia/Tokyo' })).toBe('2026-11-24T15:00');
  // The day has 23 hours, and one of its hours does not exist.
  expect([read('2026-03-29', berlin), read('2026-03-29', { ...berlin, edge: 'end' })]).toEqual([
    '2026-03-28T23:00',
    '2026-03-29T22:00',
  ]);
  expect(read('2026-03-29T02:30', berlin)).toBe('2026-03-29T01:30');
});

test.each([
  '',
  ' ',
  'someday',
  'mond',
  'sunrsday',
  '2026',
  '2026-13',
  '2026-02-30',
  '1969-12-31',
  '1e3',
  '-7d',
  '7 weeks',
  '2026-11-01T25:00',
])('%j is not a time, and the error says what is', (text) => {
  expect(() => read(text)).toThrow(/^--since ".*" is not a valid time. Enter for example 7d, 24h, yesterday/);
  expect(() => read(text, { direction: 'future' })).toThrow(/for example 7d, 24h, tomorrow/);
});

test('a duration above a year is refused', () => {
  expect(() => read('400d')).toThrow(/--since "400d" is not a duration.*at most a year/);
});

test('the end of any day is the start of the next one, in every time zone', () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const day = fc.date({ min: new Date('2000-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(day, zone, (date, timeZone) => {
      const next = new Date(date.getTime() + 86_400_000);
      const [first, second] = [date, next].map((one) => one.toISOString().slice(0, 10));
      expect(read(first ?? '', { timeZone, edge: 'end' })).toBe(read(second ?? '', { timeZone }));
    }),
    { numRuns: 200 },
  );
});
