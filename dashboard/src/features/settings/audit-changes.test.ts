import { expect, test } from 'vitest';
import { listChanges, isShort } from './audit-changes.ts';

test('only changed fields are shown, and new records have no old values', () => {
  const before = { name: 'old', amount: 5, tags: { team: 'a' } };
  const after = { name: 'new', amount: 5, tags: { team: 'b' } };
  expect(listChanges({ before, after })).toEqual([
    { field: 'name', before: 'old', after: 'new' },
    { field: 'tags', before: 'team: a', after: 'team: b' },
  ]);
  expect(listChanges({ before: null, after: { name: 'new', expiresAt: null } })).toEqual([
    { field: 'name', before: null, after: 'new' },
  ]);
});

test('few short fields are shown directly, many or long ones after a click', () => {
  const change = (after: string) => ({ field: 'name', before: null, after });
  expect(isShort([change('a'), change('b'), change('c')])).toBe(true);
  expect(isShort(Array.from({ length: 4 }, () => change('a')))).toBe(false);
  expect(isShort([change('x'.repeat(161))])).toBe(false);
});

test('amounts of a dollar limit are shown in dollars, and of another limit as numbers', () => {
  const raise = { amount: 10_000_000, until: 1_795_926_518_628 };
  expect(
    listChanges({ before: { unit: 'usd', amount: 1_000_000 }, after: { unit: 'usd', amount: 10_000_000 } }),
  ).toEqual([{ field: 'amount', before: '$0.001', after: '$0.01' }]);
  expect(listChanges({ before: { unit: 'usd', raise: null }, after: { unit: 'usd', raise } })[0]?.after).toBe(
    'amount: $0.01, until: 29 Nov 2026, 04:28:38 UTC',
  );
  expect(listChanges({ before: null, after: { unit: 'calls', amount: 50 } })[1]?.after).toBe('50');
});

test('a time is shown as a time', () => {
  expect(listChanges({ before: null, after: { expiresAt: 1_795_926_518_628 } })[0]?.after).toBe(
    '29 Nov 2026, 04:28:38 UTC',
  );
});
