import { expect, test } from 'vitest';
import { SharedNodes, type TestCall } from '../../test/support/shared-nodes.ts';
import { sampleBudget } from '../limits/contract/sample-limits.ts';

const TOTAL = { window: 'total' } as const;

test('two nodes use all of a limit and no more', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, TOTAL));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  const calls: TestCall[] = [];
  for (let round = 0; round < 15; round += 1) {
    const began = [a.call(5), b.call(5)];
    await nodes.pass(100);
    for (const [at, node] of [a, b].entries()) if (began[at]?.hold) node.end(began[at], 5);
    calls.push(...began);
  }
  expect(calls.filter(({ hold }) => hold !== null)).toHaveLength(20);
  expect(new Set(calls.map(({ refused }) => refused))).toEqual(new Set([null, 'spent']));
  expect(nodes.taken(1)).toBe(100);
});
