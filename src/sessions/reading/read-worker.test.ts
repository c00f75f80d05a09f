import { expect, test } from 'vitest';
import { SharedProgress } from './read-worker.ts';

test('each job is taken once from either end, and none beyond the last', () => {
  const front = new SharedProgress();
  const back = new SharedProgress(front.memory);
  const taken = [
    front.take(5, 'front'),
    back.take(5, 'back'),
    back.take(5, 'back'),
    front.take(5, 'front'),
    back.take(5, 'back'),
  ];
  expect(taken).toEqual([0, 4, 3, 1, 2]);
  expect([front.take(5, 'front'), back.take(5, 'back')]).toEqual([-1, -1]);
});
