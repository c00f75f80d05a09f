import { expect, test } from 'vitest';
import { explainPreview, type PreviewToExplain, previewWarning } from './limit-preview.ts';

const PREVIEW: PreviewToExplain = {
  unit: 'usd',
  amount: 5,
  action: 'block',
  history: { from: '2026-11-16T10:00:00.000Z', isComplete: true, calls: 340, unpricedCalls: 0 },
  holds: { median: 0.12, p95: 0.9, max: 2.37 },
  fitAtOnce: { median: 41, p95: 5, max: 2 },
  effect: { refused: 12, shortened: 30, waited: 0 },
  refusedCalls: null,
};

test('a preview says what a call needs, how many fit, and what the limit would have done', () => {
  expect(explainPreview(PREVIEW, 'UTC')).toEqual([
    'A call needs $0.12 (median), $0.90 (95%), at most $2.37.',
    '41 median calls fit at the same time, or 5 of the large ones (95%).',
    'In the last 7 days, this limit would have refused 12 of 340 calls and shortened 30.',
  ]);
});

test('a preview without calls says so', () => {
  const history = { ...PREVIEW.history, calls: 0 };
  expect(explainPreview({ ...PREVIEW, history, holds: null, fitAtOnce: null, effect: null }, 'UTC')).toEqual([
    'No call was recorded in the last 7 days, so nothing can be compared.',
  ]);
});

test('a preview says which calls limits refused, and what they needed', () => {
  const refusedCalls = { calls: 41, isComplete: true, needed: { median: 2.1, p95: 2.37, max: 2.37 } };
  const lastOf = (changes: Partial<PreviewToExplain>) => explainPreview({ ...PREVIEW, ...changes }, 'UTC').at(-1);
  expect(lastOf({ refusedCalls })).toBe(
    '41 refused calls are not in these figures: they needed $2.10 (median), $2.37 (95%), at most $2.37.',
  );
  const one = { calls: 1, isComplete: false, needed: null };
  expect(lastOf({ refusedCalls: one })).toBe('At least 1 refused call is not in these figures.');
  const history = { ...PREVIEW.history, calls: 0 };
  expect(explainPreview({ ...PREVIEW, history, effect: null, refusedCalls: one }, 'UTC')).toHaveLength(2);
});

test('a preview says if it read only a part of the history, and if the limit changes nothing', () => {
  const history = { ...PREVIEW.history, isComplete: false };
  const effect = { refused: 0, shortened: 0, waited: 0 };
  expect(explainPreview({ ...PREVIEW, history, effect }, 'UTC').at(-1)).toBe(
    'Since 16 Nov 2026, 10:00, this limit would have changed none of 340 calls.',
  );
});

test('a limit that warns is previewed as one that blocks', () => {
  const effect = { refused: 0, shortened: 1, waited: 2 };
  expect(explainPreview({ ...PREVIEW, action: 'warn', effect }, 'UTC').at(-1)).toBe(
    'In the last 7 days, a limit that blocks would have refused 0 of 340 calls, shortened 1 and made 2 wait.',
  );
});

test('a preview says that a median call does not fit into the amount', () => {
  const fitAtOnce = { median: 0, p95: 0, max: 0 };
  expect(explainPreview({ ...PREVIEW, fitAtOnce }, 'UTC')[1]).toBe('The median call does not fit.');
});

test('previews of limits on calls do not mention needs', () => {
  const holds = { median: 1, p95: 1, max: 1 };
  const preview: PreviewToExplain = { ...PREVIEW, unit: 'calls', holds };
  expect(explainPreview(preview, 'UTC')).toHaveLength(1);
});

test('a preview warns if the amount is below the 95th percentile', () => {
  expect(previewWarning(PREVIEW)).toBeNull();
  expect(previewWarning({ ...PREVIEW, amount: 0.5 })).toBe('At least 5% of the calls need more than $0.50.');
  expect(previewWarning({ ...PREVIEW, amount: 0.1 })).toBe('At least half of the calls need more than $0.10.');
});
