import { describe, expect, test } from 'vitest';
import type { TollbookError } from '../domain/errors.ts';
import type { Limit, CounterStatus } from '../domain/limits/limit.ts';
import type { BlockReason } from './admission-block.ts';
import {
  cannotCountError,
  type LimitRefusal,
  refusalError,
  tooLargeOutputError,
  unboundedError,
  unpricedBatchError,
  unpricedError,
  unpricedTermsError,
} from './refusal-errors.ts';

const USD = 1_000_000_000;
const NOW = Date.UTC(2026, 10, 20, 12);
const MIDNIGHT = Date.UTC(2026, 10, 20, 23);
const KEY = { id: 'key_1', name: 'batch' };

const LIMIT: Limit = {
  id: 'lim_1',
  counter: 1,
  workspaceId: 'ws_1',
  scope: { kind: 'workspace' },
  unit: 'usd',
  amount: 5 * USD,
  raise: null,
  window: 'day',
  action: 'block',
  thresholds: [],
  uncertain: 'keep',
  label: null,
  countsObserved: false,
  zones: [
    { zone: 'UTC', since: 0 },
    { zone: 'Europe/Berlin', since: NOW - 1 },
    { zone: 'Asia/Tokyo', since: NOW + 1 },
  ],
  countsPast: true,
};

function standing(limit: Partial<Limit> = {}, stands: Partial<CounterStatus> = {}): CounterStatus {
  return {
    limit: { ...LIMIT, ...limit },
    value: '',
    windowStart: 0,
    windowEnd: MIDNIGHT,
    amount: limit.amount ?? LIMIT.amount,
    counted: 4 * USD,
    uncertain: 0,
    held: USD / 5,
    left: 0.8 * USD,
    ...stands,
  };
}

function refused(
  reason: BlockReason,
  stands: CounterStatus = standing(),
  need = 1.2 * USD,
  overrun: LimitRefusal['overrun'] = null,
): TollbookError {
  return refusalError({ reason, standing: stands, need, overrun, outputField: 'max_tokens' }, NOW, KEY);
}

describe('a refusal names the limit, its figures, its reset, what the call needs and what helps', () => {
  test('a call that is larger than what is left', () =>
    expect(refused('exceeds_limit').message).toBe(
      'This call needs up to $1.20, more than is left under the limit of $5.00 a day for all calls: $4.00 counted, $0.20 held by open calls, $0.80 left. It resets on 21 Nov 2026, 00:00 (Europe/Berlin), 20 Nov 2026, 23:00 UTC. Ask for less output (a smaller max_tokens), send less, or raise it: tollbook limits raise lim_1 --amount 10 --for 2h',
    ));

  test('a call that is larger than the whole limit', () =>
    expect(refused('exceeds_limit', standing(), 7 * USD).message).toContain(
      'This call needs up to $7.00, more than the whole of the limit of $5.00',
    ));

  test('a limit that is used up, with its label, its value and its uncertain part', () =>
    expect(
      refused(
        'spent',
        standing(
          { label: 'Team', scope: { kind: 'each_tag', key: 'user' } },
          { value: 'ann', counted: 5 * USD, uncertain: USD, held: 0, left: 0 },
        ),
      ).message,
    ).toBe(
      'This call needs up to $1.20, and nothing is left under the limit "Team" ($5.00 a day for each user; user=ann): $5.00 counted ($1.00 of it uncertain), $0.00 held by open calls, $0.00 left. It resets on 21 Nov 2026, 00:00 (Europe/Berlin), 20 Nov 2026, 23:00 UTC. To continue before that, raise it: tollbook limits raise lim_1 --amount 10 --for 2h',
    ));

  test('a limit that never resets', () =>
    expect(refused('spent', standing({ window: 'total' }, { windowEnd: null })).message).toContain(
      '$5.00 in total for all calls: $4.00 counted, $0.20 held by open calls, $0.80 left. It never resets. To continue, raise it: tollbook limits raise lim_1 --amount 10 --for 2h',
    ));

  test('running calls that hold what it needs', () =>
    expect(refused('in_flight', standing({ scope: { kind: 'key', keyId: 'key_1' } })).message).toContain(
      'and open calls hold what it needs of the limit of $5.00 a day for key "batch"',
    ));

  test('a rate, in a workspace in UTC', () => {
    const zones = [{ zone: 'UTC', since: 0 }];
    const stands = standing(
      { unit: 'calls', window: 'minute', amount: 100, zones },
      { windowEnd: NOW + 22_001, counted: 100, held: 0, left: 0 },
    );
    expect(refused('rate_limited', stands, 1).message).toBe(
      'No call is left under the limit of 100 calls a minute for all calls: 100 calls counted, 0 calls held by open calls, 0 calls left. It resets on 20 Nov 2026, 12:00 UTC. Try again in 23 s, or raise it: tollbook limits raise lim_1 --amount 200 --for 2h',
    );
  });

  test('as many concurrent calls as the limit allows', () => {
    const stands = standing(
      { unit: 'concurrency', window: 'total', amount: 8 },
      { windowEnd: null, counted: 0, held: 8, left: 0 },
    );
    expect(refused('in_flight', stands, 1).message).toBe(
      'No more concurrent calls fit under the limit of 8 concurrent calls for all calls: 8 concurrent calls open. Each call that ends makes room for another. Try again in 2 s.',
    );
  });

  test('what open calls on other nodes hold', () => {
    const stands = standing({}, { counted: 0, held: 0 });
    const refusal = {
      reason: 'in_flight',
      need: USD,
      standing: stands,
      overrun: null,
      outputField: null,
      isElsewhere: true,
    } as const;
    const { message } = refusalError(refusal, NOW, KEY);
    expect(message).toContain('and open calls on other nodes hold what it needs of the limit');
  });

  test('a raise that applies now', () =>
    expect(refused('exceeds_limit', standing({}, { amount: 9 * USD })).message).toContain('$9.00 a day'));
});

describe('retry times', () => {
  const endsIn = (ms: number): CounterStatus => standing({}, { windowEnd: NOW + ms });
  test.each<[BlockReason, CounterStatus, number | undefined]>([
    ['in_flight', endsIn(3_600_000), 2],
    ['rate_limited', endsIn(1), 1],
    ['rate_limited', endsIn(60_000), 60],
    ['rate_limited', endsIn(60_001), undefined],
    ['spent', endsIn(30_000), 30],
    ['spent', endsIn(-5), 1],
    ['exceeds_limit', endsIn(61_000), undefined],
    ['spent', standing({}, { windowEnd: null }), undefined],
  ])('%s', (reason, stands, seconds) => expect(refused(reason, stands).retryAfter).toBe(seconds));

  test('none for a call that is larger than the whole limit', () =>
    expect(refused('exceeds_limit', endsIn(1_000), 6 * USD).retryAfter).toBeUndefined());
});

test('programs get the same facts, in dollars or counts', () => {
  const error = refused('exceeds_limit', standing({ scope: { kind: 'each_tag', key: 'user' } }, { value: 'ann' }));
  expect(error).toMatchObject({ type: 'exceeds_limit', status: 402 });
  expect(error.facts).toEqual({
    reason: 'exceeds_limit',
    limit: 'lim_1',
    value: 'ann',
    unit: 'usd',
    amount: 5,
    counted: 4,
    held: 0.2,
    remaining: 0.8,
    needed: 1.2,
    resetsAt: '2026-11-20T23:00:00.000Z',
    help: 'Ask for less output (a smaller max_tokens), send less, or raise it: tollbook limits raise lim_1 --amount 10 --for 2h',
  });
  expect(error.headers).toEqual([
    'x-svc-limit-id',
    'lim_1',
    'x-svc-limit-unit',
    'usd',
    'x-svc-limit-remaining',
    '0.800000000',
    'x-svc-limit-resets-at',
    '2026-11-20T23:00:00.000Z',
    'x-svc-limit-reason',
    'exceeds_limit',
  ]);
});

test('a call held at more than its bound gets the reason, and how to end that', () => {
  const overrun = { model: 'claude-haiku-4-5', ratio: 10.123, statedBy: null };
  const error = refused('exceeds_limit', standing(), 1.2 * USD, overrun);
  expect(error.message).toContain(
    'It is held at 10.13 times its bound, because earlier calls to claude-haiku-4-5 exceeded theirs. To end that, mark the alert as read: tollbook alerts read ALERT (see alerts list). Ask for less',
  );
  expect(error.facts).toMatchObject({ needed: 1.2, boundRatio: 10.13 });
  const uncounted = cannotCountError(
    { standing: standing(), need: USD, overrun, outputField: 'max_tokens' },
    'Anthropic',
    KEY,
    'late',
  );
  expect(uncounted.message).toContain('10.13 times its bound');
});

test('a limit of calls does not mention overruns', () => {
  const calls = standing({ unit: 'calls', amount: 5 }, { counted: 5, held: 0, left: 0 });
  const error = refused('spent', calls, 1, { model: 'claude-haiku-4-5', ratio: 10, statedBy: null });
  expect(error.message).not.toContain('times its bound');
  expect(error.facts).not.toHaveProperty('boundRatio');
});

test('sums beyond 2^53 are shown too', () => {
  const counted = 2n ** 60n;
  expect(refused('spent', standing({}, { counted })).message).toContain('$1,152,921,504.61 counted');
});

test('a prompt that could not be counted', () => {
  const error = cannotCountError(
    { standing: standing(), need: USD, overrun: null, outputField: 'max_tokens' },
    'Anthropic',
    KEY,
    'late',
  );
  expect(error).toMatchObject({ type: 'counter_unavailable', status: 429, retryAfter: 5, facts: { remaining: 0.8 } });
  expect(error.message).toBe(
    'This call fits under the limit of $5.00 a day for all calls only if its prompt is short enough, and the token counter of Anthropic did not answer. Try again in 5 s, or send less.',
  );
});

test('a prompt that is never counted is not to be retried unchanged', () => {
  const error = cannotCountError(
    { standing: standing(), need: USD, overrun: null, outputField: 'max_tokens' },
    'Groq',
    KEY,
    'never',
  );
  expect(error).toMatchObject({ type: 'exceeds_limit', status: 402, retryAfter: undefined });
  expect(error.message).toBe(
    'This call fits under the limit of $5.00 a day for all calls only if its prompt is short enough, and the token counter of Groq does not accept this request. Ask for less output (a smaller max_tokens), send less, or raise it: tollbook limits raise lim_1 --amount 10 --for 2h',
  );
  const input = standing({ unit: 'input_tokens', amount: 5_000 }, { counted: 0, held: 0, left: 5_000 });
  expect(
    cannotCountError({ standing: input, need: 9_000, overrun: null, outputField: 'max_tokens' }, 'Groq', KEY, 'never')
      .message,
  ).toContain('. Send less, or raise it: tollbook limits raise lim_1 --amount 10000 --for 2h');
});

test('what helps names the maximum of the request, or nothing where it has none', () => {
  const refusal = { reason: 'exceeds_limit', standing: standing(), need: 1.2 * USD, overrun: null } as const;
  const help = (outputField: string | null): string => refusalError({ ...refusal, outputField }, NOW, KEY).message;
  expect(help('generationConfig.maxOutputTokens')).toContain('(a smaller generationConfig.maxOutputTokens)');
  expect(help(null)).toContain('UTC. Send less, or raise it: ');
  expect(tooLargeOutputError(2, 1, KEY, null).message).toMatch(/Ask for less\.$/);
});

test('work without a bound names the field and the setting', () => {
  const error = unboundedError('tools[].web_search without max_uses', standing(), KEY);
  expect(error).toMatchObject({ type: 'unbounded', status: 402, retryAfter: undefined });
  expect(error.message).toContain('(tools[].web_search without max_uses)');
  expect(error.message).toContain('tollbook policies set key_1 --presume USD');
});

test('a model without a price gets both solutions, and no command contains text of the request', () => {
  const error = unpricedError('new-model', 'anthropic', standing(), KEY);
  expect(error).toMatchObject({ type: 'unpriced_model', status: 402, param: 'model' });
  expect(error.message).toContain('new-model has no price');
  expect(error.message).toContain('tollbook prices set anthropic new-model --input USD');
  expect(error.message).toContain('tollbook policies set key_1 --unpriced allow');
  expect(unpricedError('x; rm -rf ~', 'anthropic', standing(), KEY).message).not.toContain('rm -rf');
});

test('a missing price for a part of a call is not called a missing price of the model', () => {
  const error = unpricedTermsError('gpt-5', standing(), KEY);
  expect(error).toMatchObject({ type: 'unpriced_model', status: 402 });
  expect(error.message).toContain('requests from gpt-5 has no known price (its kind of input or output, service tier,');
  expect(error.message).toContain('tollbook policies set key_1 --unpriced allow');
});

test('more output than the policy allows', () =>
  expect(tooLargeOutputError(8_192, 4_096, KEY, 'max_output_tokens')).toMatchObject({
    type: 'policy_denied',
    status: 403,
    message:
      'The wrapped key "batch" may ask for at most 4,096 output tokens; this call asks for 8,192. Ask for less (max_output_tokens).',
  }));

test('a batch without a price for batches says how to set one', () => {
  const error = unpricedBatchError('gpt-5', 'openai', standing(), KEY);
  expect(error).toMatchObject({ type: 'unpriced_model', status: 402 });
  expect(error.message).toContain('requests from gpt-5 has no price for batches');
  expect(error.message).toContain('tollbook prices set openai gpt-5 --input USD --output USD --tier batch=0.5');
});
