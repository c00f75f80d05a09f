import { expect, test } from 'vitest';
import { readSeries } from './read-series.ts';

const TEN = Date.UTC(2026, 0, 5, 10);

test('lines of the same hour are added, and hours are sorted', () => {
  const text = 'time,cost,calls\n2026-01-05T11:00:00Z,1,2\n2026-01-05T10:59:59Z,0.25,1\n2026-01-05 10:00,0.5,3\n';
  expect(readSeries(text, 'a file').hours).toEqual([
    { hour: TEN, cost: 750_000_000, calls: 4, failed: null, tokens: null },
    { hour: TEN + 3_600_000, cost: 1_000_000_000, calls: 2, failed: null, tokens: null },
  ]);
});

test.each([
  ['timestamp,value\n1767607200,3', 'seconds'],
  ['timestamp,value\n1767607200000,3.00', 'milliseconds'],
  ['"cost";"time"\r\n"3";"2026-01-05T11:00:00+01:00"\r\n', 'quotes, semicolons and an offset'],
  ['time,other,usd\n2026-01-05T10:30:00Z,x,3e0', 'other columns and exponents'],
  ['\uFEFFtime,cost\n2026-01-05T10:00:00Z,3.0000000004999999', 'a mark at the start and many decimals'],
])('%j is read: %s', (text) => {
  expect(readSeries(text, 'a file').hours).toMatchObject([{ hour: TEN, cost: 3_000_000_000, calls: null }]);
});

test.each([
  ['', /first line must name/],
  ['a,b\n1,2', /first line must name/],
  ['time,cost\n', /no line with figures/],
  ['time,cost\nyesterday,2', /Line 2: "yesterday" is not a time/],
  ['time,cost\n2026-01-05T10:00:00Z,2\n2026-01-05T11:00:00Z,-1', /Line 3: "-1" is not a valid cost/],
  ['time,cost,calls\n2026-01-05T10:00:00Z,2,many', /Line 2: "many" is not a valid calls/],
  ['time,cost\n2026-01-05T10:00:00Z', /Line 2: "" is not a valid cost/],
])('%j is refused with the line and the expected format', (text, message) => {
  expect(() => readSeries(text, 'a file')).toThrow(message);
});
