import { expect, test } from 'vitest';
import { raiseCommand } from './raise-command.ts';

const usd = { id: 'lim_1', unit: 'usd', amount: 5 } as const;

test('the command raises a limit to twice its amount', () => {
  expect(raiseCommand(usd)).toBe('tollbook limits raise lim_1 --amount 10 --for 2h');
});

test.each([
  ['a call that needs more than that', { ...usd, used: 17.001 }, '17.01'],
  ['a small amount', { ...usd, amount: 0.0000001 }, '0.01'],
  ['cents that are not exact as numbers', { ...usd, amount: 0.035 }, '0.07'],
  ['a limit of 0', { ...usd, amount: 0 }, '0.01'],
  ['a limit of 0 calls', { id: 'lim_1', unit: 'calls', amount: 0 } as const, '1'],
  ['the largest amount', { ...usd, amount: 8_999_999 }, '9000000'],
  ['the largest count', { id: 'lim_1', unit: 'tokens', amount: 2 ** 53 - 2 } as const, '9007199254740991'],
])('the amount is one that can be set: %s', (_, limit, amount) => {
  expect(raiseCommand(limit)).toContain(`--amount ${amount} `);
});
