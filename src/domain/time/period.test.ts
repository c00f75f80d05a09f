import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketStarts, toIso, readPeriod, PERIOD_STEPS } from './period.ts';

const NOW = Date.parse('2026-03-15T10:20:30.400Z');

function period(startDate?: string, endDate?: string): string[] {
  const { start, end } = readPeriod(startDate, endDate, NOW);
  return [toIso(start), toIso(end)];
}

describe('a period', () => {
  test('is the last 30 days by default', () => {
    expect(period()).toEqual(['2026-02-13T10:20:30.400Z', '2026-03-15T10:20:30.400Z']);
  });

  const READABLE: readonly (readonly [string, string, string, string])[] = [
    ['2026-01-01', '2026-01-01', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
    ['2024-02-29', '2024-12-31', '2024-02-29T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000Z'],
    ['2026-01-01T10:00', '2026-01-01T10:00:00.25', '2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.250Z'],
    ['2026-01-01T10:00:00+05:30', '2026-01-01T10:00:00-0100', '2026-01-01T04:30:00.000Z', '2026-01-01T11:00:00.000Z'],
    ['2026-01-01T10:00:00 05:30', '2026-01-01T10:00:00-01', '2026-01-01T04:30:00.000Z', '2026-01-01T11:00:00.000Z'],
    ['2026-01-01 10:00', '2026-01-01t10:00z', '2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000Z'],
  ];
  test.each(READABLE)('%s … %s is half-open, and a bare end date includes its day', (start, end, from, until) => {
    expect(period(start, end)).toEqual([from, until]);
  });

  const UNREADABLE = [
    '',
    ' ',
    'yesterday',
    '2026',
    '2026-1-1',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '20260101',
    '2026-01-01T',
    '2026-01-01T25:00:00Z',
    '2026-01-01T10:61:00Z',
    '2026-01-01T10:00:00+99:00',
    '2026-01-01T10:00:00Z; DROP',
    '0000-01-01',
    '1969-12-31',
    '99999-01-01',
    '1767225600',
    '-1',
    'NaN',
    '２０２６-01-01',
  ];
  test.each(UNREADABLE)('%j is refused with a sentence that shows how to write it', (text) => {
    expect(() => period(text, undefined)).toThrow(/startDate .*2026-01-31/);
    expect(() => period(undefined, text)).toThrow(/endDate .*2026-01-31/);
  });

  test('that ends before it begins is refused', () => {
    expect(() => period('2026-02-02', '2026-02-01')).toThrow(/after its end/);
    expect(() => period(undefined, '2020-01-01')).toThrow(/Give a startDate too/);
    expect(() => period('2027-01-01')).toThrow(/after its end/);
  });
});

function buckets(start: string, end: string, step: (typeof PERIOD_STEPS)[number], zone: string): string[] {
  return bucketStarts({ start: Date.parse(start), end: Date.parse(end) }, step, zone).map(toIso);
}

describe('steps of a calendar', () => {
  test('the day on which Berlin loses an hour has 23 hours', () => {
    expect(buckets('2026-03-28T23:00Z', '2026-03-30T22:00Z', 'day', 'Europe/Berlin')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
  });

  test('hours begin at the full hour of a half-hour time zone', () => {
    expect(buckets('2026-01-01T00:00Z', '2026-01-01T02:00Z', 'hour', 'Asia/Kolkata')).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:30:00.000Z',
      '2026-01-01T01:30:00.000Z',
    ]);
  });

  test('steps within an hour begin at round times of the zone', () => {
    expect(buckets('2026-01-01T00:07Z', '2026-01-01T00:25Z', 'ten_minutes', 'Asia/Kathmandu')).toEqual([
      '2026-01-01T00:07:00.000Z',
      '2026-01-01T00:15:00.000Z',
    ]);
    expect(buckets('2026-01-01T00:00:30Z', '2026-01-01T00:02Z', 'minute', 'UTC')).toEqual([
      '2026-01-01T00:00:30.000Z',
      '2026-01-01T00:01:00.000Z',
    ]);
  });

  test('a day whose midnight is skipped begins at the next existing time', () => {
    expect(buckets('2026-03-28T12:00Z', '2026-03-30T00:00Z', 'day', 'Asia/Beirut')).toEqual([
      '2026-03-28T12:00:00.000Z',
      '2026-03-28T22:00:00.000Z',
      '2026-03-29T21:00:00.000Z',
    ]);
  });

  test('a midnight that happens twice counts from its first time', () => {
    expect(buckets('2026-10-31T12:00Z', '2026-11-02T00:00Z', 'day', 'America/Havana')).toEqual([
      '2026-10-31T12:00:00.000Z',
      '2026-11-01T04:00:00.000Z',
    ]);
  });

  test('weeks begin on Monday and months on their first day', () => {
    expect(buckets('2026-01-01T00:00Z', '2026-01-14T00:00Z', 'week', 'UTC')).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-05T00:00:00.000Z',
      '2026-01-12T00:00:00.000Z',
    ]);
    expect(buckets('2026-01-15T00:00Z', '2026-04-01T00:00Z', 'month', 'America/New_York')).toEqual([
      '2026-01-15T00:00:00.000Z',
      '2026-02-01T05:00:00.000Z',
      '2026-03-01T05:00:00.000Z',
    ]);
  });

  test('an empty period has no steps, and an endless one is refused', () => {
    expect(buckets('2026-01-01T00:00Z', '2026-01-01T00:00Z', 'hour', 'UTC')).toEqual([]);
    expect(() => buckets('2000-01-01T00:00Z', '2026-01-01T00:00Z', 'hour', 'UTC')).toThrow(/larger step/);
  });

  test('steps ascend, begin with the period and stay inside it, in every time zone', () => {
    const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2035, 0) });
    const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(...PERIOD_STEPS),
        zone,
        (start, hours, step, name) => {
          const end = start + hours * 3_600_000;
          const starts = bucketStarts({ start, end }, step, name);
          expect(starts[0]).toBe(start);
          for (const [index, at] of starts.entries()) {
            expect(at).toBeLessThan(end);
            if (index > 0) expect(at).toBeGreaterThan(starts[index - 1] ?? Infinity);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
