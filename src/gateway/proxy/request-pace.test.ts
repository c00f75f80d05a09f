import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { LIMITS } from '../../config.ts';
import { RequestPace, UnsentRequests } from './request-pace.ts';

const { unsentRequestsMax, unsentRequestsPerSecond } = LIMITS;

/** A pace whose clock and turns a test sets. */
function openPace() {
  const time = { uptime: 0 };
  const scheduled: (() => void)[] = [];
  const schedule = (act: () => void): void => void scheduled.push(act);
  const pace = new RequestPace(() => time.uptime, { soon: schedule, later: (act) => (schedule(act), () => {}) });
  const turn = (): void => scheduled.splice(0).forEach((act) => act());
  return { pace, time, turn, scheduled };
}

/** Requests of one key, with the number of those that have begun. */
function openKey(pace: RequestPace) {
  const key = { unsent: new UnsentRequests(), begun: 0 };
  const send = (count: number): EventEmitter[] =>
    Array.from({ length: count }, () => {
      const res = new EventEmitter();
      pace.begin(key, res, () => (key.begun += 1));
      return res;
    });
  return { key, send };
}

test('of requests that are not sent, few begin at a time, and others with time', () => {
  const { pace, time, turn } = openPace();
  const { key, send } = openKey(pace);
  send(900);
  expect(key.begun).toBe(unsentRequestsMax);
  turn();
  expect(key.begun).toBe(unsentRequestsMax);
  for (time.uptime = 1; time.uptime <= 1_000; time.uptime += 1) turn();
  expect(key.begun).toBe(unsentRequestsMax + unsentRequestsPerSecond);
});

test('after a long turn of the event loop, one request that waits begins in each turn', () => {
  const { pace, time, turn } = openPace();
  const { key, send } = openKey(pace);
  send(900);
  for (time.uptime = 100; time.uptime <= 1_000; time.uptime += 100) {
    turn();
    expect(key.begun).toBe(unsentRequestsMax + time.uptime / 100);
  }
});

test('a key whose calls are sent begins the next ones without a wait', () => {
  const { pace, turn } = openPace();
  const { key, send } = openKey(pace);
  send(900);
  for (let sent = 0; sent < 900; sent += 1) {
    expect(key.begun).toBeGreaterThan(sent);
    pace.sent(key);
    turn();
  }
  expect(key.begun).toBe(900);
});

test('a key that waits keeps no other key waiting', () => {
  const { pace } = openPace();
  openKey(pace).send(900);
  const other = openKey(pace);
  other.send(unsentRequestsMax);
  expect(other.key.begun).toBe(unsentRequestsMax);
});

test('requests begin in the order of arrival', () => {
  const { pace, time, turn } = openPace();
  const key = { unsent: new UnsentRequests() };
  const begun: number[] = [];
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  for (const number of numbers) pace.begin(key, new EventEmitter(), () => void begun.push(number));
  for (time.uptime = 1; time.uptime <= 200; time.uptime += 1) turn();
  expect(begun).toEqual(numbers);
});

test('a request whose client disconnects while it waits never begins', () => {
  const { pace, time, turn, scheduled } = openPace();
  const { key, send } = openKey(pace);
  send(unsentRequestsMax);
  for (const res of send(100)) res.emit('close');
  expect(key.unsent.waiting.size).toBe(0);
  time.uptime = 10_000;
  turn();
  expect(key.begun).toBe(unsentRequestsMax);
  expect(scheduled).toEqual([]);
});

test('a long quiet time gives no credit', () => {
  const { pace, time } = openPace();
  const { key, send } = openKey(pace);
  send(unsentRequestsMax);
  for (let sent = 0; sent < 100; sent += 1) pace.sent(key);
  time.uptime = 86_400_000;
  send(900);
  expect(key.begun).toBeLessThanOrEqual(3 * unsentRequestsMax);
});
