import { expect, it } from 'vitest';
import { RememberedPeriods } from './remembered-periods.ts';

it('remembers by scope, provider and model', () => {
  const remembered = new RememberedPeriods(10);
  remembered.add('', 'openai', 'gpt-4o', []);
  expect(remembered.get('', 'openai', 'gpt-4o')).toEqual([]);
  expect(remembered.get('ws', 'openai', 'gpt-4o')).toBeUndefined();
  expect(remembered.get('', 'azure', 'gpt-4o')).toBeUndefined();
  expect(remembered.get('', 'openai', 'gpt-4')).toBeUndefined();
});

it('never has more names than its limit', () => {
  const remembered = new RememberedPeriods(100);
  for (let index = 0; index < 1_000; index += 1) {
    remembered.add('', `provider-${index % 7}`, `invented-${index}`, []);
    expect(remembered.size).toBeLessThanOrEqual(100);
    expect(remembered.get('', `provider-${index % 7}`, `invented-${index}`)).toBeDefined();
  }
});
