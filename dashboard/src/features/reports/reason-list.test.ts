import { expect, test } from 'vitest';
import { keyLines } from './reason-list.tsx';

test('keys beyond the named ones are summed up', () => {
  const keys = Array.from({ length: 7 }, (_, index) => ({
    key: { id: `key ${index}`, name: null, wrapped: [] },
    reason: 'batch' as const,
    amount: 7 - index,
  }));
  expect(keyLines(keys).slice(-2)).toEqual(['key 4: $3.00', '2 more: $3.00']);
  expect(keyLines(keys.slice(0, 5))).toHaveLength(5);
});

test('a provider key is shown with its wrapped keys and the reason why its calls stay uncertain', () => {
  const key = { id: 'apikey_1', name: 'Prod', wrapped: ['web', 'batch', 'tests', 'more'] };
  expect(keyLines([{ key, amount: 2, why: 'It is used elsewhere.' }])).toEqual([
    'Prod (wrapped as web, batch, tests and 1 more): $2.00. It is used elsewhere.',
  ]);
  expect(keyLines([{ key: { ...key, wrapped: [] }, amount: 2, why: null }])).toEqual(['Prod: $2.00']);
});
