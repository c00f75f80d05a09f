import { expect, test } from 'vitest';
import { costText } from './local-shapes.ts';
import { partCost, shareTable, uncertaintyNotes } from './view.ts';

test('usage without a price is reported, and never as a call', () => {
  expect(uncertaintyNotes({ unpricedUsage: true })).toBe(
    '- Usage outside the gateway without a price: its cost is unknown and not included.',
  );
  expect(uncertaintyNotes({ unpricedCalls: 2, unpricedUsage: true }).split('\n')).toHaveLength(2);
  expect(uncertaintyNotes({})).toBe('');
  expect([costText({ cost: 1 }), costText({ cost: 1, unpricedUsage: true })]).toEqual(['$1.00', '≥ $1.00']);
  expect(costText({ cost: null, unpricedUsage: true })).toBe(costText({ cost: null }));
});

test('a part of the cost shows what its uncertain calls may have cost, and folded parts add it up', () => {
  expect(partCost({ cost: 0, uncertainCalls: 1, uncertainUpTo: 2.04 })).toBe('$0.00 (up to $2.04 more)');
  expect(partCost({ cost: 1 })).toBe('$1.00');
  const share = { cost: 0, calls: 1, uncertainUpTo: 1 };
  const shares = Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`model ${index}`, share] as const));
  expect(shareTable('Model', shares, 0).split('\n').at(-1)).toContain('$0.00 (up to $2.00 more)');
});
