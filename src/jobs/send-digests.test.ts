import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { runLine, wideLines } from '../../test/run-line.ts';
import type { DigestShape } from '../contract/webhooks.ts';
import type { Entry } from '../domain/usage/call.ts';
import { WEBHOOK_KINDS, WEBHOOK_TYPES } from '../domain/alerts/webhook-kinds.ts';
import { createDigestService } from '../ledger/digest-service.ts';
import type { WebhookNotice } from '../notifications/destinations/destination.ts';
import { findDestination } from '../notifications/destinations/destinations.ts';
import { newLimit } from '../../test/support/temporary-records.ts';
import { silentLog } from '../lib/log.ts';
import type { Job } from './schedule.ts';
import { sendDigestsJob } from './send-digests.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import type { Webhook } from '../storage/records/webhooks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const USD = 1_000_000_000;
/** 08:00 in Berlin. */
const MONDAY = Date.parse('2026-03-16T07:00:00.000Z');
const page = { limit: 10, before: null };

let testLedger: TestLedger;
let keyId: string;
let queued: number;
beforeEach(async () => {
  testLedger = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  testLedger.time.now = MONDAY - 10 * DAY;
  await testLedger.ledger.records.workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Berlin' }, 'owner');
  keyId = (await testLedger.createKey('ci')).id;
  queued = 0;
  await testLedger.ship([
    spent(MONDAY - 9 * DAY, 40),
    spent(MONDAY - 3 * DAY, 50, { tags: { team: 'search' } }),
    spent(MONDAY - 2 * DAY, 10, { keyId: 'key_gone', model: 'claude-opus-4-5' }),
    testLedger.entry({ startedAt: MONDAY - 2 * DAY, model: 'nobody-knows' }),
    // Of this week, and no part of it.
    spent(MONDAY - HOUR, 1_000),
  ]);
});
afterEach(() => testLedger.close());

function spent(startedAt: number, usd: number, more: Partial<Entry> = {}): Entry {
  const cost = usd * USD;
  return testLedger.entry({ startedAt, keyId, cost, counted: { usd: cost, inputTokens: 1, outputTokens: 1 }, ...more });
}

/** Nobody is connected to one. */
const providerReports = { readTime: () => Promise.resolve(null) };
const pricingOf = () => ({ pricedAs: () => null, resolve: () => null });

function jobOf(runner: string): Job {
  const { records, store, limits } = testLedger.ledger;
  const clock = (): number => testLedger.time.now;
  const standings = limits.standings.bind(limits);
  return sendDigestsJob({
    digests: createDigestService({
      ...store,
      providerReports,
      pricingOf,
      records,
      standings,
      clock,
      baseUrl: 'http://tollbook.test',
    }),
    records,
    clock,
    log: silentLog,
    runner,
    queued: () => (queued += 1),
  });
}

const webhook = (digest: 'off' | 'weekly', name: string): Promise<Webhook> =>
  testLedger.ledger.records.webhooks.create(
    {
      workspaceId: DEFAULT_WORKSPACE,
      name,
      url: 'https://hooks.test/x',
      type: 'CUSTOM',
      events: ['OVERRUN'],
      secret: null,
      digest,
    },
    'owner',
  );

const run = (job: Job): Promise<void> => job.run(new AbortController().signal);
const sentTo = async ({ id }: Webhook): Promise<WebhookNotice[]> =>
  (await testLedger.ledger.records.deliveries.list(DEFAULT_WORKSPACE, id, page)).map(
    ({ content }) => content as unknown as WebhookNotice,
  );

test('a digest is sent once, on Monday at eight in the workspace, to the webhooks that want it', async () => {
  const [wanting, other] = [await webhook('weekly', 'a'), await webhook('off', 'b')];
  const jobs = ['one', 'two', 'three'].map(jobOf);
  for (const at of [MONDAY - 10 * 60_000, MONDAY, MONDAY + 20 * 60_000, MONDAY + DAY]) {
    testLedger.time.now = at;
    await Promise.all(jobs.map(run));
    expect(await sentTo(wanting)).toHaveLength(at < MONDAY ? 0 : 1);
  }
  expect(await sentTo(other)).toEqual([]);
  testLedger.time.now = MONDAY + 7 * DAY;
  await Promise.all(jobs.map(run));
  expect((await sentTo(wanting)).map(({ id }) => id)).toEqual([
    'digest_ws_default_2026-03-16',
    'digest_ws_default_2026-03-09',
  ]);
});

test('a webhook created after Monday morning waits for the next digest; a service that was down at eight sends it late', async () => {
  const early = await webhook('weekly', 'early');
  testLedger.time.now = MONDAY + 3 * HOUR;
  const late = await webhook('weekly', 'late');
  await run(jobOf('one'));
  expect([await sentTo(early), await sentTo(late)]).toMatchObject([[{ kind: 'digest' }], []]);
  expect(queued).toBe(1);
});

test('a digest has the spend, the change from the week before with its cause, and open alerts', async () => {
  testLedger.time.now = MONDAY;
  await testLedger.ledger.records.alerts.raise({
    type: 'COST_SPIKE',
    severity: 'warning',
    workspaceId: DEFAULT_WORKSPACE,
    title: 't',
    message: 'm',
    episode: 'e',
    createdAt: MONDAY - 2 * DAY,
    scope: {},
    value: 1,
    threshold: 1,
    period: null,
    evidence: {},
  });
  const limit = await testLedger.ledger.records.limits.create(newLimit({ amount: 100 * USD }), 'owner');
  const counts = { amount: 100 * USD, counted: 92 * USD, uncertain: 0, held: 0, left: 8 * USD };
  testLedger.standings.push({ limit, value: '', windowStart: 0, windowEnd: MONDAY + DAY, ...counts });
  const shown = await testLedger.json<DigestShape>('/api/mcp/digest');
  expect(shown).toMatchObject({
    id: 'digest_ws_default_2026-03-09',
    title: 'Week of 2026-03-09',
    message: '$60.00 in 3 calls, 50% more than the week before ($40.00). 1 limit nearly used up.',
    data: {
      costUsd: 60,
      costBeforeUsd: 40,
      calls: 3,
      unpricedCalls: 1,
      anomalies: 1,
      alerts: { COST_SPIKE: 1, UNPRICED_MODEL: 1 },
    },
  });
  expect(shown.facts).toEqual([
    { name: 'Keys', value: '"ci" +$10.00 to $50.00; key_gone +$10.00 to $10.00' },
    { name: 'Models', value: 'claude-sonnet-4-5 +$10.00 to $50.00; claude-opus-4-5 +$10.00 to $10.00' },
    { name: 'Tags', value: 'team=search +$50.00 to $50.00' },
    { name: 'Limit', value: '$100.00 a day for all calls: 92% used' },
    { name: 'Alerts', value: '1 COST_SPIKE, 1 UNPRICED_MODEL' },
    { name: 'Anomalies', value: '1' },
    { name: 'Without a price', value: '1 call' },
  ]);
});

test('every destination accepts a digest', async () => {
  testLedger.time.now = MONDAY;
  const { records, store, limits } = testLedger.ledger;
  const standings = limits.standings.bind(limits);
  const notice = await createDigestService({
    ...store,
    providerReports,
    pricingOf,
    records,
    standings,
    clock: () => MONDAY,
    baseUrl: 'http://t',
  }).preview(DEFAULT_WORKSPACE);
  for (const type of WEBHOOK_TYPES) {
    const { address, key } = WEBHOOK_KINDS[type];
    const target = { url: address.example, secrets: key ? [key.example] : [] };
    expect(JSON.stringify(findDestination(type).message(notice, target, MONDAY))).toContain('Week of 2026-03-09');
  }
});

test('the command shows the digest without sending it', async () => {
  await testLedger.ledger.close();
  const ran = await runLine('webhooks digest', { env: testLedger.env });
  expect([ran.code, ran.err, wideLines(ran)]).toEqual([0, '', []]);
  expect(ran.out).toMatch(/^Week of \d{4}-\d\d-\d\d\n/);
});
