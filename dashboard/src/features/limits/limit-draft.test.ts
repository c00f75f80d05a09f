import { expect, test } from 'vitest';
import type { LimitShape } from '../../../../src/api/contract-limits.ts';
import { bodyOf, described, draftOf, NEW_DRAFT } from './limit-draft.ts';

const limit: LimitShape = {
  id: 'lim_1',
  scope: { kind: 'tag', key: 'team', value: 'ads' },
  unit: 'usd',
  amount: 0.0000001,
  raise: null,
  window: 'week',
  action: 'warn',
  thresholds: [50, 95],
  uncertainRule: 'release-after 2h',
  label: 'Ads',
};

test('a limit that is opened and saved says the same', () => {
  const { id: _id, raise: _raise, amount, ...rest } = limit;
  expect(bodyOf(draftOf(limit))).toEqual({ ...rest, amount: '0.0000001' });
  expect(Number(draftOf(limit).amount)).toBe(amount);
  expect(draftOf({ ...limit, amount: 100 }).amount).toBe('100');
});

test('a limit on what runs at once has no window', () => {
  expect(bodyOf({ ...NEW_DRAFT, unit: 'concurrency', amount: '8' })).toMatchObject({ window: 'total' });
});

test('nothing is said of what is not written yet', () => {
  expect(described(NEW_DRAFT)).toBeNull();
  expect(described({ ...NEW_DRAFT, amount: '5' })).toMatchObject({ amount: 5 });
  expect(described({ ...NEW_DRAFT, amount: 'much' })).toBeNull();
  expect(described({ ...NEW_DRAFT, amount: '5', kind: 'tag', tagKey: 'team' })).toBeNull();
});
