import { expect, test } from 'vitest';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { budgetText, findBudgets, readBudgetChanges, readBudgets } from './key-budgets.ts';

const form =
  (fields: Readonly<Record<string, string>>) =>
  (name: string): string =>
    fields[name] ?? '';

const BUDGET: LimitShape = {
  id: 'lim_1',
  scope: { kind: 'each', of: 'session', keyId: 'key_1' },
  unit: 'usd',
  amount: 0.0000005,
  window: 'total',
  action: 'block',
  thresholds: [100],
  uncertainRule: 'keep',
  countsObserved: false,
  label: null,
  raise: null,
  etag: 'a',
};

test('the budgets of a key are its blocking dollar limits on each session, agent or run in total', () => {
  const others: LimitShape[] = [
    { ...BUDGET, scope: { kind: 'each', of: 'agent', keyId: 'key_2' } },
    { ...BUDGET, scope: { kind: 'each', of: 'agent', keyId: null } },
    { ...BUDGET, scope: { kind: 'key', keyId: 'key_1' } },
    { ...BUDGET, window: 'day' },
    { ...BUDGET, unit: 'calls' },
    { ...BUDGET, action: 'warn' },
  ];
  expect(findBudgets([...others, BUDGET], 'key_1')).toEqual({ session: BUDGET });
});

test('an empty field sets no budget of a new key', () => {
  expect(readBudgets(form({ 'budgets.agent': '0.50', 'budgets.run': '' }))).toEqual({ agent: '0.50' });
});

test('only changed budgets are sent, and an emptied field removes its budget', () => {
  const fields = { 'budgets.session': budgetText(BUDGET), 'budgets.run': '20' };
  const run = { part: 'run', field: 'budgets.run', amount: '20' };
  expect(readBudgetChanges(form(fields), { session: BUDGET })).toEqual([run]);
  expect(readBudgetChanges(form({ ...fields, 'budgets.session': '' }), { session: BUDGET })).toEqual([
    { part: 'session', field: 'budgets.session', amount: null },
    run,
  ]);
});

test('a small budget is written without an exponent', () => {
  expect(budgetText(BUDGET)).toBe('0.0000005');
});
