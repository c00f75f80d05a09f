import { expect, test } from 'vitest';
import { describeLeft, type LimitLeft } from './limit-left.ts';

const NOW = Date.parse('2026-11-20T16:48:00Z');
const DAY: LimitLeft = {
  unit: 'usd',
  action: 'block',
  description: '$5.00 a day for all calls',
  amount: 5,
  held: 0,
  remaining: 3.2,
  resetsAt: '2026-11-21T00:00:00.000Z',
};
const UNTIL = 'until 21 Nov 2026, 00:00 UTC (in 7 h 12 min) of $5.00 a day for all calls.';

test.each<[string, Partial<LimitLeft>, string]>([
  ['some', {}, `$3.20 is left ${UNTIL} A call that may need more than that is shortened or refused.`],
  [
    'some, and running calls',
    { held: 0.5 },
    `$3.20 is left ${UNTIL} Running calls hold $0.50, and return what they don't use. A call that may need more than that is shortened or refused.`,
  ],
  ['nothing', { remaining: 0 }, `Nothing is left ${UNTIL} Calls are refused until it resets.`],
  [
    'nothing, of a warning',
    { remaining: 0, action: 'warn' },
    `Nothing is left ${UNTIL} This limit only warns: calls continue above it.`,
  ],
  [
    'an unknown amount',
    { remaining: null },
    '$5.00 a day for all calls: what it has used is read from the ledger with the next call.',
  ],
  [
    'a call, for ever',
    { unit: 'calls', remaining: 1, resetsAt: null, description: '9 calls in total for all calls' },
    '1 call is left of 9 calls in total for all calls. Further calls are refused.',
  ],
  [
    'concurrent calls',
    { unit: 'concurrency', remaining: 2, held: 6, resetsAt: null, description: '8 concurrent calls for all calls' },
    '2 concurrent calls are left of 8 concurrent calls for all calls. Each call that ends makes room for another.',
  ],
])('a sentence to plan with says what is left: %s', (_name, more, sentence) => {
  expect(describeLeft({ ...DAY, ...more }, NOW)).toBe(sentence);
});
