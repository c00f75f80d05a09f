import { expect, test } from 'vitest';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { findRelatedPages } from './related-pages.ts';

const alert: AlertShape = {
  id: 'al_1',
  type: 'COST_SPIKE',
  severity: 'warning',
  title: 'Cost spike',
  message: 'Spending is high.',
  createdAt: '2026-03-15T12:00:00.000Z',
  read: false,
  readAt: null,
  resolvedAt: null,
  scope: {},
  value: 4,
  threshold: 1,
  period: { start: '2026-03-14T22:00:00.000Z', end: '2026-03-15T00:00:00.000Z' },
  evidence: {},
};

test('a spike links to the calls of its days in the zone of the workspace', () => {
  expect(findRelatedPages(alert, 'UTC')[0]).toEqual({
    name: 'View calls of that time',
    to: '/calls',
    search: { from: '2026-03-14', to: '2026-03-14' },
  });
  expect(findRelatedPages(alert, 'Europe/Berlin')[0]?.search).toEqual({ from: '2026-03-14', to: '2026-03-15' });
});

test('the scope of an alert filters the calls', () => {
  const [key, calls] = findRelatedPages({ ...alert, scope: { key: 'key_1', 'tag:team': 'ads' } }, 'UTC');
  expect(key?.to).toBe('/keys/key_1');
  expect(calls?.search).toMatchObject({ key: 'key_1', tag: 'team=ads' });
});

test('a limit alert links to the limit, a health alert to nothing', () => {
  const limit = { ...alert, type: 'BUDGET_WARNING', scope: { limit: 'lim_1' } } as const;
  expect(findRelatedPages(limit, 'UTC').map(({ to }) => to)).toEqual(['/limits/lim_1']);
  expect(findRelatedPages({ ...alert, type: 'JOURNAL_PROBLEM' }, 'UTC')).toEqual([]);
});
