import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { buildNotice } from './delivery-notices.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

const HOUR = 3_600_000;

let testLedger: TestLedger;
beforeEach(async () => {
  testLedger = await openTestLedger();
});
afterEach(() => testLedger.close());

async function facts(more: Partial<Alert>): Promise<Record<string, string>> {
  const { records } = testLedger.ledger;
  const at = testLedger.time.now;
  const raised = await records.alerts.raise({
    type: 'COST_SPIKE',
    severity: 'warning',
    workspaceId: DEFAULT_WORKSPACE,
    title: 'title',
    message: 'message',
    episode: JSON.stringify(more),
    createdAt: at,
    scope: {},
    value: 62.5,
    threshold: 7.6,
    period: { start: at - HOUR, end: at },
    evidence: { unit: 'usd', baseline: 3 },
    ...more,
  });
  const delivery = { workspaceId: DEFAULT_WORKSPACE, alertId: raised?.id ?? '', content: null };
  const notice = await buildNotice(
    {
      ...delivery,
      id: 'dl',
      webhookId: 'wh',
      messageId: 'm',
      kind: 'alert',
      state: 'waiting',
      attempts: 0,
      nextAt: 0,
      createdAt: 0,
      endedAt: null,
    },
    records,
    'http://tollbook.test',
  );
  return Object.fromEntries((notice?.facts ?? []).map(({ name, value }) => [name, value]));
}

test('an anomaly is shown with its value, the usual value, and the time', async () => {
  expect(await facts({ scope: { 'tag:team': 'search' } })).toMatchObject({
    Seen: '$62.50',
    Usual: '$3.00',
    Threshold: '$7.60',
    'Tag team': 'search',
    From: '15 Mar 2026, 11:00',
    To: '15 Mar 2026, 12:00',
  });
});

test.each([
  ['share', 0.125, '13%'],
  ['usd_per_million_tokens', 2.5, '$2.50 per million tokens'],
  ['calls', 1_200, '1,200'],
  ['hours', 5, '5'],
])('amounts in %s are shown in their unit', async (unit, value, text) => {
  expect((await facts({ value, evidence: { unit } }))['Seen']).toBe(text);
});

test('alerts without a comparison do not mention one', async () => {
  expect(Object.keys(await facts({ evidence: {}, threshold: null }))).not.toContain('Usual');
});

test('times are in the time zone of the workspace, which is named', async () => {
  await testLedger.ledger.records.workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Helsinki' }, 'owner');
  expect(await facts({})).toMatchObject({
    From: '15 Mar 2026, 13:00',
    To: '15 Mar 2026, 14:00',
    Raised: '15 Mar 2026, 14:00 (Europe/Helsinki)',
  });
});
