import { describe, expect, test } from 'vitest';
import type { Limit, LimitScope, CounterStatus } from '../domain/limits/limit.ts';
import { newId } from '../lib/crypto/id.ts';
import { standingViews } from './limit-view.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const DAY = { windowStart: Date.parse('2026-03-15T00:00:00Z'), windowEnd: Date.parse('2026-03-16T00:00:00Z') };
const USD = 1_000_000_000;
const MADE_ID = newId('lim', () => NOW);

function limitOf(scope: LimitScope, changes: Partial<Limit> = {}): Limit {
  return {
    id: MADE_ID,
    counter: 1,
    workspaceId: 'ws_1',
    scope,
    unit: 'usd',
    amount: 5 * USD,
    raise: null,
    window: 'day',
    action: 'block',
    thresholds: [50],
    uncertain: { releaseAfterMs: 7_200_000 },
    label: null,
    countsObserved: false,
    zones: [{ zone: 'UTC', since: 0 }],
    countsPast: true,
    ...changes,
  };
}

function standingOf(limit: Limit, counted: number, changes: Partial<CounterStatus> = {}): CounterStatus {
  const left = Math.max(0, limit.amount - counted);
  return { limit, value: '', ...DAY, amount: limit.amount, counted, uncertain: 0, held: 0, left, ...changes };
}

test('a limit whose usage so far is not counted says so, and has no forecast', () => {
  const limit = limitOf({ kind: 'workspace' }, { countsPast: false });
  const [partial] = standingViews([limit], [standingOf(limit, USD, { isPartial: true })], NOW, 20);
  expect(partial).toMatchObject({ counted: 1, isPartial: true, projected: null });
});

test('a limit is shown with its counter in dollars and its forecast', () => {
  const limit = limitOf({ kind: 'workspace' }, { raise: { amount: 8 * USD, until: NOW + 1 } });
  const standing = standingOf(limit, 2 * USD, { held: USD / 2, left: 5.5 * USD, uncertain: 1, amount: 8 * USD });
  expect(standingViews([limit], [standing], NOW, 20)).toEqual([
    {
      id: MADE_ID,
      scope: { kind: 'workspace' },
      unit: 'usd',
      amount: 5,
      raise: { amount: 8, until: '2026-03-15T12:00:00.001Z' },
      window: 'day',
      action: 'block',
      thresholds: [50],
      uncertainRule: 'release-after 2h',
      label: null,
      countsObserved: false,
      etag: expect.any(String),
      createdAt: '2026-03-15T12:00:00.000Z',
      effectiveAmount: 8,
      counted: 2,
      held: 0.5,
      remaining: 5.5,
      uncertain: 1e-9,
      resetsAt: '2026-03-16T00:00:00.000Z',
      projected: 4,
    },
  ]);
});

test('an unused limit has its whole amount left, until its window ends', () => {
  const [view] = standingViews([limitOf({ kind: 'key', keyId: 'key_1' })], [], NOW, 20);
  expect(view).toMatchObject({ counted: 0, held: 0, remaining: 5, resetsAt: '2026-03-16T00:00:00.000Z', projected: 0 });
  const [total] = standingViews([limitOf({ kind: 'workspace' }, { window: 'total' })], [], NOW, 20);
  expect(total).toMatchObject({ remaining: 5, resetsAt: null, projected: null });
});

describe('a limit on each value of a tag', () => {
  const limit = limitOf({ kind: 'each_tag', key: 'user' }, { unit: 'calls', amount: 100 });
  const standings = ['ann', 'bob', 'cid'].map((value, index) => standingOf(limit, 10 * index, { value, held: 1 }));

  test('shows its fullest values and says if there are more', () => {
    const [view] = standingViews([limit], standings, NOW, 2);
    expect(view?.values?.map(({ value, counted }) => [value, counted])).toEqual([
      ['cid', 20],
      ['bob', 10],
    ]);
    expect(view).toMatchObject({ hasMoreValues: true, counted: 20, held: 1, remaining: 80, projected: 40 });
  });

  test('counts held amounts as used when sorting', () => {
    const [view] = standingViews([limit], [...standings, standingOf(limit, 0, { value: 'dan', held: 50 })], NOW, 1);
    expect(view?.values?.map(({ value }) => value)).toEqual(['dan']);
  });

  test('has no values before the first call', () => {
    expect(standingViews([limit], [], NOW, 2)[0]).toMatchObject({ values: [], hasMoreValues: false, remaining: 100 });
  });
});

test('sums beyond the exact numbers are shown as the nearest number', () => {
  const limit = limitOf({ kind: 'workspace' });
  const [view] = standingViews([limit], [standingOf(limit, 0, { counted: 20_000_000n * BigInt(USD) })], NOW, 20);
  expect(view?.counted).toBe(20_000_000);
});
