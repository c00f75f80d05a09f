import { expect, test } from 'vitest';
import { changesOf } from './audit-changes.ts';

test('only fields that changed are shown, what is new without a before', () => {
  const before = { name: 'old', amount: 5, tags: { team: 'a' } };
  const after = { name: 'new', amount: 5, tags: { team: 'b' } };
  expect(changesOf({ before, after })).toEqual([
    { field: 'name', before: 'old', after: 'new' },
    { field: 'tags', before: '{"team":"a"}', after: '{"team":"b"}' },
  ]);
  expect(changesOf({ before: null, after: { name: 'new', expiresAt: null } })).toEqual([
    { field: 'name', before: null, after: 'new' },
  ]);
});
