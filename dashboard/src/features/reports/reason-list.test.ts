import { expect, test } from 'vitest';
import { keyLines } from './reason-list.tsx';

test('keys beyond those that are named are added up', () => {
  const keys = Array.from({ length: 7 }, (_, index) => ({
    key: { id: `key ${index}`, name: null },
    reason: 'batch' as const,
    amount: 7 - index,
  }));
  expect(keyLines(keys).slice(-2)).toEqual(['key 4: $3.00', '2 more: $3.00']);
  expect(keyLines(keys.slice(0, 5))).toHaveLength(5);
});
