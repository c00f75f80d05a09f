import { expect, test } from 'vitest';
import { describeAttempts, describeDelivery } from './deliveries.ts';

const answered = { ms: 87, status: 200, error: null, response: null };
const failed = { ms: 10_000, status: null, error: 'The host takes no connection.', response: null };

test('attempts are counted, and the last response is shown', () => {
  expect([[], [answered], [failed, failed]].map(describeAttempts)).toEqual([
    '0 attempts',
    '1 attempt, 200',
    '2 attempts',
  ]);
});

test('a delivery says whether the message arrived, and why not', () => {
  expect(describeDelivery({ state: 'waiting', attempts: [] })).toBe('Queued.');
  expect(describeDelivery({ state: 'delivered', attempts: [answered] })).toBe('Delivered in 87 ms (200).');
  expect(describeDelivery({ state: 'waiting', attempts: [failed] })).toBe(
    'Not delivered: The host takes no connection.',
  );
});
