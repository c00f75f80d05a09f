import { expect, test } from 'vitest';
import { EMPTY_TOTALS } from '../domain/usage/usage-totals.ts';
import { readObservedAmounts } from './limit-usage.ts';

test('an uncertain cost of observed calls counts with its maximum, unless the limit releases it', async () => {
  const totals = { ...EMPTY_TOTALS, calls: 1, cost: 100n, uncertainUpTo: 20n, uncertainCalls: 1 };
  const countedSums = async () => [{ value: '', provider: 'anthropic', model: 'claude-opus-4-8', totals }];
  const read = async (uncertain: 'keep' | { releaseAfterMs: number }, unit: 'usd' | 'calls' = 'usd') => {
    const limit = { workspaceId: 'ws', scope: { kind: 'workspace' }, unit, uncertain } as const;
    return await readObservedAmounts({ countedSums }, limit, { start: 0, end: Infinity }, () => null);
  };
  expect(await read('keep')).toEqual(new Map([['', { counted: 120, uncertain: 20 }]]));
  expect(await read({ releaseAfterMs: 60_000 })).toEqual(new Map([['', { counted: 100, uncertain: 0 }]]));
  expect(await read('keep', 'calls')).toEqual(new Map([['', { counted: 1, uncertain: 0 }]]));
});
