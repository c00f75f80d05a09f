import { expect, test } from 'vitest';
import { SimulatedTime } from '../../test/simulation/time.ts';
import { TEST_NOW } from '../../test/support/temporary-records.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';
import { SharedClock } from './shared-clock.ts';

/** A machine whose clock is wrong, and a database that answers after a while. */
function openClock(skewMs: number) {
  const time = new SimulatedTime(TEST_NOW);
  let skew = skewMs;
  const machine = { answerMs: 0, isAway: false, set: (ms: number) => void (skew = ms) };
  const clock = new SharedClock({ wall: () => time.wall + skew, uptime: () => time.uptime, scheduler: time });
  const read = async (): Promise<number> => {
    if (machine.isAway) throw new Error('away');
    time.uptime += machine.answerMs / 2;
    time.wall += machine.answerMs / 2;
    const answer = time.wall;
    time.uptime += machine.answerMs / 2;
    time.wall += machine.answerMs / 2;
    return answer;
  };
  return { time, clock, read, machine, error: () => clock.now() - time.wall };
}

test.each([-HOUR_MS, 0, HOUR_MS])(
  'a machine whose clock is off by %d ms has the time of the database',
  async (skew) => {
    const { clock, read, error, time } = openClock(skew);
    expect(error()).toBe(skew);
    await clock.follow(read);
    expect(error()).toBe(0);
    time.pass(7_000);
    expect(error()).toBe(0);
  },
);

test('the time of an answer is that of the middle between question and answer', async () => {
  const { clock, read, error, machine } = openClock(HOUR_MS);
  machine.answerMs = 300;
  await clock.follow(read);
  expect(error()).toBe(0);
});

test('a clock that is set, and a machine that sleeps, are corrected with the next answer', async () => {
  const { clock, read, error, machine, time } = openClock(0);
  await clock.follow(read);
  machine.set(HOUR_MS);
  await expect.poll(() => (time.pass(10_000), error())).toBe(0);
  // Its uptime does not move while it sleeps.
  time.wall += MINUTE_MS;
  await expect.poll(() => (time.pass(10_000), error())).toBe(0);
});

test('while the database is away, or slow, the time goes on', async () => {
  const { clock, read, error, machine, time } = openClock(HOUR_MS);
  await clock.follow(read);
  machine.isAway = true;
  time.pass(MINUTE_MS);
  expect(error()).toBe(0);
  machine.isAway = false;
  machine.answerMs = 20_000;
  time.pass(10_000);
  await expect.poll(error).toBe(0);
});
