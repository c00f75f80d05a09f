import { expect, test } from 'vitest';
import type { CounterStatus } from '../domain/limits/limit.ts';
import { refusalAlert, thresholdAlert, valuesAlert } from './alerts.ts';
import { sampleBudget, sampleSubject, DAY, NOON } from './contract/sample-limits.ts';

const USD = 1_000_000_000;

function standingOf(change: Partial<CounterStatus> = {}): CounterStatus {
  const windowStart = NOON - DAY / 2;
  const amounts = { amount: 5 * USD, counted: 4 * USD, uncertain: 0, held: USD / 2, left: USD / 2 };
  return {
    limit: sampleBudget('lim_1', 5 * USD),
    value: '',
    windowStart,
    windowEnd: windowStart + DAY,
    ...amounts,
    ...change,
  };
}

test('a threshold alert has the limit, the used amount and the remaining amount', () => {
  expect(thresholdAlert(standingOf(), 80, false, NOON)).toMatchObject({
    type: 'BUDGET_WARNING',
    severity: 'warning',
    workspaceId: 'ws_a',
    title: 'The limit of $5.00 a day for all calls has reached 80%',
    message: expect.stringMatching(
      /^The limit of \$5\.00 a day for all calls has counted \$4\.00 of \$5\.00, open calls hold \$0\.50; left: \$0\.50\. It resets on \d+ \w+ 20\d\d, 00:00 UTC\.$/,
    ),
    episode: `limit:lim_1:80:${5 * USD}:${NOON - DAY / 2}:`,
    scope: { limit: 'lim_1' },
    value: 4,
    threshold: 4,
    period: { start: expect.any(Number), end: expect.any(Number) },
    evidence: { unit: 'usd', amount: 5, held: 0.5 },
  });
});

test('the alert of a used-up limit says what happens to calls', () => {
  const used = { counted: 5 * USD, held: 0, left: 0 };
  const alert = thresholdAlert(standingOf(used), 100, false, NOON);
  expect(alert).toMatchObject({
    type: 'BUDGET_EXCEEDED',
    severity: 'critical',
    title: 'The limit of $5.00 a day for all calls is used up',
  });
  expect(alert.message).toContain('Calls that do not fit are refused.');
  const warns = sampleBudget('lim_1', 5 * USD, { action: 'warn', label: 'Team' });
  expect(thresholdAlert(standingOf({ ...used, limit: warns }), 100, false, NOON)).toMatchObject({
    title: 'The limit "Team" is used up',
    message: expect.stringContaining('Calls continue: it only warns.'),
  });
});

test('the alert of a limit that refuses calls before it is used up says so, with its reset and how to raise it', () => {
  const alert = thresholdAlert(standingOf(), 100, false, NOON);
  expect(alert).toMatchObject({
    type: 'BUDGET_EXCEEDED',
    title: 'The limit of $5.00 a day for all calls refuses calls',
  });
  expect(alert.message).toMatch(
    /refused\. It resets on \d+ \w+ 20\d\d, 00:00 UTC\. Raise it on its page in the dashboard, or with: tollbook limits raise lim_1 --amount 10 --for 2h$/,
  );
});

test('the alert of a limit of zero says that it refuses calls, not that it is used up', () => {
  const nothing = { amount: 0, counted: 0, held: 0, left: 0, limit: sampleBudget('lim_1', 0) };
  expect(thresholdAlert(standingOf(nothing), 100, false, NOON)).toMatchObject({
    type: 'BUDGET_EXCEEDED',
    title: 'The limit of $0.00 a day for all calls refuses calls',
    value: 0,
    threshold: 0,
  });
});

test('a raised limit has its own alerts, with the raised amount', () => {
  const [before, raised] = [{}, { amount: 8 * USD }].map((change) =>
    thresholdAlert(standingOf(change), 80, false, NOON),
  );
  expect(raised?.title).toContain('$8.00 a day');
  expect(raised?.episode).not.toBe(before?.episode);
  // The raise is over: what was told before it is told again.
  const limit = sampleBudget('lim_1', 5 * USD, { raise: { amount: 8 * USD, until: NOON } });
  expect(thresholdAlert(standingOf({ limit }), 80, false, NOON).episode).not.toBe(before?.episode);
});

test('an hourly dollar limit is a budget, alerted in each window; an hourly limit of calls is a rate', () => {
  const hour = { windowStart: NOON, windowEnd: NOON + 3_600_000 };
  const dollars = sampleBudget('lim_1', 5 * USD, { window: 'hour' });
  const [first, next] = [NOON, NOON + 3_600_000].map((windowStart) =>
    thresholdAlert(standingOf({ limit: dollars, ...hour, windowStart }), 80, false, windowStart),
  );
  expect(first?.type).toBe('BUDGET_WARNING');
  expect(next?.episode).not.toBe(first?.episode);
  const calls = sampleBudget('lim_2', 5, { window: 'hour', unit: 'calls' });
  expect(thresholdAlert(standingOf({ limit: calls, ...hour }), 80, false, NOON).type).toBe('RATE_LIMIT');
});

test('a limit per minute is alerted once a day, as a rate', () => {
  const limit = sampleBudget('lim_1', 5 * USD, { window: 'minute' });
  const found = [NOON, NOON + 60_000].map((now) =>
    thresholdAlert(standingOf({ limit, windowStart: now, windowEnd: now + 60_000 }), 100, false, now),
  );
  expect(found[0]).toMatchObject({ type: 'RATE_LIMIT', severity: 'warning' });
  expect(found[1]?.episode).toBe(found[0]?.episode);
});

test('the last reported value says that there may be more', () => {
  const limit = sampleBudget('lim_1', 5 * USD, { scope: { kind: 'each_tag', key: 'user' } });
  const alert = thresholdAlert(standingOf({ limit, value: 'ann' }), 80, true, NOON);
  expect(alert.title).toBe('The limit of $5.00 a day for each user (user=ann) has reached 80%');
  expect(alert.message).toMatch(/no further ones are reported in this window\.$/);
  expect(alert.scope).toEqual({ limit: 'lim_1', value: 'ann' });
});

test('a limit that ran out of values names the key that sent one more', () => {
  const alert = valuesAlert(standingOf(), 'key_a', NOON);
  expect(alert).toMatchObject({
    severity: 'warning',
    episode: `values:lim_1:${NOON - DAY / 2}`,
    scope: { key: 'key_a' },
  });
  expect(alert.message).toMatch(/^The limit of \$5\.00 .* at most 20,000 values .*Key key_a sent one more/);
});

test('the alert of a refused call has the limit, what the call needed, what is left and what helps', () => {
  const help = 'Send less, or raise it: tollbook limits raise lim_1.';
  const refusal = { reason: 'exceeds_limit', need: 1.78 * USD, standing: standingOf(), help } as const;
  const episode = 'refused:lim_1:0:0:';
  const alert = refusalAlert(refusal, sampleSubject(), episode, false, NOON);
  expect(alert).toMatchObject({
    type: 'BUDGET_EXCEEDED',
    severity: 'critical',
    title: 'The limit of $5.00 a day for all calls refuses calls',
    scope: { limit: 'lim_1', key: 'key_a', provider: 'anthropic', model: 'claude-opus-4-5' },
    evidence: { reason: 'exceeds_limit', key: 'key_a', model: 'claude-opus-4-5', needed: 1.78, left: 0.5, help },
    value: 4,
    threshold: 5,
    episode,
  });
  expect(alert.message).toMatch(
    /^A call of key key_a to claude-opus-4-5 needs up to \$1\.78; left: \$0\.50 of \$5\.00\. It resets on .* UTC\. Send less, or raise it: tollbook limits raise lim_1\.$/,
  );
});

test('the alert of a call without a bound or a price says so', () => {
  const message = (change: { unbounded?: string; reason: 'unbounded' | 'unpriced_model' }): string =>
    refusalAlert({ need: null, standing: standingOf(), help: 'Help.', ...change }, sampleSubject(), 'e', true, NOON)
      .message;
  expect(message({ reason: 'unbounded', unbounded: 'tools[].web_search without max_uses' })).toMatch(
    /^A call of key key_a to claude-opus-4-5 has no upper bound \(tools\[\]\.web_search without max_uses\).* Many values .* Help\.$/,
  );
  expect(message({ reason: 'unpriced_model' })).toContain('has no known price');
});

test('a refusal by a limit per minute is a rate alert, unless the call is larger than the whole limit', () => {
  const limit = sampleBudget('lim_1', 5 * USD, { window: 'minute' });
  const types = (['rate_limited', 'exceeds_limit'] as const).map(
    (reason) =>
      refusalAlert(
        { reason, need: 6 * USD, standing: standingOf({ limit }), help: '' },
        sampleSubject(),
        'e',
        false,
        NOON,
      ).type,
  );
  expect(types).toEqual(['RATE_LIMIT', 'BUDGET_EXCEEDED']);
});
