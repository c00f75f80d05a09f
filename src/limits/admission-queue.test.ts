import { describe, expect, test } from 'vitest';
import type { Limit } from '../domain/limits/limit.ts';
import {
  sampleBudget,
  DAY,
  sampleLimit,
  sampleNeed,
  NOON,
  SampleEngine,
  sampleSubject,
} from './contract/sample-limits.ts';
import { Hold } from './hold.ts';
import type { LimitSubject } from './scope-index.ts';
import { WAIT_MS_MAX, WAITING_PER_COUNTER_MAX } from '../domain/limits/admission-rules.ts';
import { WAITING_MAX, type WaitingCall } from './admission-queue.ts';

/** A ledger at which calls wait; `log` says who was admitted or refused, in order. */
class WaitingSample extends SampleEngine {
  readonly log: string[] = [];
  readonly admitted = new Map<string, Hold>();
  wasRefused: (name: string) => void = () => {};

  /** Uptime begins at 0. */
  wait(name: string, usd: number, subject: Partial<LimitSubject> = {}, until = WAIT_MS_MAX): WaitingCall {
    const who = sampleSubject(subject);
    const need = sampleNeed(usd);
    const blocked = this.engine.admit(who, this.engine.findCounters(who, NOON), need, NOON);
    if (blocked instanceof Hold) throw new Error(`${name} need not wait`);
    const waiter: WaitingCall = {
      subject: who,
      need,
      until,
      admitted: (hold) => {
        this.log.push(`${name} goes`);
        this.admitted.set(name, hold);
      },
      refused: ({ reason, counter }) => {
        this.log.push(`${name} ${reason} ${counter.limit.id}`);
        this.wasRefused(name);
      },
    };
    if (!this.engine.wait(waiter, blocked)) this.log.push(`${name} finds no place`);
    return waiter;
  }
}

const withLimits = (...limits: readonly Limit[]): WaitingSample => new WaitingSample(...limits);

describe('a waiting call', () => {
  test('holds nothing', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    sample.hold(40);
    sample.wait('a', 20);
    expect([sample.figures(), sample.engine.holds, sample.engine.waiting]).toEqual([{ lim_1: [0, 40] }, 1, 1]);
  });

  test('is admitted in the order of arrival, and later calls queue behind it', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    const [first, second] = [sample.hold(10), sample.hold(40)];
    sample.wait('large', 45);
    sample.wait('small', 5);
    expect(sample.try(5)).toBe('in_flight lim_1');
    sample.settle(first, 0);
    expect(sample.log).toEqual([]);
    sample.settle(second, 0);
    expect(sample.log).toEqual(['large goes', 'small goes']);
  });

  test('is passed by calls of other keys that fit, and never by one of its own', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    sample.hold(30);
    sample.wait('large', 40);
    expect(sample.try(5)).toBe('in_flight lim_1');
    expect(sample.try(5, { keyId: 'key_b' })).toBeInstanceOf(Hold);
    expect(sample.try(20, { keyId: 'key_b' })).toBe('in_flight lim_1');
  });

  test('delays calls of its own key, not those of others', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    const [first] = [sample.hold(25), sample.hold(25)];
    sample.wait('large', 40);
    sample.wait('small', 5);
    sample.wait('of another', 5, { keyId: 'key_b' });
    sample.settle(first, 0);
    expect(sample.log).toEqual(['of another goes']);
  });

  test('is admitted in turns of keys, however many calls of another key came before', () => {
    const sample = withLimits(sampleLimit('lim_1', { unit: 'concurrency', amount: 1, window: 'total' }));
    const open = sample.hold(1);
    for (const name of ['a1', 'a2', 'a3']) sample.wait(name, 1);
    for (const name of ['b1', 'b2']) sample.wait(name, 1, { keyId: 'key_b' });
    sample.engine.release(open, NOON);
    for (const name of ['a1', 'b1', 'a2', 'b2']) sample.engine.release(sample.admitted.get(name) as Hold, NOON);
    expect(sample.log).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'].map((name) => `${name} goes`));
  });

  test('is tried when all counters of a correction have moved, not between them', () => {
    const sample = withLimits(sampleBudget('lim_1', 50), sampleBudget('lim_2', 50));
    sample.spend(5);
    sample.hold(40);
    sample.wait('a', 20);
    const move = (counter: number, counted: number) => ({
      counter,
      windowStart: NOON - DAY / 2,
      value: '',
      counted,
      uncertain: 0,
    });
    sample.engine.move([move(2, 30)], NOON);
    sample.engine.move([move(1, -5), move(2, -30)], NOON);
    expect([sample.log, sample.engine.waiting]).toEqual([[], 1]);
  });

  test('is admitted as soon as there is room, together with all that fit', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    const open = sample.hold(50);
    for (const name of ['a', 'b', 'c']) sample.wait(name, 20);
    sample.settle(open, 5);
    expect(sample.log).toEqual(['a goes', 'b goes']);
    expect(sample.figures()).toEqual({ lim_1: [5, 40] });
    sample.engine.release(sample.admitted.get('a') as Hold, NOON);
    expect(sample.log).toEqual(['a goes', 'b goes', 'c goes']);
  });

  test('is refused after two seconds, and those behind it are tried', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    sample.hold(30);
    sample.wait('large', 40);
    sample.wait('small', 20, {}, WAIT_MS_MAX + 1);
    sample.engine.sweep(NOON, WAIT_MS_MAX - 1);
    expect(sample.log).toEqual([]);
    sample.engine.sweep(NOON, WAIT_MS_MAX);
    expect(sample.log).toEqual(['large in_flight lim_1', 'small goes']);
    expect(sample.engine.waiting).toBe(0);
  });

  test('can be cancelled, gets no result, and delays no call', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    const open = sample.hold(30);
    const gone = sample.wait('gone', 40);
    sample.wait('small', 20);
    sample.engine.cancel(gone);
    sample.engine.cancel(gone);
    sample.engine.sweep(NOON, 1);
    sample.settle(open, 0);
    expect(sample.log).toEqual(['small goes']);
  });

  test('is refused immediately if it can never fit', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    const open = sample.hold(40);
    sample.wait('a', 20);
    sample.wait('b', 10);
    sample.settle(open, 35);
    expect(sample.log).toEqual(['a exceeds_limit lim_1', 'b goes']);
  });

  test('is admitted when the next window has room', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    sample.hold(50);
    sample.wait('a', 20);
    sample.wait('b', 40);
    sample.engine.sweep(NOON + DAY / 2 - 1, 1);
    expect(sample.log).toEqual([]);
    sample.engine.sweep(NOON + DAY / 2, 1);
    expect(sample.log).toEqual(['a goes']);
    sample.settle(sample.admitted.get('a') as Hold, 0, DAY / 2);
    expect(sample.log).toEqual(['a goes', 'b goes']);
  });

  test('is admitted when the amount is raised', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    sample.hold(50);
    sample.wait('a', 20);
    sample.engine.put(sampleBudget('lim_1', 50, { raise: { amount: 70, until: NOON + DAY } }), NOON);
    expect(sample.log).toEqual(['a goes']);
  });

  test('is refused when the raise that it fits ends', () => {
    const sample = withLimits(sampleBudget('lim_1', 50, { raise: { amount: 100, until: NOON + 1_000 } }));
    sample.hold(90);
    sample.wait('a', 60);
    sample.engine.sweep(NOON + 999, 1);
    expect(sample.log).toEqual([]);
    sample.engine.sweep(NOON + 1_000, 1);
    expect(sample.log).toEqual(['a exceeds_limit lim_1']);
  });

  test('is admitted when the limit is removed', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    sample.hold(50);
    sample.wait('a', 20);
    sample.engine.remove('lim_1', NOON);
    expect(sample.log).toEqual(['a goes']);
  });

  test('is not admitted while a limit gets new counters', () => {
    const sample = withLimits(sampleBudget('lim_1', 50));
    sample.hold(50);
    sample.wait('a', 20);
    sample.engine.put(sampleBudget('lim_1', 60, { counter: 2 }), NOON);
    expect(sample.log).toEqual([]);
    sample.engine.put(sampleBudget('lim_1', 70, { counter: 2 }), NOON);
    expect(sample.log).toEqual(['a goes']);
  });

  test('continues to wait under the next limit that is full', () => {
    const key = { kind: 'key', keyId: 'key_a' } as const;
    const sample = withLimits(sampleBudget('lim_1', 50), sampleBudget('lim_2', 50, { scope: key }));
    const first = sample.hold(40, { keyId: 'key_b' });
    const second = sample.hold(10);
    sample.wait('a', 45);
    sample.settle(first, 0);
    expect(sample.log).toEqual([]);
    sample.settle(second, 0);
    expect(sample.log).toEqual(['a goes']);
  });
});

test('leaves no counter behind when it is the last to wait there and times out under another limit', () => {
  const each = sampleBudget('lim_1', 60, { scope: { kind: 'each_tag', key: 'user' } });
  const sample = withLimits(each, sampleBudget('lim_2', 100));
  sample.hold(50, { tags: { user: 'bob' } });
  const under = sample.hold(50, { tags: { user: 'ann' } });
  sample.wait('a', 60, { tags: { user: 'ann' } });
  sample.engine.release(under, NOON);
  expect([sample.log, sample.engine.waiting]).toEqual([[], 1]);
  sample.engine.sweep(NOON, WAIT_MS_MAX);
  expect([sample.log, sample.engine.counters]).toEqual([['a in_flight lim_2'], 2]);
});

test('times out in the order of arrival; calls that arrive meanwhile continue to wait', () => {
  const sample = withLimits(sampleLimit('lim_1', { scope: { kind: 'each_tag', key: 'team' }, amount: 1 }));
  const comes = (name: string, team: number, until?: number): WaitingCall =>
    sample.wait(name, 1, { keyId: `key_${name}`, tags: { team: `${team}` } }, until);
  const teams = WAITING_MAX / WAITING_PER_COUNTER_MAX;
  for (let team = 0; team < teams; team += 1) sample.hold(1, { tags: { team: `${team}` } });
  const names = Array.from({ length: WAITING_MAX }, (_, call) => `${call}`);
  for (const name of names) comes(name, Number(name) % teams);
  sample.wasRefused = (name) => {
    if (name === '0') comes('again', 0, 2 * WAIT_MS_MAX);
  };
  sample.engine.sweep(NOON, WAIT_MS_MAX);
  expect(sample.log).toEqual(names.map((name) => `${name} in_flight lim_1`));
  expect(sample.engine.waiting).toBe(1);
});

const perTeam = sampleLimit('lim_1', {
  scope: { kind: 'each_tag', key: 'team' },
  unit: 'concurrency',
  amount: 1,
  window: 'total',
});
const TEAMS = WAITING_MAX / WAITING_PER_COUNTER_MAX;

test('is one of at most 64 under one counter, and of 4,096 in all', () => {
  const sample = withLimits(perTeam);
  const comes = (name: string, team: number, key: number): WaitingCall =>
    sample.wait(name, 1, { keyId: `key_${key}`, tags: { team: `${team}` } });
  for (let team = 0; team <= TEAMS; team += 1) sample.hold(1, { tags: { team: `${team}` } });
  for (let call = 0; call < WAITING_PER_COUNTER_MAX; call += 1) comes('a', 0, call);
  expect(sample.log).toEqual([]);
  comes('the 65th', 0, WAITING_PER_COUNTER_MAX);
  for (let call = WAITING_PER_COUNTER_MAX; call < WAITING_MAX; call += 1) comes('a', 1 + (call % (TEAMS - 1)), call);
  comes('the last', TEAMS, WAITING_MAX);
  expect(sample.log).toEqual(['the 65th finds no place', 'the last finds no place']);
});

test('leaves half of the places under a limit to other keys, and more keys leave the rest', () => {
  const sample = withLimits(sampleBudget('lim_1', 50));
  sample.hold(50);
  const lets = (keyId: string): number => {
    const before = sample.engine.waiting;
    for (let call = 0; call < WAITING_PER_COUNTER_MAX; call += 1) sample.wait('a', 1, { keyId });
    return sample.engine.waiting - before;
  };
  expect(['key_a', 'key_b', 'key_c'].map(lets)).toEqual([32, 16, 8]);
  sample.wait('a', 1, { keyId: 'key_d' });
  expect(sample.engine.waiting).toBe(57);
  sample.engine.sweep(NOON, WAIT_MS_MAX);
  expect(lets('key_b')).toBe(32);
});

test('leaves half of all places to other keys, even if its key waits under many counters', () => {
  const sample = withLimits(perTeam);
  for (let team = 0; team <= 2 * TEAMS; team += 1) sample.hold(1, { tags: { team: `${team}` } });
  for (let call = 0; call < WAITING_MAX; call += 1) sample.wait('a', 1, { tags: { team: `${call % (2 * TEAMS)}` } });
  expect(sample.engine.waiting).toBe(WAITING_MAX / 2);
  sample.wait('b', 1, { keyId: 'key_b', tags: { team: `${2 * TEAMS}` } });
  expect(sample.engine.waiting).toBe(WAITING_MAX / 2 + 1);
});
