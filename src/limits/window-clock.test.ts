import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BEHIND_MS_MAX, type ClockStep, WindowClock, SMALL_STEP_MS, STABLE_MS } from './window-clock.ts';

const START = Date.UTC(2026, 10, 21);

function clockAt(from = 0) {
  const time = { wall: START, uptime: 1_000 };
  const steps: [ClockStep, number][] = [];
  const clock = new WindowClock({
    wall: () => time.wall,
    uptime: () => time.uptime,
    from,
    stepped: (step, ms) => steps.push([step, ms]),
  });
  const pass = (ms: number, step = 0): number => {
    time.uptime += ms;
    time.wall += ms + step;
    return clock.now() - START;
  };
  return { pass, steps };
}

test('follows the wall clock', () => {
  const { pass, steps } = clockAt();
  expect([pass(0), pass(10), pass(0.6), pass(0.6)]).toEqual([0, 10, 10, 11]);
  expect(steps).toEqual([]);
});

test('follows a small jump forward immediately', () => {
  const { pass, steps } = clockAt();
  expect(pass(10, SMALL_STEP_MS)).toBe(10 + SMALL_STEP_MS);
  expect(steps).toEqual([]);
});

test('follows a large jump forward after it lasted a minute, and reports it', () => {
  const { pass, steps } = clockAt();
  const step = 40 * 86_400_000;
  expect(pass(10, step)).toBe(10);
  expect(pass(STABLE_MS - 1)).toBe(STABLE_MS + 9);
  expect(steps).toEqual([]);
  expect(pass(1)).toBe(STABLE_MS + 10 + step);
  expect(steps).toEqual([['jumped_ahead', step]]);
});

test('ignores a large jump that is taken back within the minute', () => {
  const { pass, steps } = clockAt();
  pass(10, 3_600_000);
  expect(pass(30_000, -3_600_000)).toBe(30_010);
  expect(pass(2 * STABLE_MS)).toBe(30_010 + 2 * STABLE_MS);
  expect(steps).toEqual([]);
});

test('stands still while the wall clock is up to an hour behind', () => {
  const { pass, steps } = clockAt();
  expect(pass(10, -BEHIND_MS_MAX)).toBe(0);
  expect(pass(BEHIND_MS_MAX - 11)).toBe(0);
  expect(pass(2)).toBe(1);
  expect(steps).toEqual([]);
});

test('runs on its own if the wall clock falls further behind, reports it, and returns to it when it can', () => {
  const { pass, steps } = clockAt();
  const step = BEHIND_MS_MAX + 1_000;
  expect(pass(10, -step)).toBe(10);
  expect(steps).toEqual([['fell_behind', step]]);
  expect(pass(5_000)).toBe(5_010);
  // The wall clock is set right again.
  expect(pass(1_000, step)).toBe(6_010);
  expect(pass(1_000)).toBe(7_010);
  expect(steps).toHaveLength(1);
});

test('starts no earlier than the newest call, unless that is far ahead', () => {
  const near = clockAt(START + 60_000);
  expect(near.pass(1_000)).toBe(60_000);
  const far = clockAt(START + 2 * BEHIND_MS_MAX);
  expect(far.pass(1_000)).toBe(1_000);
  expect(far.steps).toEqual([['fell_behind', 2 * BEHIND_MS_MAX]]);
});

test('never goes back, whatever the wall clock does', () => {
  const ms = fc.double({ min: 0, max: 90_000, noNaN: true });
  const step = fc.oneof(fc.constant(0), fc.integer({ min: -8_000_000, max: 8_000_000 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(ms, step), { maxLength: 40 }), (moves) => {
      const { pass } = clockAt();
      let last = 0;
      for (const [passed, by] of moves) {
        const now = pass(passed, by);
        expect(now).toBeGreaterThanOrEqual(last);
        expect(Number.isSafeInteger(now)).toBe(true);
        last = now;
      }
    }),
  );
});
