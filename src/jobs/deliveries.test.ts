import { expect, test } from 'vitest';
import type { Alert } from '../domain/alerts/alert.ts';
import { openTemporaryRecords } from '../../test/support/temporary-records.ts';
import { pruneDeliveriesJob } from './deliveries.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

test('deliveries of a disabled webhook are given up after three days, and deleted thirty days later', async () => {
  const { records, time } = await openTemporaryRecords();
  const hook = { workspaceId: DEFAULT_WORKSPACE, name: 'a', url: 'https://a.test/', type: 'CUSTOM' } as const;
  const { id } = await records.webhooks.create({ ...hook, events: ['COVERAGE'], secret: null, digest: 'off' }, 'owner');
  const alert: Alert = {
    type: 'COVERAGE',
    severity: 'info',
    workspaceId: DEFAULT_WORKSPACE,
    title: 'a',
    message: 'b',
    episode: 'c',
    createdAt: time.now,
    period: null,
    scope: {},
    value: null,
    threshold: null,
    evidence: {},
  };
  await records.alerts.raise(alert);
  const job = pruneDeliveriesJob({ records, clock: () => time.now });
  const stateAfter = async (days: number): Promise<string | undefined> => {
    time.now += days * DAY_MS;
    await job.run(new AbortController().signal);
    return (await records.deliveries.list(DEFAULT_WORKSPACE, id, { limit: 1, before: null }))[0]?.state;
  };
  expect(await stateAfter(9)).toBe('waiting');
  await records.webhooks.update(DEFAULT_WORKSPACE, id, { enabled: false }, 'owner');
  expect(await stateAfter(0)).toBe('failed');
  expect(await stateAfter(29)).toBe('failed');
  expect(await stateAfter(2)).toBeUndefined();
});
