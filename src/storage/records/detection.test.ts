import { expect, test } from 'vitest';
import type { Alert } from '../../domain/alerts/alert.ts';
import type { Episode } from '../../domain/anomaly/episodes.ts';
import { newMute, openTemporaryRecords, TEST_NOW } from '../../../test/support/temporary-records.ts';
import { DEFAULT_DETECT_SETTINGS, type DetectionStep } from './detection.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

const WS = DEFAULT_WORKSPACE;
const ALL = { limit: 100, unreadOnly: false };

function spike(more: Partial<Alert> = {}): Alert {
  return {
    type: 'COST_SPIKE',
    severity: 'warning',
    workspaceId: WS,
    title: 'title',
    message: 'message',
    episode: 'cost_spike/workspace/1',
    createdAt: TEST_NOW,
    scope: {},
    value: 9,
    threshold: 3,
    period: null,
    evidence: {},
    ...more,
  };
}

const step = (more: Partial<DetectionStep>): DetectionStep => ({
  episodes: [],
  raise: [],
  reopen: [],
  resolve: [],
  ...more,
});

test('a workspace has the usual settings until it changes them, and each change is in the audit', async () => {
  const { records } = await openTemporaryRecords();
  expect(await records.detection.settings(WS)).toEqual(DEFAULT_DETECT_SETTINGS);
  await records.detection.update(WS, { sensitivity: 'high' }, 'owner');
  await records.detection.update(WS, { minExcessNano: 5 }, 'owner');
  expect(await records.detection.settings(WS)).toEqual({ sensitivity: 'high', minExcessNano: 5 });
  expect(await records.audit.list({ workspaceId: WS, limit: 1, before: null })).toMatchObject([
    { action: 'detection.update', before: { minExcessNano: 1_000_000_000 }, after: { minExcessNano: 5 } },
  ]);
});

test.each([
  ['a sensitivity that is none', { sensitivity: 'very' as 'high' }],
  ['an amount below nothing', { minExcessNano: -1 }],
  ['a fraction of a nano-dollar', { minExcessNano: 0.5 }],
])('%s is refused, and nothing changes', async (_, change) => {
  const { records } = await openTemporaryRecords();
  await expect(records.detection.update(WS, change, 'owner')).rejects.toMatchObject({ type: 'invalid' });
  expect(await records.detection.settings(WS)).toEqual(DEFAULT_DETECT_SETTINGS);
});

test('a step raises, reopens and resolves alerts, and keeps the episodes for the next one', async () => {
  const { records } = await openTemporaryRecords();
  const episodes = [{ key: 'cost_spike/workspace/1' }] as Episode[];
  const { detection, alerts } = records;
  const raised = await detection.keep(WS, step({ episodes, raise: [spike()] }), 1);
  expect(raised).toMatchObject([{ episode: 'cost_spike/workspace/1', resolvedAt: null }]);
  expect(await detection.episodes(WS)).toEqual(episodes);
  expect(await detection.keep(WS, step({ episodes, raise: [spike()] }), 2)).toEqual([]);
  await detection.keep(WS, step({ resolve: ['cost_spike/workspace/1'] }), 3);
  expect(await alerts.list(WS, ALL)).toMatchObject([{ resolvedAt: 3 }]);
  await detection.keep(WS, step({ reopen: ['cost_spike/workspace/1'] }), 4);
  expect(await alerts.list(WS, ALL)).toMatchObject([{ resolvedAt: null }]);
  expect(await detection.episodes(WS)).toEqual([]);
});

test('a failed step changes nothing, and the next one raises its episodes', async () => {
  const { records } = await openTemporaryRecords();
  const broken = spike({ value: Symbol('x') as unknown as number });
  const episodes = [{ key: 'x' }] as Episode[];
  await expect(records.detection.keep(WS, step({ episodes, raise: [spike(), broken] }), 1)).rejects.toThrow(/symbol/i);
  expect(await records.alerts.list(WS, ALL)).toEqual([]);
  expect(await records.detection.episodes(WS)).toEqual([]);
});

test('muted alerts are not raised by any source; all others are', async () => {
  const { records, time } = await openTemporaryRecords();
  const { mutes, alerts, detection } = records;
  const mute = await mutes.create(newMute({ scope: { key: 'key_1' }, until: TEST_NOW + 1_000 }), 'owner');
  const onKey = spike({ scope: { key: 'key_1' }, episode: 'on key' });
  expect(await alerts.raise(onKey)).toBeNull();
  expect(await detection.keep(WS, step({ raise: [onKey] }), 1)).toEqual([]);
  expect(await alerts.raise(spike())).not.toBeNull();
  expect(await alerts.raise({ ...onKey, type: 'OVERRUN', episode: 'overrun' })).not.toBeNull();
  time.now += 2_000;
  expect(await mutes.list(WS)).toEqual([]);
  expect(await alerts.raise(onKey)).not.toBeNull();
  await expect(mutes.remove(WS, mute.id, 'owner')).resolves.toMatchObject({ id: mute.id });
});

test('mutes are listed with their reasons, and making and removing one is in the audit', async () => {
  const { records } = await openTemporaryRecords();
  const { id } = await records.mutes.create(newMute({ type: 'RATE_LIMIT', reason: ' a load test ' }), 'owner');
  expect(await records.mutes.list(WS)).toMatchObject([{ id, type: 'RATE_LIMIT', reason: 'a load test', until: null }]);
  await records.mutes.remove(WS, id, 'owner');
  const rows = await records.audit.list({ workspaceId: WS, limit: 2, before: null });
  expect(rows.map(({ action, subject }) => [action, subject])).toEqual([
    ['mute.remove', id],
    ['mute.create', id],
  ]);
});

test.each([
  ['without a reason', { reason: ' ' }, 'reason'],
  ['that ends before it begins', { until: 5 }, 'until'],
  ['of a scope that no alert has', { scope: { colour: 'red' } }, 'scope'],
  ['of a value without end', { scope: { model: 'm'.repeat(400) } }, 'scope'],
])('a mute %s is refused', async (_, more, param) => {
  const { records } = await openTemporaryRecords();
  await expect(records.mutes.create(newMute(more), 'owner')).rejects.toMatchObject({ type: 'invalid', param });
});

test('a workspace has a maximum of mutes, not counting ended ones', async () => {
  const { records, time } = await openTemporaryRecords();
  for (let i = 0; i < 199; i += 1) await records.mutes.create(newMute(), 'owner');
  await records.mutes.create(newMute({ until: TEST_NOW + 60_000 }), 'owner');
  await expect(records.mutes.create(newMute(), 'owner')).rejects.toMatchObject({ type: 'unprocessable' });
  time.now += 60_000;
  await records.mutes.create(newMute(), 'owner');
  expect(await records.mutes.list(WS)).toHaveLength(200);
});
