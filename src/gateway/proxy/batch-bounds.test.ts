import { expect, test } from 'vitest';
import { NO_DEMAND } from '../../domain/limits/demand.ts';
import { BatchBounds, type BatchSubject } from './batch-bounds.ts';

const subject = { key: { policy: { maxOutputTokens: null } } } as unknown as BatchSubject;

test('a request with a fee that no price list has is refused, and named', () => {
  const bounds = new BatchBounds(subject, () => {
    throw new Error('no price is asked for');
  });
  const demand = { ...NO_DEMAND, work: { ...NO_DEMAND.work, unbounded: 'plugins', hasUnlistedFee: true as const } };
  expect(() => bounds.add({ name: 'Request 2 ("b")', facts: { model: 'gpt-4o', demand } } as never)).toThrow(
    /^Request 2 \("b"\): It may have a fee that no price list has \(plugins\)/,
  );
});
