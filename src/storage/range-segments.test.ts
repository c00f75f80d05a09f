import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitRange } from './range-segments.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

const UNITS = { detail: 1, hour: HOUR_MS, day: DAY_MS };
const instant = fc.integer({ min: 0, max: 6 * DAY_MS });
const range = fc.tuple(instant, instant).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

test('segments cover a range once, without a gap, each in whole units of its source', () => {
  fc.assert(
    fc.property(range, (given) => {
      const segments = splitRange(given, 0);
      let reached = given.start;
      for (const { from, start, end } of segments) {
        expect(start).toBe(reached);
        expect([start % UNITS[from], end % UNITS[from]]).toEqual([0, 0]);
        reached = end;
      }
      expect(reached).toBe(given.end);
    }),
  );
});

test('entries are read for less than two hours, and hour rows for less than two days', () => {
  fc.assert(
    fc.property(range, (given) => {
      const length = (unit: string): number =>
        splitRange(given, 0).reduce((sum, { from, start, end }) => sum + (from === unit ? end - start : 0), 0);
      expect(length('detail')).toBeLessThan(2 * HOUR_MS);
      expect(length('hour')).toBeLessThan(2 * DAY_MS);
    }),
  );
});

test('no entry is read if entries may be deleted', () => {
  fc.assert(
    fc.property(range, fc.nat(150), (given, hours) => {
      const detailBegins = hours * HOUR_MS;
      for (const { from, start } of splitRange(given, detailBegins))
        if (from === 'detail') expect(start).toBeGreaterThanOrEqual(detailBegins);
    }),
  );
});
