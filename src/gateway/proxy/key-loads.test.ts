import { expect, test } from 'vitest';
import { LIMITS } from '../../config.ts';
import { FailedCalls } from './key-loads.ts';

const { failedCallsPerKeyMax, failedCallsPerMinute } = LIMITS;

function failedCalls(count: number, uptime = 0): FailedCalls {
  const failed = new FailedCalls();
  for (let call = 0; call < count; call += 1) failed.add(uptime);
  return failed;
}

test('a key whose calls all fail has a limited number of calls a minute', () => {
  const failed = failedCalls(failedCallsPerKeyMax);
  let sent = 0;
  for (let uptime = 0; uptime < 60_000; uptime += 10) {
    if (failed.waitMs(uptime) > 0) continue;
    failed.add(uptime);
    sent += 1;
  }
  expect(sent).toBe(failedCallsPerMinute - 1);
});

test('the retry time is when the next call may be sent', () => {
  const failed = failedCalls(failedCallsPerKeyMax + 9, 1_000);
  const waitMs = failed.waitMs(1_030);
  expect(waitMs).toBe(970);
  expect(failed.waitMs(1_030 + waitMs - 1)).toBeGreaterThan(0);
  expect(failed.waitMs(1_030 + waitMs)).toBe(0);
});

test('answered calls allow as many failed calls', () => {
  const failed = failedCalls(failedCallsPerKeyMax - 1);
  for (let turn = 0; turn < 10_000; turn += 1) {
    failed.takeOff();
    failed.add(0);
    expect(failed.waitMs(0)).toBe(0);
  }
  failed.add(0);
  expect(failed.waitMs(0)).toBeGreaterThan(0);
});

test('a long quiet time gives no credit', () => {
  const failed = failedCalls(0);
  for (let turn = 0; turn < 10; turn += 1) failed.takeOff();
  for (let call = 0; call < failedCallsPerKeyMax; call += 1) failed.add(86_400_000);
  expect(failed.waitMs(86_400_000)).toBeGreaterThan(0);
});
