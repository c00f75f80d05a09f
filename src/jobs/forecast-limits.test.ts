import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { Entry } from '../domain/usage/call.ts';
import type { Limit, CounterStatus } from '../domain/limits/limit.ts';
import { windowAt } from '../domain/time/window.ts';
import { newLimit } from '../../test/support/temporary-records.ts';
import { silentLog } from '../lib/log.ts';
import { forecastLimitsJob } from './forecast-limits.ts';
import type { Job } from './schedule.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import type { NewLimit } from '../storage/records/check-limit.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const USD = 1_000_000_000;
/** The tenth of a month of 31 days, noon. */
const NOW = Date.parse('2026-03-10T12:00:00.000Z');

let testLedger: TestLedger;
let job: Job;
let standings: CounterStatus[];
beforeEach(async () => {
  testLedger = await openTestLedger();
  testLedger.time.now = NOW;
  standings = [];
  const { records, store } = testLedger.ledger;
  job = forecastLimitsJob({
    reports: store.reports,
    records,
    standings: async () => standings,
    clock: () => testLedger.time.now,
    log: silentLog,
    runner: 'one',
    raise: (alert) => testLedger.ledger.raise(alert),
  });
});
afterEach(() => testLedger.close());

/** Four weeks of the same dollars an hour. */
async function spend(usd: number, more: Partial<Entry> = {}): Promise<void> {
  const cost = usd * USD;
  const entries = Array.from({ length: 28 * 24 }, (_, i) =>
    testLedger.entry({
      startedAt: NOW - 28 * DAY + i * HOUR,
      cost,
      counted: { usd: cost, inputTokens: 1, outputTokens: 1 },
      ...more,
    }),
  );
  for (let at = 0; at < entries.length; at += 500) await testLedger.ship(entries.slice(at, at + 500));
}

function standingOf(limit: Limit, counted: number, value = ''): CounterStatus {
  const window = windowAt(limit.window, NOW, limit.zones);
  const windowEnd = Number.isFinite(window.end) ? window.end : null;
  const amounts = { amount: limit.amount, counted: counted * USD, uncertain: 0, held: 0, left: 0 };
  return { limit, value, windowStart: window.start, windowEnd, ...amounts };
}

const limitOf = (amount: number, more: Partial<NewLimit> = {}): Promise<Limit> =>
  testLedger.ledger.records.limits.create(newLimit({ amount: amount * USD, window: 'month', ...more }), 'owner');

async function turn(): Promise<readonly StoredAlert[]> {
  await job.run(new AbortController().signal);
  testLedger.time.now += 15 * 60_000;
  return await testLedger.ledger.records.alerts.list(DEFAULT_WORKSPACE, { limit: 100, unreadOnly: false });
}

test('a limit that will be exceeded before it resets is alerted once, with the time and the amounts', async () => {
  await spend(1);
  // 228 of 400 dollars in nine and a half days of thirty-one: gone after some seventeen.
  standings = [standingOf(await limitOf(400), 228)];
  const [alert, ...more] = await turn();
  expect(more).toEqual([]);
  expect(alert).toMatchObject({
    type: 'BUDGET_WARNING',
    severity: 'warning',
    title: 'The limit of $400.00 a month for all calls will be used up',
    message: expect.stringMatching(
      /^The limit .* is forecast to be used up by 1[67] Mar 2026, \d\d:\d\d \(UTC\): \$228.00 of \$400.00 are counted/,
    ),
    threshold: 400,
    evidence: { unit: 'usd', counted: 228, basis: 'shape' },
    period: { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 3, 1) },
    resolvedAt: null,
  });
  expect(alert?.value).toBeGreaterThan(600);
  expect(await turn()).toHaveLength(1);
});

test('the alert ends when the pace falls, and when the limit is removed', async () => {
  await spend(1);
  const limit = await limitOf(400);
  standings = [standingOf(limit, 228)];
  await turn();
  standings = [{ ...standingOf(limit, 228), amount: 5_000 * USD }];
  expect(await turn()).toMatchObject([{ resolvedAt: expect.any(Number) }]);
  const other = await limitOf(300, { scope: { kind: 'provider', provider: 'anthropic' } });
  standings = [standingOf(other, 200)];
  expect((await turn())[0]).toMatchObject({ scope: { limit: other.id }, resolvedAt: null });
  await testLedger.ledger.records.limits.remove(DEFAULT_WORKSPACE, other.id, 'owner');
  standings = [];
  expect((await turn())[0]).toMatchObject({ scope: { limit: other.id }, resolvedAt: expect.any(Number) });
});

test('there is no forecast if thresholds suffice, if the limit will hold, and for units other than money', async () => {
  await spend(1);
  standings = [
    standingOf(await limitOf(280), 228),
    standingOf(await limitOf(900, { scope: { kind: 'provider', provider: 'anthropic' } }), 228),
    standingOf(await limitOf(400, { scope: { kind: 'provider', provider: 'openai' } }), 0),
  ];
  expect(await turn()).toEqual([]);
});

test('each value of a tag, a key and a model have their own forecast', async () => {
  await spend(1, { tags: { team: 'a' }, keyId: 'key_1' });
  await spend(0.01, { tags: { team: 'b' }, keyId: 'key_2', model: 'gpt-5', provider: 'openai' });
  const teams = await limitOf(400, { scope: { kind: 'each_tag', key: 'team' } });
  const models = await limitOf(401, { scope: { kind: 'model', pattern: 'claude-*' } });
  standings = [standingOf(teams, 228, 'a'), standingOf(teams, 2.3, 'b'), standingOf(models, 228)];
  expect((await turn()).map(({ scope }) => scope)).toEqual(
    expect.arrayContaining([{ limit: teams.id, value: 'a' }, { limit: models.id }]),
  );
  expect(await turn()).toHaveLength(2);
});

test('a limit on each session has no forecast: hours of all sessions say nothing about one', async () => {
  await spend(1);
  const scope = { kind: 'each', of: 'session', keyId: null } as const;
  standings = [standingOf(await limitOf(40, { scope, window: 'total' }), 5, '["nightly"]')];
  expect(await turn()).toEqual([]);
});

test('a limit that never resets is alerted if the next week would use it up', async () => {
  await spend(1);
  const limit = await limitOf(700, { window: 'total' });
  standings = [{ ...standingOf(limit, 545), amount: 900 * USD }];
  expect(await turn()).toEqual([]);
  standings = [standingOf(limit, 545)];
  const [alert] = await turn();
  expect(alert).toMatchObject({ title: 'The limit of $700.00 in total for all calls will be used up', period: null });
  expect(alert?.message).toMatch(
    /is forecast to be used up by 1[67] Mar 2026, .*: \$545\.00 of \$700\.00 are counted so far\. Calls/,
  );
});
