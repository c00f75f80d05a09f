import { expect, test } from 'vitest';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { toRequestBody, toDescribedLimit, toDraft, NEW_DRAFT, findTwin, zeroText } from './limit-draft.ts';

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
  expect(toRequestBody(toDraft(limit))).toEqual({ ...rest, amount: '0.0000001' });
  expect(Number(toDraft(limit).amount)).toBe(amount);
  expect(toDraft({ ...limit, amount: 100 }).amount).toBe('100');
});

test('a limit on what runs at once has no window', () => {
  expect(toRequestBody({ ...NEW_DRAFT, unit: 'concurrency', amount: '8' })).toMatchObject({ window: 'total' });
});

test('a threshold that is no number is told by the name of its field', () => {
  expect(toRequestBody({ ...NEW_DRAFT, thresholds: '50%, 80' })).toMatchObject({ thresholds: [50, 80] });
  expect(() => toRequestBody({ ...NEW_DRAFT, thresholds: '50, much' })).toThrow('“much” is no percentage.');
});

test('the limit that a draft would repeat is found, whatever its amount and name', () => {
  const draft = { ...toDraft(limit), amount: '7', label: 'Other' };
  expect(findTwin(draft, [{ ...limit, action: 'block' }, limit])).toBe(limit);
  expect(findTwin({ ...draft, tagValue: 'web' }, [limit])).toBeUndefined();
  const atOnce: LimitShape = { ...limit, unit: 'concurrency', window: 'total' };
  expect(findTwin({ ...draft, unit: 'concurrency', window: 'day' }, [atOnce])).toBe(atOnce);
});

test('an amount of 0 is told to refuse everything, before it does', () => {
  expect(zeroText({ ...NEW_DRAFT, amount: '0.00', kind: 'key' })).toBe(
    'With 0, everything that it covers is refused. To end the key for good, revoke it on its page.',
  );
  expect(zeroText({ ...NEW_DRAFT, amount: '0', action: 'warn' })).toContain('alert');
  expect(['', ' ', '1', 'much'].map((amount) => zeroText({ ...NEW_DRAFT, amount }))).toEqual([null, null, null, null]);
});

test('nothing is said of what is not written yet', () => {
  expect(toDescribedLimit(NEW_DRAFT)).toBeNull();
  expect(toDescribedLimit({ ...NEW_DRAFT, amount: '5' })).toMatchObject({ amount: 5 });
  expect(toDescribedLimit({ ...NEW_DRAFT, amount: 'much' })).toBeNull();
  expect(toDescribedLimit({ ...NEW_DRAFT, amount: '5', kind: 'tag', tagKey: 'team' })).toBeNull();
});
