import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeliveryVerdict } from '../destinations/destination.ts';
import { DELIVER_MS_MAX, decideOutcome } from './decide-outcome.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/time/units.ts';

const NOW = Date.UTC(2026, 10, 21);

const fresh = {
  delivery: { attempts: 0, createdAt: NOW },
  claim: { failures: 0, failingSince: null },
  at: NOW,
  chance: 0.5,
};
const later: DeliveryVerdict = { outcome: 'later', afterMs: null };
const refused: DeliveryVerdict = { outcome: 'refused' };

test('a success ends the delivery and clears the failures of its queue', () => {
  const claim = { failures: 7, failingSince: NOW - HOUR_MS };
  expect(decideOutcome({ ...fresh, claim, verdict: { outcome: 'delivered' } })).toEqual({
    state: 'delivered',
    nextAt: NOW,
    queue: null,
    disable: null,
  });
});

test('the whole queue waits for a failing receiver, longer each time, and keeps its order', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 20].map((failures) => {
    const { queue, nextAt } = decideOutcome({ ...fresh, claim: { failures, failingSince: NOW }, verdict: later });
    expect(nextAt).toBe(NOW);
    return ((queue?.nextAt ?? 0) - NOW) / 1_000;
  });
  expect(waits).toEqual([5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]);
});

test('waits differ by at most a fifth, so that webhooks that failed together are retried apart', () => {
  const waitAt = (chance: number): number =>
    (decideOutcome({ ...fresh, verdict: later, chance }).queue?.nextAt ?? 0) - NOW;
  expect([0, 0.5, 1].map(waitAt)).toEqual([4_000, 5_000, 6_000]);
});

test("a receiver's Retry-After is respected", () => {
  const verdict: DeliveryVerdict = { outcome: 'later', afterMs: 20 * MINUTE_MS };
  expect(decideOutcome({ ...fresh, verdict }).queue).toEqual({ nextAt: NOW + 20 * MINUTE_MS });
});

test('later messages overtake a message that keeps failing', () => {
  const nextAt = (attempts: number): number =>
    decideOutcome({ ...fresh, delivery: { attempts, createdAt: NOW }, verdict: later }).nextAt - NOW;
  expect([nextAt(0), nextAt(1)]).toEqual([0, 0]);
  expect(nextAt(2)).toBe(2 * MINUTE_MS);
});

test('a message with refused content steps aside immediately and is given up after a few attempts', () => {
  const at = (attempts: number) =>
    decideOutcome({ ...fresh, delivery: { attempts, createdAt: NOW }, verdict: refused });
  expect(at(0)).toEqual({ state: 'waiting', nextAt: NOW + 5_000, queue: { nextAt: NOW }, disable: null });
  expect(at(3).state).toBe('waiting');
  expect(at(4).state).toBe('failed');
});

test('a receiver that refuses everything is retried like a failing one, and no delivery is given up early', () => {
  const claim = { failures: 5, failingSince: NOW };
  const outcome = decideOutcome({ ...fresh, delivery: { attempts: 4, createdAt: NOW }, claim, verdict: refused });
  expect(outcome).toMatchObject({ state: 'waiting', queue: { nextAt: NOW + HOUR_MS } });
});

test('nothing is sent to a URL that no longer exists; waiting deliveries are kept', () => {
  const outcome = decideOutcome({ ...fresh, verdict: { outcome: 'gone' } });
  expect(outcome).toMatchObject({ state: 'waiting', disable: expect.stringContaining('no longer exists') });
});

test('after three days without a success the webhook is disabled and deliveries of that age are given up', () => {
  const failingSince = NOW - DELIVER_MS_MAX;
  const old = { attempts: 9, createdAt: failingSince };
  const outcome = decideOutcome({ ...fresh, delivery: old, claim: { failures: 30, failingSince }, verdict: later });
  expect(outcome).toMatchObject({ state: 'failed', disable: expect.stringContaining('2026-11-18') });
  const younger = decideOutcome({ ...fresh, claim: { failures: 30, failingSince: failingSince + 1 }, verdict: later });
  expect(younger).toMatchObject({ state: 'waiting', disable: null });
});

test('after a sleep of three days one failed attempt neither gives up a delivery nor disables a webhook', () => {
  const delivery = { attempts: 0, createdAt: NOW - 2 * DELIVER_MS_MAX };
  const woken = (attempts: number, failures: number, verdict: DeliveryVerdict) =>
    decideOutcome({
      ...fresh,
      delivery: { ...delivery, attempts },
      claim: { failures, failingSince: NOW - DELIVER_MS_MAX },
      verdict,
    });
  for (const verdict of [later, refused])
    expect(woken(0, 1, verdict)).toMatchObject({ state: 'waiting', disable: null });
  expect(woken(2, 8, later)).toMatchObject({ state: 'failed', disable: null });
  expect(woken(2, 9, later)).toMatchObject({ disable: expect.stringContaining('Every delivery has failed') });
});

test('a delivery is never due in the past, and is due again before it is given up', () => {
  const verdict = fc.constantFrom(later, refused, { outcome: 'later', afterMs: HOUR_MS } as const);
  const number = fc.nat(1_000);
  fc.assert(
    fc.property(
      number,
      number,
      fc.nat(DELIVER_MS_MAX - 1),
      fc.double({ min: 0, max: 1, noNaN: true }),
      verdict,
      (attempts, failures, age, chance, given) => {
        const claim = { failures, failingSince: failures === 0 ? null : NOW - age };
        const delivery = { attempts, createdAt: NOW - age };
        const { nextAt, queue } = decideOutcome({ delivery, claim, verdict: given, at: NOW, chance });
        expect(nextAt).toBeGreaterThanOrEqual(NOW);
        expect(queue?.nextAt).toBeGreaterThanOrEqual(NOW);
        expect(nextAt - NOW).toBeLessThanOrEqual(10 * HOUR_MS);
      },
    ),
  );
});
