import { expect, test } from 'vitest';
import { limitHeaders } from '../limits/limit-headers.ts';
import {
  type CallName,
  LIMIT_UNITS,
  LIMIT_WINDOWS,
  type Limit,
  NO_VALUE,
  OTHER_VALUE,
  type CounterStatus,
} from '../limits/limit.ts';
import {
  describeAmount,
  describeLimit,
  describeNeeded,
  describeRate,
  describeRemaining,
  describeValue,
} from './limits.ts';

const workspace = { kind: 'workspace' } as const;
const user = { kind: 'each_tag', key: 'user' } as const;

test.each<[string, Pick<Limit, 'unit' | 'amount' | 'window' | 'scope'>]>([
  ['$5.00 a day for each user', { unit: 'usd', amount: 5e9, window: 'day', scope: user }],
  ['100 calls a minute for all calls', { unit: 'calls', amount: 100, window: 'minute', scope: workspace }],
  ['1 call an hour for all calls', { unit: 'calls', amount: 1, window: 'hour', scope: workspace }],
  [
    '1,000,000 tokens a month for provider openai',
    { unit: 'tokens', amount: 1e6, window: 'month', scope: { kind: 'provider', provider: 'openai' } },
  ],
  [
    '12,000 input tokens a week for model claude-*',
    { unit: 'input_tokens', amount: 12_000, window: 'week', scope: { kind: 'model', pattern: 'claude-*' } },
  ],
  [
    '8 concurrent calls for team=search',
    { unit: 'concurrency', amount: 8, window: 'total', scope: { kind: 'tag', key: 'team', value: 'search' } },
  ],
  [
    '$0.25 in total for key batch',
    { unit: 'usd', amount: 25e7, window: 'total', scope: { kind: 'key', keyId: 'key_1' } },
  ],
])('%s', (words, limit) => expect(describeLimit(limit, () => 'batch')).toBe(words));

test('a shown amount is described like the internal one', () => {
  for (const unit of LIMIT_UNITS)
    for (const window of LIMIT_WINDOWS)
      for (const amount of [0, 1, 12_000]) {
        const internal = unit === 'usd' ? amount * 1_000_000_000 : amount;
        const shown = `${describeRate({ unit, window, amount })} for all calls`;
        expect(shown).toBe(describeLimit({ unit, window, amount: internal, scope: workspace }));
      }
});

test('amounts beyond 2^53 keep every digit', () =>
  expect(describeAmount('tokens', 2n ** 60n)).toBe('1,152,921,504,606,846,976 tokens'));

test('a counter of a limit on each value is named by its value', () => {
  expect(describeValue({ scope: user }, 'ann')).toBe('user=ann');
  expect(describeValue({ scope: user }, NO_VALUE)).toBe('calls without user');
  expect(describeValue({ scope: user }, OTHER_VALUE)).toBe('other values of user');
  expect(describeValue({ scope: workspace }, '')).toBe('');
});

test('a session, agent or run has the name that its client gave it, and a hash is shown by its beginning', () => {
  const describe = (of: CallName, value: string): string =>
    describeValue({ scope: { kind: 'each', of, keyId: null } }, value);
  expect(describe('session', '..')).toBe('session ..');
  expect(describe('session', '%28none)')).toBe('session (none)');
  expect(describe('session', NO_VALUE)).toBe('calls without a session');
  expect(describe('session', 'ab'.repeat(32))).toBe('session abababababab');
  expect(describe('agent', `${'ab'.repeat(32)}/planner`)).toBe('agent planner of session abababababab');
  expect(describe('agent', 'a%2Fb/(main)')).toBe('main agent of session a/b');
  expect(describe('agent', '(none)/planner')).toBe('agent planner without a session');
  expect(describe('agent', NO_VALUE)).toBe('calls without an agent');
  expect(describe('run', 'nightly')).toBe('run nightly');
});

test('the remaining amount is rounded down and the needed amount up', () => {
  expect([describeRemaining('usd', 0.49416), describeNeeded('usd', 0.49411)]).toEqual(['$0.4941', '$0.4942']);
  expect([describeRemaining('tokens', 7), describeNeeded('calls', 1)]).toEqual(['7 tokens', '1 call']);
});

test('headers contain the remaining amount, in dollars or counts, and no reset for a limit that never resets', () => {
  const stands = (unit: Limit['unit'], left: number, windowEnd: number | null): CounterStatus =>
    ({ limit: { id: 'lim_1', unit }, left, windowEnd }) as CounterStatus;
  expect(limitHeaders(stands('usd', 1, Date.UTC(2026, 0, 1)))).toEqual([
    'x-svc-limit-id',
    'lim_1',
    'x-svc-limit-unit',
    'usd',
    'x-svc-limit-remaining',
    '0.000000001',
    'x-svc-limit-resets-at',
    '2026-01-01T00:00:00.000Z',
  ]);
  expect(limitHeaders(stands('calls', 7, null)).slice(4)).toEqual(['x-svc-limit-remaining', '7']);
});
