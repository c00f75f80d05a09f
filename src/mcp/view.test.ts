import { expect, test } from 'vitest';
import { costText } from './local-shapes.ts';
import { uncertaintyNotes } from './view.ts';

test('use without a price is told, and never as a call', () => {
  expect(uncertaintyNotes({ unpricedUsage: true })).toBe(
    '- Usage outside the gateway without a price: its cost is unknown and not included.',
  );
  expect(uncertaintyNotes({ unpricedCalls: 2, unpricedUsage: true }).split('\n')).toHaveLength(2);
  expect(uncertaintyNotes({})).toBe('');
  expect([costText({ cost: 1 }), costText({ cost: 1, unpricedUsage: true })]).toEqual(['$1.00', '≥ $1.00']);
  expect(costText({ cost: null, unpricedUsage: true })).toBe(costText({ cost: null }));
});
