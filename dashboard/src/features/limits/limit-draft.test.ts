import { expect, test } from 'vitest';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import {
  toRequestBody,
  toDescribedLimit,
  toPreviewBody,
  toDraft,
  NEW_DRAFT,
  findTwin,
  zeroText,
} from './limit-draft.ts';

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
  countsObserved: false,
  label: 'Ads',
  etag: 'x',
};

test('saving an unchanged limit sends the same values', () => {
  const { id: _id, etag: _etag, raise: _raise, amount, ...rest } = limit;
  expect(toRequestBody(toDraft(limit))).toEqual({ ...rest, amount: '0.0000001' });
  expect(Number(toDraft(limit).amount)).toBe(amount);
  expect(toDraft({ ...limit, amount: 100 }).amount).toBe('100');
});

test('a limit on concurrent calls has no window', () => {
  expect(toRequestBody({ ...NEW_DRAFT, unit: 'concurrency', amount: '8' })).toMatchObject({ window: 'total' });
});

test('an invalid threshold is reported with the name of its field', () => {
  expect(toRequestBody({ ...NEW_DRAFT, thresholds: '50%, 80' })).toMatchObject({ thresholds: [50, 80] });
  expect(() => toRequestBody({ ...NEW_DRAFT, thresholds: '50, much' })).toThrow('“much” is not a percentage.');
});

test('a duplicate of an existing limit is found, whatever its amount and name', () => {
  const draft = { ...toDraft(limit), amount: '7', label: 'Other' };
  expect(findTwin(draft, [{ ...limit, action: 'block' }, limit])).toBe(limit);
  expect(findTwin({ ...draft, tagValue: 'web' }, [limit])).toBeUndefined();
  const atOnce: LimitShape = { ...limit, unit: 'concurrency', window: 'total' };
  expect(findTwin({ ...draft, unit: 'concurrency', window: 'day' }, [atOnce])).toBe(atOnce);
});

test('the form warns that an amount of 0 refuses everything', () => {
  expect(zeroText({ ...NEW_DRAFT, amount: '0.00', kind: 'key' })).toBe(
    'An amount of 0 refuses every call in scope. To disable the key permanently, revoke it instead.',
  );
  expect(zeroText({ ...NEW_DRAFT, amount: '0', action: 'warn' })).toContain('alert');
  expect(['', ' ', '1', 'much'].map((amount) => zeroText({ ...NEW_DRAFT, amount }))).toEqual([null, null, null, null]);
});

test('a preview depends on the scope, unit, amount, window and action alone', () => {
  const draft = { ...NEW_DRAFT, amount: '5', kind: 'key' as const, keyId: 'key_1' };
  const body = { scope: { kind: 'key', keyId: 'key_1' }, unit: 'usd', amount: '5', window: 'day', action: 'block' };
  expect(toPreviewBody({ ...draft, label: 'Team', thresholds: '50' })).toEqual(body);
  expect(toPreviewBody(NEW_DRAFT)).toBeNull();
});

test('an incomplete draft has no preview', () => {
  expect(toDescribedLimit(NEW_DRAFT)).toBeNull();
  expect(toDescribedLimit({ ...NEW_DRAFT, amount: '5' })).toMatchObject({ amount: 5 });
  expect(toDescribedLimit({ ...NEW_DRAFT, amount: 'much' })).toBeNull();
  expect(toDescribedLimit({ ...NEW_DRAFT, amount: '5', kind: 'tag', tagKey: 'team' })).toBeNull();
});
