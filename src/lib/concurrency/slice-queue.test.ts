import { expect, test } from 'vitest';
import { SliceQueue } from './slice-queue.ts';

const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one slice runs in each turn of the event loop, alternating between tasks', async () => {
  const turns = new SliceQueue();
  const ran: string[] = [];
  const work = (name: string, slices: number): void => {
    ran.push(name);
    if (slices > 1) turns.wait(() => work(name, slices - 1));
  };
  turns.wait(() => work('a', 3));
  turns.wait(() => work('b', 2));
  const seen: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    await loopTurn();
    seen.push(ran.length);
  }
  expect(ran).toEqual(['a', 'b', 'a', 'b', 'a']);
  expect(seen.every((count, turn) => count - (seen[turn - 1] ?? 0) <= 1)).toBe(true);
});
