import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  CALL_USD,
  fact,
  openOrganizationLedger,
  type OrganizationLedger,
  TODAY,
} from '../../test/organization-ledger.ts';
import { eventually } from '../../test/service.ts';
import type { AdminKeyShape } from '../contract/admin-keys.ts';
import type { CoverageShape } from '../contract/coverage.ts';
import { DAY_MS } from '../domain/time/units.ts';

let testLedger: OrganizationLedger;
beforeEach(async () => {
  testLedger = await openOrganizationLedger();
});
afterEach(() => testLedger.close());

const ask = (query: string, workspace = 'ws_default') =>
  testLedger.it.json<CoverageShape>(`/api/manage/coverage?${query}`, { headers: { 'x-svc-workspace': workspace } });

/**
 * Makes calls on each of the 35 days before those that may still change: through the gateway, without a key, and with
 * the wrapped key itself.
 */
async function spend(
  calls: number,
  unproxied: (daysAgo: number) => number,
  direct: (daysAgo: number) => number = () => 0,
): Promise<{ admin: string; keyId: string }> {
  const { it, organization, wrap, connect, read } = testLedger;
  it.time.now = TODAY - 60 * DAY_MS;
  const keyId = await wrap('ws_default');
  it.time.now = TODAY + DAY_MS / 2;
  for (let ago = 3; ago <= 37; ago += 1) {
    const day = TODAY - ago * DAY_MS;
    const entries = Array.from({ length: calls }, () => it.entry({ keyId, startedAt: day + 1 }));
    await it.ship(entries);
    const part = (of: Partial<Parameters<typeof fact>[0]>, count: number) =>
      fact({ day, input: 1_000 * count, output: 500 * count, ...of });
    organization.facts.push(part({}, calls + direct(ago)), part({ key: null }, unproxied(ago)));
  }
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  return { admin, keyId };
}

const open = async () => await testLedger.it.ledger.records.alerts.open('ws_default', ['COVERAGE']);

test('the share through the gateway is reported by days or weeks, and in the list of admin keys', async () => {
  await spend(3, (ago) => (ago < 9 ? 1 : 0));
  const whole = await ask('startDate=2026-03-01&endDate=2026-03-14&step=day');
  expect(whole).toMatchObject({ step: 'day', organizations: [{ name: 'main', provider: 'anthropic' }] });
  const [one] = whole.organizations;
  expect(one?.points).toHaveLength(12);
  expect(one?.points.at(0)).toEqual({
    start: '2026-03-01',
    total: 3 * CALL_USD,
    throughGateway: 3 * CALL_USD,
    outsideGateway: 0,
    unknown: 0,
    share: 1,
  });
  expect(one?.points.at(-1)).toMatchObject({
    start: '2026-03-12',
    throughGateway: 3 * CALL_USD,
    outsideGateway: CALL_USD,
    share: 0.75,
  });
  expect(one?.share).toBeCloseTo(36 / 42, 4);
  const weeks = (await ask('startDate=2026-03-01&endDate=2026-03-14')).organizations[0]?.points;
  expect(weeks?.map(({ start }) => start)).toEqual(['2026-03-01', '2026-03-02', '2026-03-09']);
  expect(weeks?.reduce((sum, { total }) => sum + total, 0)).toBeCloseTo(one?.total ?? 0, 9);
  const [key] = await testLedger.it.json<AdminKeyShape[]>('/api/manage/admin-keys');
  expect(key?.throughGatewayShare).toBeCloseTo(90 / 96, 4);
  const other = await testLedger.it.json<{ id: string }>('/api/manage/workspaces', {
    method: 'POST',
    body: { name: 'other' },
  });
  expect((await ask('', other.id)).organizations).toEqual([]);
});

test('a growing gap raises one alert with its keys, which resolves when the gap closes', async () => {
  const { it, organization, read } = testLedger;
  const { admin, keyId } = await spend(
    60,
    () => 1,
    (ago) => (ago <= 9 ? 30 : 0),
  );
  const [alert, ...more] = await eventually(open, (all) => all.length > 0);
  expect(more).toEqual([]);
  expect(alert).toMatchObject({
    title: '34% of the spend of main was outside the gateway, up from 1.6%',
    message: expect.stringContaining('"Prod" $0.315 a day, $0.00 before'),
    scope: { adminKey: admin },
    evidence: { keys: [{ id: 'apikey_1', name: 'Prod', usdADay: 30 * CALL_USD, usdADayBefore: 0 }] },
  });
  const { length } = organization.answered;
  const late = async (count: number, ago: number) => {
    const day = TODAY - ago * DAY_MS;
    await it.ship(Array.from({ length: count }, () => it.entry({ keyId, startedAt: day + 2 })));
  };
  await late(1, 9);
  await read(admin);
  expect(organization.answered.length).toBeGreaterThan(length);
  expect(await open()).toHaveLength(1);
  for (let ago = 3; ago <= 9; ago += 1) await late(30, ago);
  await read(admin);
  await eventually(open, (all) => all.length === 0);
  expect(JSON.stringify(it.logged)).not.toContain('never-shown');
});
