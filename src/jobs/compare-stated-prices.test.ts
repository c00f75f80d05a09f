import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { PriceCoverage } from '../contract/prices.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { silentLog } from '../lib/log.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import { compareStatedPricesJob } from './compare-stated-prices.ts';

const MODEL = 'openai/gpt-4o';
const PRICED = 1_000_000;
let it: TestLedger;
beforeEach(async () => {
  it = await openTestLedger();
});
afterEach(() => it.close());

/** Ships a call that the price list makes cost a tenth of a cent, and the provider another amount. */
async function ship(stated: number, daysAgo: number): Promise<void> {
  const call = it.entry({ provider: 'openrouter', model: MODEL, startedAt: NOW - daysAgo * DAY_MS });
  const counted = { ...call.counted, usd: stated };
  const priced = stated === PRICED ? {} : { priced: { list: PRICED, contracted: PRICED } };
  await it.ship([
    { ...call, cost: stated, counted, provenance: { from: 'provider' }, uncertainReason: null, ...priced },
  ]);
}

async function compare() {
  const { records, store } = it.ledger;
  const { clock, raise } = { clock: () => it.time.now, raise: it.ledger.raise.bind(it.ledger) };
  const job = compareStatedPricesJob({
    ...store,
    records,
    providers: PROVIDERS,
    clock,
    log: silentLog,
    runner: '1',
    raise,
  });
  await job.run(new AbortController().signal);
  it.time.now += DAY_MS / 24;
  const alerts = await records.alerts.list(DEFAULT_WORKSPACE, { limit: 100, unreadOnly: false });
  return alerts.filter(({ type }) => type === 'STALE_PRICE');
}
const PROVIDERS = new Map();

const coverage = () => it.json<PriceCoverage>('/api/mcp/pricing/coverage');

test('a list that is wrong by 10 % is a finding with its first day, and the ledger has the stated cost', async () => {
  await ship(PRICED, 5);
  await ship(PRICED * 0.9, 3);
  await ship(PRICED * 0.9, 1);
  const [alert, ...others] = await compare();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    title: `Price list out of date: ${MODEL}`,
    message: expect.stringContaining('openrouter has charged 10% less than the listed price') as string,
    scope: { provider: 'openrouter', model: MODEL },
  });
  const { models } = await coverage();
  expect(models).toMatchObject([
    { model: MODEL, cost: 0.0028, statedPrice: { ratio: 0.9, since: '2026-03-12T00:00:00.000Z' } },
  ]);
  // The same difference is no second alert.
  it.time.now += DAY_MS;
  expect(await compare()).toHaveLength(1);
});

test('once stated costs agree with the list again, the alert ends', async () => {
  await ship(PRICED * 1.2, 2);
  expect(await compare()).toMatchObject([{ resolvedAt: null }]);
  await ship(PRICED, 0);
  it.time.now += DAY_MS;
  const [alert] = await compare();
  expect(alert?.resolvedAt).not.toBeNull();
  expect((await coverage()).models[0]?.statedPrice).toBeNull();
});

test('differences of less than 2 % are no finding', async () => {
  await ship(PRICED * 0.99, 1);
  expect(await compare()).toEqual([]);
});

test('a call that a subscription covers is no finding', async () => {
  const call = it.entry({ startedAt: NOW - DAY_MS });
  const priced = { list: call.cost ?? 0, contracted: call.cost ?? 0 };
  await it.ship([{ ...call, cost: 0, provenance: { from: 'subscription' }, priced }]);
  const { models } = await coverage();
  expect(models[0]).toMatchObject({ provider: 'anthropic', statedPrice: null });
});
