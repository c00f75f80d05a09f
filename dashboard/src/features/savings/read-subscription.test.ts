import { expect, test } from 'vitest';
import { readSubscription } from './read-subscription.ts';

function form(fields: Readonly<Record<string, string>>): (name: string) => string {
  const texts = new Map(Object.entries(fields));

  return (name) => texts.get(name) ?? '';
}

test('a known plan without other values starts today at its list price', () => {
  expect(readSubscription(form({ plan: 'max_5x', seats: '2', startedAt: '' }))).toEqual({
    plan: 'max_5x',
    seats: 2,
  });
});

test('an unknown plan is sent with its own name and price', () => {
  const fields = { plan: '', name: 'Team plan', provider: 'openai', monthlyCost: '12.50', seats: '5' };
  expect(readSubscription(form({ ...fields, startedAt: '2026-01-31' }))).toEqual({
    plan: 'Team plan',
    name: 'Team plan',
    provider: 'openai',
    monthlyCost: '12.50',
    seats: 5,
    startedAt: '2026-01-31',
  });
});
