import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { silentLog } from '../lib/log.ts';
import type { Job } from './schedule.ts';
import { watchRateLimitsJob } from './watch-rate-limits.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let testLedger: TestLedger;
let job: Job;
beforeEach(async () => {
  testLedger = await openTestLedger();
  testLedger.time.now = NOW + 20 * MINUTE;
  const { records, store } = testLedger.ledger;
  job = watchRateLimitsJob({
    reports: store.reports,
    records,
    clock: () => testLedger.time.now,
    log: silentLog,
    runner: 'one',
    raise: (alert) => testLedger.ledger.raise(alert),
  });
});
afterEach(() => testLedger.close());

async function calls(count: number, status: number, more: { keyId?: string; provider?: string } = {}): Promise<void> {
  const outcome = status === 200 ? 'completed' : 'failed';
  await testLedger.ship(
    Array.from({ length: count }, () =>
      testLedger.entry({ startedAt: testLedger.time.now - MINUTE, status, outcome, cost: 0, ...more }),
    ),
  );
}

async function turn(): Promise<readonly StoredAlert[]> {
  await job.run(new AbortController().signal);
  testLedger.time.now += MINUTE;
  const alerts = await testLedger.ledger.records.alerts.list(DEFAULT_WORKSPACE, { limit: 100, unreadOnly: false });
  return alerts.filter(({ type }) => type === 'RATE_LIMIT');
}

test('a few refusals, or few among very many calls, raise no alert', async () => {
  await calls(9, 429);
  expect(await turn()).toEqual([]);
  await calls(1_200, 200, { provider: 'openai' });
  await calls(10, 429, { provider: 'openai' });
  expect(await turn()).toEqual([]);
});

test('many refusals are one alert for each provider and key, which ends after an hour without any', async () => {
  await calls(30, 200);
  await calls(12, 429, { keyId: 'key_a' });
  await calls(3, 429, { keyId: 'key_b' });
  const [alert, ...more] = await turn();
  expect(more).toEqual([]);
  expect(alert).toMatchObject({
    severity: 'warning',
    title: 'Calls refused by anthropic: key key_a',
    message: expect.stringContaining('refused 12 calls of key key_a with 429 since 12:00 UTC, of 45 calls'),
    scope: { provider: 'anthropic', key: 'key_a' },
    value: 12,
    resolvedAt: null,
  });
  await calls(20, 429, { keyId: 'key_a' });
  expect(await turn()).toHaveLength(1);
  testLedger.time.now = NOW + HOUR + 5 * MINUTE;
  await calls(10, 429, { keyId: 'key_a' });
  expect(await turn()).toMatchObject([{ resolvedAt: null }]);
  testLedger.time.now = NOW + 3 * HOUR;
  expect(await turn()).toMatchObject([{ resolvedAt: NOW + 3 * HOUR }]);
  await calls(10, 429, { keyId: 'key_a' });
  expect(await turn()).toHaveLength(2);
});

test('refusals spread over many keys raise an alert for the provider', async () => {
  for (const keyId of ['key_a', 'key_b', 'key_c']) await calls(4, 429, { keyId });
  expect(await turn()).toMatchObject([
    { title: 'Calls refused by anthropic', scope: { provider: 'anthropic' }, value: 12 },
  ]);
});
