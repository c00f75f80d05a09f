import { expect, test } from 'vitest';
import type { Alert } from '../domain/alerts/alert.ts';
import { newLimit, openTemporaryRecords } from '../../test/support/temporary-records.ts';
import { endAlertsJob } from './end-alerts.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

const START = 1_000_000;

const alert = (episode: string, changes: Partial<Alert>): Alert => ({
  type: 'BUDGET_WARNING',
  severity: 'warning',
  workspaceId: DEFAULT_WORKSPACE,
  title: episode,
  message: '',
  episode,
  createdAt: START,
  period: null,
  scope: {},
  value: null,
  threshold: null,
  evidence: {},
  ...changes,
});

async function run(alerts: readonly Alert[], now: number, priced: readonly string[] = []) {
  const { records } = await openTemporaryRecords();
  for (const one of alerts) await records.alerts.raise(one);
  const pricedAs = () => (_: string, model: string) => (priced.includes(model) ? model : null);
  const job = endAlertsJob({ records, clock: () => now, startedAt: async () => START, pricedAs });
  await job.run(new AbortController().signal);
  const all = await records.alerts.list(DEFAULT_WORKSPACE, { limit: 9, unreadOnly: false });
  return Object.fromEntries(all.map(({ episode, resolvedAt }) => [episode, resolvedAt]));
}

test('an alert of a limit ends with its window, and one of a limit without end does not', async () => {
  const day = alert('day', { period: { start: 0, end: START + 10 } });
  const total = alert('total', { type: 'BUDGET_EXCEEDED' });
  expect(await run([day, total], START + 9)).toEqual({ day: null, total: null });
  expect(await run([day, total], START + 10)).toEqual({ day: START + 10, total: null });
});

test('an alert of a limit ends when the limit is removed', async () => {
  const { records } = await openTemporaryRecords();
  const limits = [await records.limits.create(newLimit({ window: 'total' }), 'owner')];
  limits.push(await records.limits.create(newLimit(), 'owner'));
  for (const { id } of limits) await records.alerts.raise(alert(id, { scope: { limit: id } }));
  const job = endAlertsJob({ records, clock: () => START, startedAt: async () => START, pricedAs: () => () => null });
  await job.run(new AbortController().signal);
  const open = async () => (await records.alerts.open(DEFAULT_WORKSPACE, ['BUDGET_WARNING'])).map((one) => one.episode);
  expect(await open()).toHaveLength(2);
  const [first, second] = limits;
  await records.limits.remove(DEFAULT_WORKSPACE, first?.id ?? '', 'owner');
  await job.run(new AbortController().signal);
  expect(await open()).toEqual([second?.id]);
});

test('an alert of a limit ends when its amount no longer applies', async () => {
  const { records } = await openTemporaryRecords();
  const limit = await records.limits.create(newLimit({ unit: 'usd', amount: 5_000_000_000, window: 'total' }), 'owner');
  const scope = { limit: limit.id };
  await records.alerts.raise(alert('of now', { scope, evidence: { amount: 5 } }));
  await records.alerts.raise(alert('of before', { scope, evidence: { amount: 2 } }));
  await endAlertsJob({ records, clock: () => START, startedAt: async () => START, pricedAs: () => () => null }).run(
    new AbortController().signal,
  );
  const open = await records.alerts.open(DEFAULT_WORKSPACE, ['BUDGET_WARNING']);
  expect(open.map(({ episode }) => episode)).toEqual(['of now']);
});

test('health alerts of an ended process are resolved, those of this process are not', async () => {
  const type = 'JOURNAL_PROBLEM';
  const old = alert('old', { type, createdAt: START - 1 });
  expect(await run([old, alert('own', { type })], START + 9)).toEqual({ old: START, own: null });
});

test('the alert about an unpriced model ends when the model has a price', async () => {
  const of = (model: string) => alert(model, { type: 'UNPRICED_MODEL', scope: { provider: 'openai', model } });
  expect(await run([of('a'), of('b')], START + 5, ['b'])).toEqual({ a: null, b: START + 5 });
});

test('alerts of a single moment stay open', async () => {
  const period = { start: 0, end: 1 };
  expect(await run([alert('spike', { type: 'COST_SPIKE', period })], START)).toEqual({ spike: null });
});
