import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMIT_WINDOWS, type ZoneChange } from '../limits/limit.ts';
import { changeZone, windowAt } from './window.ts';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const zone = (name: string): ZoneChange[] => [{ zone: name, since: 0 }];

test.each([
  ['minute', '2026-11-21T10:20:59.999Z', 'UTC', '2026-11-21T10:20', '2026-11-21T10:21'],
  ['minute', '2026-11-21T10:21:00.000Z', 'UTC', '2026-11-21T10:21', '2026-11-21T10:22'],
  ['hour', '2026-11-21T10:59:59.999Z', 'Asia/Kolkata', '2026-11-21T10:00', '2026-11-21T11:00'],
  ['day', '2026-11-21T23:59:59.999Z', 'UTC', '2026-11-21T00:00', '2026-11-22T00:00'],
  ['day', '2026-11-22T00:00:00.000Z', 'UTC', '2026-11-22T00:00', '2026-11-23T00:00'],
  ['day', '2026-11-21T18:29:59.999Z', 'Asia/Kolkata', '2026-11-20T18:30', '2026-11-21T18:30'],
  ['day', '2026-11-21T18:30:00.000Z', 'Asia/Kolkata', '2026-11-21T18:30', '2026-11-22T18:30'],
  ['week', '2026-11-22T23:59:59.999Z', 'UTC', '2026-11-16T00:00', '2026-11-23T00:00'],
  ['week', '2026-11-23T00:00:00.000Z', 'UTC', '2026-11-23T00:00', '2026-11-30T00:00'],
  ['month', '2026-12-31T23:30:00.000Z', 'Europe/Berlin', '2026-12-31T23:00', '2027-01-31T23:00'],
  ['month', '2028-02-29T12:00:00.000Z', 'UTC', '2028-02-01T00:00', '2028-03-01T00:00'],
] as const)('the %s at %s in %s is from %s to %s', (window, instant, name, start, end) => {
  const found = windowAt(window, at(instant), zone(name));
  expect([iso(found.start), iso(found.end)]).toEqual([start, end]);
});

describe('days of a clock change', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29T12:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', 25],
    ['America/New_York', '2026-11-01T17:00:00Z', 25],
    // Midnight itself is skipped.
    ['Africa/Cairo', '2026-04-24T12:00:00Z', 23],
    // Clocks go back over midnight.
    ['America/Havana', '2026-11-01T17:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-10-03T20:00:00Z', 23.5],
  ])('%s on %s has %d hours', (name, instant, hours) => {
    const { start, end } = windowAt('day', at(instant), zone(name));
    expect((end - start) / 3_600_000).toBe(hours);
  });
});

test('a total window never ends', () => {
  expect(windowAt('total', 0, zone('UTC'))).toEqual({ start: 0, end: Infinity });
});

describe('a new time zone', () => {
  const moved: ZoneChange[] = [...zone('UTC'), { zone: 'America/New_York', since: at('2026-11-21T10:00:00Z') }];

  test('leaves the end of the open window unchanged', () => {
    const { start, end } = windowAt('day', at('2026-11-21T23:59:00Z'), moved);
    expect([iso(start), iso(end)]).toEqual(['2026-11-21T00:00', '2026-11-22T00:00']);
  });

  test('applies from the next window on, which is shorter or longer for it', () => {
    const next = windowAt('day', at('2026-11-22T00:00:00Z'), moved);
    expect([iso(next.start), iso(next.end)]).toEqual(['2026-11-22T00:00', '2026-11-22T05:00']);
    const later = windowAt('day', at('2026-11-22T05:00:00Z'), moved);
    expect([iso(later.start), iso(later.end)]).toEqual(['2026-11-22T05:00', '2026-11-23T05:00']);
  });

  test('that is replaced within the window never applies', () => {
    const twice = [...moved, { zone: 'Asia/Tokyo', since: at('2026-11-21T11:00:00Z') }];
    const { start, end } = windowAt('day', at('2026-11-22T03:00:00Z'), twice);
    expect([iso(start), iso(end)]).toEqual(['2026-11-22T00:00', '2026-11-22T15:00']);
  });
});

test('windows follow each other without gap or overlap, for any changes of time zones', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/Havana',
    'Asia/Kolkata',
    'Pacific/Apia',
    'Africa/Cairo',
  );
  const first = Date.UTC(2026, 0, 1);
  const instant = fc.integer({ min: first, max: first + 800 * 86_400_000 });
  const changes = fc
    .tuple(zones, fc.array(fc.tuple(zones, instant), { maxLength: 4 }))
    .map(([name, later]) =>
      zone(name).concat(later.map(([next, since]) => ({ zone: next, since })).toSorted((a, b) => a.since - b.since)),
    );
  fc.assert(
    fc.property(fc.constantFrom(...LIMIT_WINDOWS), instant, changes, (window, now, history) => {
      const found = windowAt(window, now, history);
      expect(found.start).toBeLessThanOrEqual(now);
      expect(found.end).toBeGreaterThan(now);
      expect(windowAt(window, found.start, history)).toEqual(found);
      if (found.end === Infinity) return;
      expect(windowAt(window, found.end - 1, history)).toEqual(found);
      expect(windowAt(window, found.end, history).start).toBe(found.end);
    }),
    { numRuns: 2_000 },
  );
});

test('the newest time zone applies if earlier ones were set while the clock was ahead', () => {
  const zones = [...zone('UTC'), { zone: 'Asia/Tokyo', since: 100 }, { zone: 'America/Havana', since: 900 }];
  const tokyo = zones.slice(0, 2);
  expect(changeZone(zones, { zone: 'Africa/Cairo', since: 500 })).toEqual([
    ...tokyo,
    { zone: 'Africa/Cairo', since: 500 },
  ]);
  const havana = { zone: 'America/Havana', since: 500 };
  expect(changeZone(zones, havana)).toEqual([...tokyo, havana]);
  expect(changeZone(zones, { zone: 'Asia/Tokyo', since: 500 })).toEqual(tokyo);
  expect(changeZone(zones, { zone: 'America/Havana', since: 901 })).toEqual(zones);
});
