import { describe, expect, test } from 'vitest';
import { type ForecastInput, forecastLimit } from './forecast-limit.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MARCH = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 3, 1) };
const since = MARCH.start - 28 * DAY;

/** Ten an hour from 8 to 18 on workdays: 2,200 in March 2026. */
function workday(at: number): number {
  const date = new Date(at);
  const [hour, weekday] = [date.getUTCHours(), date.getUTCDay()];
  return weekday >= 1 && weekday <= 5 && hour >= 8 && hour < 18 ? 10 : 0;
}

function input(now: number, amount: number, change: Partial<ForecastInput> = {}, pace = 1): ForecastInput {
  const hours = [];
  let counted = 0;
  for (let hour = since; hour < now; hour += HOUR) {
    const value = workday(hour) * (hour >= MARCH.start ? pace : 1);
    if (value > 0) hours.push({ hour, counted: value });
    if (hour >= MARCH.start) counted += value;
  }
  return { window: MARCH, now, counted, amount, hours, since, timeZone: 'UTC', ...change };
}

describe('forecastLimit', () => {
  test('neither a weekend nor a busy week at the start of a month misleads the forecast', () => {
    const friday = MARCH.start + 6 * DAY;
    expect(forecastLimit(input(friday, 2_300))).toMatchObject({ passesAt: null, expected: 2_200, basis: 'shape' });
  });

  test('names the hour in which the amount is exceeded', () => {
    const forecast = forecastLimit(input(MARCH.start + 9 * DAY, 1_955));
    const passesAt = new Date(forecast?.passesAt ?? 0).toISOString();
    expect(passesAt.slice(0, 13)).toBe('2026-03-27T13');
  });

  test('a pace above the history counts more as the window progresses', () => {
    const at = (day: number): number => forecastLimit(input(MARCH.start + day * DAY, 10_000, {}, 2))?.expected ?? 0;
    expect(at(4)).toBeGreaterThan(2_200);
    expect(at(11)).toBeGreaterThan(at(4));
    expect(at(20)).toBeLessThanOrEqual(4_400);
  });

  test('there is no forecast in the first twentieth of a window, unless half the amount is used', () => {
    const early = MARCH.start + DAY + 12 * HOUR;
    expect(forecastLimit(input(early, 300))).toBeNull();
    expect(forecastLimit(input(early, 300, { counted: 200 }))?.passesAt).toBeGreaterThan(early);
  });

  test('with too little history the forecast is a straight line, from a quarter of the window on', () => {
    const none = { hours: [], counted: 500 };
    expect(forecastLimit(input(MARCH.start + 3 * DAY, 1_200, none))).toBeNull();
    const forecast = forecastLimit(input(MARCH.start + 10 * DAY, 1_200, none));
    expect(forecast).toMatchObject({ basis: 'line', expected: 1_550 });
    expect(forecast?.passesAt).toBe(MARCH.start + 24 * DAY);
  });

  test('there is no forecast for an exceeded limit, a window that is over or a window without end', () => {
    const now = MARCH.start + 10 * DAY;
    expect(forecastLimit(input(now, 100))).toBeNull();
    expect(forecastLimit(input(MARCH.end, 10_000))).toBeNull();
    expect(forecastLimit(input(now, 10_000, { window: { start: 0, end: Infinity } }))).toBeNull();
  });
});
