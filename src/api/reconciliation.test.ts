import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  CALL_USD,
  fact,
  MODEL,
  openOrganizationLedger,
  type OrganizationLedger,
  restOf,
  TODAY,
} from '../../test/organization-ledger.ts';
import type { TestLedger } from '../../test/test-ledger.ts';
import type { Entry } from '../domain/usage/call.ts';
import { fromPrices } from '../domain/pricing/provenance.ts';
import { REASON_NAMES } from '../domain/reconciliation/reasons.ts';
import { newAdminKey } from '../../test/support/temporary-records.ts';
import type { BillLineShape } from '../contract/bill-lines.ts';
import type { CoverageShape } from '../contract/coverage.ts';
import type { ReconciliationShape } from '../contract/reconciliation.ts';
import { DAY_MS } from '../domain/time/units.ts';

const DAY = TODAY - 5 * DAY_MS;

let testLedger: OrganizationLedger;
let it: TestLedger;
let organization: OrganizationLedger['organization'];

beforeEach(async () => {
  testLedger = await openOrganizationLedger();
  ({ it, organization } = testLedger);
});
afterEach(async () => {
  await testLedger.close();
});

async function read(): Promise<void> {
  it.time.now = TODAY + DAY_MS / 2;
  const adminKey = await testLedger.connect();
  await it.ledger.startJobs();
  await testLedger.read(adminKey);
}

const ask = async (from: number, to = from) => {
  const [startDate, endDate] = [from, to].map((ms) => new Date(ms).toISOString().slice(0, 10));
  return await it.json<ReconciliationShape>(`/api/manage/reconciliation?startDate=${startDate}&endDate=${endDate}`);
};

/** Wraps the test provider's key in a workspace and makes calls with it. */
async function call(workspaceId: string, days: readonly number[], changes: Partial<Entry> = {}): Promise<void> {
  it.time.now = DAY - DAY_MS;
  const more = { workspaceId, keyId: await testLedger.wrap(workspaceId), model: MODEL, ...changes };
  await it.ship(days.map((startedAt) => it.entry({ ...more, startedAt })));
}

test('calls of any workspace are not unproxied usage, which is listed by key', async () => {
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  await call('ws_default', [DAY + 1, TODAY + 1]);
  await call(other.id, [DAY + 2]);
  organization.facts = [
    fact({ input: 3_000, output: 1_500 }),
    fact({ key: null }),
    fact({ key: 'apikey_gone' }),
    fact({ day: TODAY, input: 900 }),
  ];
  await read();
  const { organizations } = await ask(DAY);
  // Names of wrapped keys are shown only to their own workspace.
  const key = { id: 'apikey_1', name: 'Prod', wrapped: ['key 1'] };
  const unproxied = [{ reason: 'outside_gateway', amount: CALL_USD }];
  expect(organizations).toMatchObject([
    {
      name: 'main',
      start: '2026-03-10',
      end: '2026-03-11',
      ledgerCost: 2 * CALL_USD,
      providerCost: 0.0525,
      reasons: { outside_gateway: 2 * CALL_USD, unknown_key: CALL_USD, not_final: 0, unexplained: 0 },
      keys: [
        { key: null, amount: CALL_USD },
        { key, amount: CALL_USD },
      ],
      prices: [],
      coverage: { share: 0.4, unknown: CALL_USD },
      unmatched: { calls: 0, cost: 0 },
      hiddenLines: 0,
    },
  ]);
  expect(organizations[0]?.lines).toHaveLength(3);
  expect(organizations[0]?.lines).toContainEqual(
    expect.objectContaining({ day: '2026-03-10', key, model: MODEL, ledgerCalls: 2, reasons: unproxied }),
  );
  expect(organizations[0]?.lines).toContainEqual(expect.objectContaining({ key: null, reasons: unproxied }));
  const open = (await ask(TODAY)).organizations[0];
  expect(open).toMatchObject({ reasons: { outside_gateway: 0, unexplained: 0 }, coverage: { share: null } });
  expect(open?.reasons.not_final).toBeLessThan(0);
  expect(JSON.stringify([organizations, it.logged])).not.toContain('never-shown');
});

test('a wrong custom price is reported with both prices and its start', async () => {
  const body = { provider: 'anthropic', model: MODEL, usdPerMillion: { input: '30', output: '150' } };
  await it.json('/api/manage/prices', { method: 'POST', body });
  it.time.now = DAY;
  await call('ws_default', [DAY + 1]);
  organization.facts = [fact({})];
  await read();
  const [found] = (await ask(DAY)).organizations;
  expect(found).toMatchObject({
    providerCost: CALL_USD,
    listCost: CALL_USD,
    ledgerCost: 0.105,
    reasons: { outside_gateway: 0, price_drift: -0.0945, unexplained: 0 },
    prices: [
      {
        model: MODEL,
        price: 'custom',
        since: '2026-03-10',
        amount: -0.0945,
        rates: [
          { class: 'input', ours: 30, theirs: 3 },
          { class: 'output', ours: 150, theirs: 15 },
        ],
      },
    ],
  });
});

test("another workspace's custom price is hidden, only its total cost is shown", async () => {
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  const body = { provider: 'anthropic', model: MODEL, usdPerMillion: { input: '1.23', output: '7.89' } };
  const headers = { 'x-svc-workspace': other.id };
  const { version } = await it.json<{ version: string }>('/api/manage/prices', { method: 'POST', body, headers });
  await call(other.id, [DAY + 1], { cost: 5_175_000, provenance: fromPrices([version]) });
  organization.facts = [fact({})];
  await read();
  const [found] = (await ask(DAY)).organizations;
  expect(found).toMatchObject({
    ledgerCost: 0.005175,
    reasons: { price_drift: 0.005325, unexplained: 0 },
    prices: [{ model: MODEL, price: 'custom', version: 'price of another workspace', amount: 0.005325, rates: [] }],
  });
  expect(JSON.stringify(found)).not.toContain('user/');
});

test('a price that differs on the bill is reported', async () => {
  await call('ws_default', [DAY + 1]);
  organization.facts = [fact({ amount: '2.25' })];
  await read();
  const [found] = (await ask(DAY - DAY_MS, DAY)).organizations;
  expect(found).toMatchObject({
    billedCost: 0.0225,
    listCost: CALL_USD,
    ledgerCost: CALL_USD,
    reasons: { outside_gateway: 0, price_drift: 0.015, unexplained: 0 },
    prices: [
      { price: 'list', since: '2026-03-10', isOlder: false, rates: [{ class: 'output', ours: 15, theirs: 45 }] },
    ],
  });
});

test('the covered share at charged prices is returned next to the share at list prices; neither includes open days', async () => {
  await call('ws_default', [DAY + 1, TODAY + 1]);
  // Charged at three times the list price.
  organization.facts = [fact({ amount: '2.25' }), fact({ key: null }), fact({ day: TODAY, key: null })];
  await read();
  const [found] = (await ask(DAY, TODAY)).organizations;
  expect(found?.coverage).toMatchObject({
    share: 0.5,
    until: '2026-03-13',
    atListPrice: { throughGateway: CALL_USD, total: 2 * CALL_USD, share: 0.5 },
  });
  expect(found?.coverage.total).toBeGreaterThan(2 * CALL_USD);
  const [covered] = (await it.json<CoverageShape>('/api/manage/coverage?startDate=2026-03-10&endDate=2026-03-15'))
    .organizations;
  expect(found?.coverage.atListPrice).toEqual({
    throughGateway: covered?.throughGateway,
    total: covered?.total,
    share: covered?.share,
  });
});

test('the usage summary leads to the provider’s charge step by step', async () => {
  await call('ws_default', [DAY + 1]);
  organization.facts = [
    fact({ amount: '2.25' }),
    fact({ key: null, amount: '2.25' }),
    fact({ day: DAY + DAY_MS, key: 'apikey_gone' }),
  ];
  await read();
  const { totalCost } = await it.json<{ totalCost: number }>(
    '/api/mcp/usage/summary?startDate=2026-03-10&endDate=2026-03-11',
  );
  const [found] = (await ask(DAY, DAY + DAY_MS)).organizations;
  expect(found?.summary).toMatchObject({
    throughGateway: CALL_USD,
    total: totalCost,
    toBill: { throughGateway: 0.015, elsewhere: 0 },
  });
  expect(found?.summary?.toBill.outsideGateway).toBeGreaterThan(0);
  const between = Object.values(found?.summary?.toBill ?? {}).reduce((sum, one) => sum + one, 0);
  expect(totalCost + between).toBeCloseTo(found?.providerCost ?? 0, 9);
});

test('credits and commitments lead from the bill to what is paid, on the days that they change', async () => {
  await call('ws_default', [DAY + 1]);
  organization.facts = [fact({ key: null })];
  await read();
  const add = (kind: string, amount: number, from: number, until: number | null) => {
    const [first, end] = [from, until].map((ms) => (ms === null ? null : new Date(ms).toISOString().slice(0, 10)));
    const body = { provider: 'anthropic', kind, name: 'ours', amount, from: first, until: end };
    return it.json<BillLineShape>('/api/manage/bill-lines', { method: 'POST', body });
  };
  // One call through the gateway, and the same outside it.
  const spent = 2 * CALL_USD;
  expect(await add('credit', 0.01, DAY, null)).toMatchObject({ cost: spent, used: 0.01, left: 0 });
  expect(await add('commitment', 1, DAY - DAY_MS, DAY + DAY_MS)).toMatchObject({ used: spent, left: 1 - spent });
  const [found] = (await ask(DAY)).organizations;
  expect(found?.payment?.lines).toMatchObject([
    { kind: 'credit', amount: -0.01 },
    { kind: 'commitment', amount: 1 - spent },
  ]);
  expect(found?.payment?.due).toBeCloseTo((found?.providerCost ?? 0) - 0.01 + 1 - spent, 9);
  expect((await ask(DAY - DAY_MS)).organizations).toMatchObject([{ payment: null }]);
});

test('credits pay no more than the bill, where the ledger has more', async () => {
  await call('ws_default', [DAY + 1]);
  organization.facts = [fact({ key: null, amount: '0.1' })];
  await read();
  const from = new Date(DAY).toISOString().slice(0, 10);
  for (const amount of [0.0001, 5]) {
    const body = { provider: 'anthropic', kind: 'credit', name: 'ours', amount, from, until: null };
    await it.json('/api/manage/bill-lines', { method: 'POST', body });
  }
  const [found] = (await ask(DAY)).organizations;
  const billed = found?.providerCost ?? 0;
  expect(billed).toBeLessThan(2 * CALL_USD);
  expect(found?.payment).toMatchObject({
    lines: [{ amount: -0.0001 }, { amount: expect.closeTo(0.0001 - billed, 9) }],
    due: 0,
  });
});

test('reports of other providers are not part of these steps', async () => {
  organization.facts = [fact({ key: null })];
  await read();
  const computed = { connectionId: 'ak_other', workspaceId: 'ws_default', provider: 'openai', day: DAY, serial: 0 };
  await it.ledger.store.unproxiedUsage.replaceDay({
    ...computed,
    isClosed: true,
    terms: '',
    rows: [restOf({ cost: 7n })],
  });
  expect((await ask(DAY)).organizations).toMatchObject([{ summary: { outsideGateway: CALL_USD, total: CALL_USD } }]);
});

test('the steps from the usage summary to the provider’s cost work if the cost of some lines is unknown', async () => {
  const model = 'claude-of-tomorrow';
  const body = { provider: 'anthropic', model, usdPerMillion: { input: '3', output: '15' } };
  const { version } = await it.json<{ version: string }>('/api/manage/prices', { method: 'POST', body });
  await call('ws_default', [DAY + 1], { model, provenance: fromPrices([version]) });
  // The bill has a line for output only.
  organization.facts = [fact({ model }), fact({ key: null })];
  await read();
  const [found] = (await ask(DAY)).organizations;
  expect(found).toMatchObject({ unpricedLines: 1, ledgerCost: CALL_USD, providerCost: CALL_USD });
  expect(found?.summary).toMatchObject({ total: 2 * CALL_USD, toBill: { undetermined: -CALL_USD, elsewhere: 0 } });
  const between = Object.values(found?.summary?.toBill ?? {}).reduce((sum, one) => sum + one, 0);
  expect(2 * CALL_USD + between).toBeCloseTo(CALL_USD, 9);
});

test('the page and the terminal use the reason names of the response', async () => {
  expect(await it.json<ReconciliationShape>('/api/manage/reconciliation')).toMatchObject({ reasonNames: REASON_NAMES });
});

test('two organizations of one provider have no such steps, because the summary has both in one figure', async () => {
  await call('ws_default', [DAY + 1]);
  organization.facts = [fact({})];
  await read();
  const { adminKeys } = it.ledger.records;
  const second = await adminKeys.create(newAdminKey({ name: 'second', organizationId: 'org_2' }), 'owner');
  const main = async () => (await ask(DAY)).organizations.find(({ name }) => name === 'main');
  expect(await main()).toMatchObject({ start: '2026-03-10', providerCost: CALL_USD, summary: null });
  await adminKeys.remove('ws_default', second.id, 'owner');
  expect((await main())?.summary).toMatchObject({ total: CALL_USD });
});

test('the default range is today and the 29 days before, also for shares', async () => {
  await read();
  const { organizations } = await it.json<ReconciliationShape>('/api/manage/reconciliation');
  expect(organizations[0]).toMatchObject({ start: '2026-02-14', end: '2026-03-16' });
  const { period } = await it.json<CoverageShape>('/api/manage/coverage');
  expect(period).toEqual({ start: '2026-02-14T00:00:00.000Z', end: '2026-03-16T00:00:00.000Z' });
});

test('the charge for calls of an unpriced model has its own reason', async () => {
  const model = 'claude-of-tomorrow';
  await call('ws_default', [DAY + 1], { model, cost: null, provenance: null });
  organization.facts = [fact({ model, input: 0, output: 500, amount: '2.25' })];
  await read();
  const [found] = (await ask(DAY)).organizations;
  expect(found).toMatchObject({
    ledgerCost: 0,
    reasons: { no_price: 0.0225, unexplained: 0 },
    prices: [
      { model, price: 'none', version: null, amount: 0.0225, rates: [{ class: 'output', ours: null, theirs: 45 }] },
    ],
  });
});

test('calls with a key of another organization are separate, and days that were not read are not compared', async () => {
  it.time.now = DAY - DAY_MS;
  const keyId = await testLedger.wrap('ws_default', 'sk-ant-api03-elsewhere-0123456789');
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  const ofOthers = it.entry({ workspaceId: other.id, keyId: 'key_of_others', startedAt: DAY + 2 });
  await it.ship([it.entry({ keyId, startedAt: DAY + 1 }), ofOthers]);
  await read();
  expect((await ask(DAY)).organizations).toMatchObject([{ lines: [], unmatched: { calls: 1, cost: CALL_USD } }]);
  const before = TODAY - 400 * DAY_MS;
  expect((await ask(before)).organizations).toMatchObject([{ start: null, lines: [] }]);
  const answer = await it.ask('/api/manage/reconciliation?startDate=2026-01-01&endDate=2026-03-01');
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('31 days')]);
});
