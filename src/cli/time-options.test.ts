import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLine } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { AccessTokenShape } from '../contract/tokens.ts';
import type { LimitShape } from '../contract/limits.ts';
import type { MuteShape } from '../contract/anomalies.ts';
import type { SubscriptionShape } from '../contract/sync.ts';
import { toIso } from '../domain/time/period.ts';
import { userTimeZone } from './terminal.ts';

let it: TestLedger;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  for (const [hours, team] of Object.entries({ 2: 'new', 30: 'old' }))
    await it.ship([it.entry({ tags: { team }, startedAt: it.time.now - Number(hours) * 3_600_000 })]);
  await it.ledger.close();
});
afterEach(() => it.close());

async function out(line: string, TZ = 'UTC'): Promise<string> {
  const ran = await runLine(line, { env: { ...it.env, TZ }, clock: () => it.time.now });
  expect([ran.code, ran.err]).toEqual([0, '']);
  return ran.out;
}

const json = async <T>(line: string, TZ?: string): Promise<T> => JSON.parse(await out(`${line} --json`, TZ)) as T;

test('lists and exports take a duration, a day by its name and a date', async () => {
  // It is noon in UTC.
  for (const from of ['24h', 'today', toIso(it.time.now).slice(0, 10)]) {
    const exported = await out(`export --from ${from}`);
    expect([exported.includes('new'), exported.includes('old')]).toEqual([true, false]);
  }
  const yesterday = await out('export --from yesterday --to yesterday');
  expect([yesterday.includes('new'), yesterday.includes('old')]).toEqual([false, true]);
});

test('a day is the day of the person, and a deadline lasts until its end', async () => {
  await out('tokens create --name t --expires 2099-01-31', 'Asia/Tokyo');
  const [token] = await json<AccessTokenShape[]>('tokens list');
  expect(token?.expiresAt).toBe('2099-01-31T15:00:00.000Z');
  const { id } = await json<LimitShape>('limits set --unit calls --amount 5 --window day');
  const raised = await json<LimitShape>(`limits raise ${id} --amount 9 --until tomorrow`, 'Asia/Tokyo');
  expect(raised.raise?.until).toBe('2026-03-16T15:00:00.000Z');
  const muted = await json<MuteShape>('alerts mute --reason r --until 2d');
  expect(muted.until).toBe(toIso(it.time.now + 2 * 86_400_000));
});

test('a record with days gets the day by its name', async () => {
  const added = await json<SubscriptionShape>('subscriptions add --plan pro --from yesterday --until 2099-12-31');
  expect([added.startedAt, added.endedAt]).toEqual(['2026-03-14', '2099-12-31']);
});

test('the time zone is that of TZ, and that of the machine if the runtime does not know it', () => {
  const machine = userTimeZone({ env: {} });
  expect([userTimeZone({ env: { TZ: 'Asia/Tokyo' } }), userTimeZone({ env: { TZ: 'CET-1CEST' } })]).toEqual([
    'Asia/Tokyo',
    machine,
  ]);
});
