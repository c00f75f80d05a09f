import { expect, test } from 'vitest';
import { LIMITS } from '../../config.ts';
import { MINUTE_MS } from '../../domain/time/units.ts';
import type { RefusedCall } from '../../domain/usage/refused-call.ts';
import { NOON, sampleBudget } from '../../limits/contract/sample-limits.ts';
import type { RefusedUnderLimit } from '../../limits/refusal-errors.ts';
import type { InferenceRequest } from './proxy-request.ts';
import { RefusalLog } from './refusal-log.ts';

const PER_KEY = LIMITS.refusalsPerKeyPerMinute;

class SampleLog {
  readonly rows: RefusedCall[] = [];
  /** Work that waits for a timer. */
  readonly later: (() => void)[] = [];
  now = NOON;
  pokes = 0;
  answered = 0;
  #calls = 0;
  readonly log = new RefusalLog({
    journal: {
      refuse: (call, done) => {
        this.rows.push(call);
        done();
      },
    },
    now: () => this.now,
    newCallId: () => this.#newCallId(),
    written: () => void (this.pokes += 1),
    scheduler: {
      soon: (act) => act(),
      later: (act) => {
        this.later.push(act);
        return () => {};
      },
    },
  });

  #newCallId(): string {
    return `call_${String((this.#calls += 1)).padStart(9, '0')}`;
  }

  refuse(
    keyId = 'key_a',
    limitId = 'lim_1',
    reason: RefusedUnderLimit['reason'] = 'spent',
    id = this.#newCallId(),
  ): void {
    const request = {
      id,
      key: { id: keyId, workspaceId: 'ws_a' },
      provider: { id: 'anthropic' },
      facts: { model: 'm'.repeat(600) },
      tagReading: { tags: { team: 'a' }, warnings: [] },
      contextReading: { sessionHash: 'h', context: { session: 's' } },
    } as unknown as InferenceRequest;
    const standing = {
      limit: sampleBudget(limitId, 100),
      value: '',
      windowStart: 0,
      windowEnd: null,
      amount: 100,
      counted: 60,
      uncertain: 0,
      held: 0,
      left: 40,
    };
    this.log.add(request, { reason, standing, need: 50, help: '' }, () => void (this.answered += 1));
  }
}

test('a refused call has a record with what it needed, what was left, its tags and its context', () => {
  const sample = new SampleLog();
  sample.refuse();
  expect(sample.rows).toEqual([
    {
      at: NOON,
      callId: 'call_000000001',
      isSum: false,
      calls: 1,
      workspaceId: 'ws_a',
      keyId: 'key_a',
      provider: 'anthropic',
      model: 'm'.repeat(512),
      limitId: 'lim_1',
      value: null,
      unit: 'usd',
      reason: 'spent',
      needed: 50,
      left: 40,
      tags: { team: 'a' },
      sessionHash: 'h',
      context: { session: 's' },
    },
  ]);
  expect(sample.pokes).toBe(1);
});

test('above the rate, calls of one key, limit and reason are one sum, and no call is missing', () => {
  const sample = new SampleLog();
  for (let call = 0; call < 100_000; call += 1) sample.refuse('key_a', `lim_${call % 2}`, 'spent');
  sample.refuse('key_b');
  expect(sample.rows).toHaveLength(PER_KEY + 1);
  expect(sample.answered).toBe(100_001);
  expect(sample.later).toHaveLength(1);
  for (const act of sample.later.splice(0)) act();
  const sums = sample.rows.filter(({ isSum }) => isSum);
  expect(sums).toHaveLength(2);
  expect(sums).toMatchObject([{ model: null, at: NOON }, { needed: null }]);
  expect(sample.rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(100_001);
  sample.refuse();
  expect(sample.later).toHaveLength(1);
});

test('parts of a sum have ascending IDs, also if a call waited and was refused after later ones', () => {
  const sample = new SampleLog();
  for (let call = 0; call <= PER_KEY; call += 1) sample.refuse();
  sample.log.flush();
  sample.refuse('key_a', 'lim_1', 'spent', 'call_000000001');
  sample.log.flush();
  const parts = sample.rows.filter(({ isSum }) => isSum).map(({ callId }) => callId);
  expect(parts).toEqual([...new Set(parts)].toSorted());
  expect(parts).toHaveLength(2);
});

test('each minute starts with single records again', () => {
  const sample = new SampleLog();
  for (let call = 0; call <= PER_KEY; call += 1) sample.refuse();
  sample.now += MINUTE_MS;
  sample.refuse();
  sample.log.flush();
  expect(sample.rows.slice(PER_KEY).map(({ at, isSum }) => [at, isSum])).toEqual([
    [NOON + MINUTE_MS, false],
    [NOON, true],
  ]);
});

test('many keys together have a bounded number of records, and memory a bounded number of sums', () => {
  const sample = new SampleLog();
  const keys = 10_000;
  for (let key = 0; key < keys; key += 1) sample.refuse(`key_${key}`);
  expect(sample.rows.filter(({ isSum }) => !isSum)).toHaveLength(LIMITS.refusalsPerMinute);
  expect(sample.rows.length).toBeGreaterThanOrEqual(keys - 1_000);
  sample.log.flush();
  expect(sample.rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(keys);
});
