import { expect, test } from 'vitest';
import type { Limit, CounterStatus } from '../domain/limits/limit.ts';
import { limitOf } from '../storage/contract/counters-contract.ts';
import { entryOf, FIRST_DAY } from '../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import type { LedgerStore } from '../storage/store.ts';
import { newLimit, openTemporaryRecords, TEST_NOW } from '../../test/support/temporary-records.ts';
import { LimitService, type LimitServiceParts } from './limit-service.ts';
import type { LimitMessageToGateway } from '../ipc/messages.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import { DAY_MS } from '../domain/time/units.ts';

const TODAY = Math.floor(TEST_NOW / DAY_MS) * DAY_MS;

interface Fixture {
  readonly desk: LimitService;
  readonly store: LedgerStore;
  readonly told: LimitMessageToGateway[];
  readonly records: Awaited<ReturnType<typeof openTemporaryRecords>>['records'];
}

async function open(change: Partial<LimitServiceParts> = {}): Promise<Fixture> {
  const { records } = await openTemporaryRecords();
  const store = openMemoryStore();
  const sent: LimitMessageToGateway[] = [];
  const parts = { ...store, records, providers: new Map(), clock: () => TEST_NOW, pricedAs: () => () => null };
  const desk = new LimitService({ ...parts, sendToGateway: (message) => sent.push(message), ...change });
  return { desk, store, told: sent, records };
}

async function call(
  { store }: Fixture,
  callId: string,
  limits: readonly Limit[] = [],
  startedAt = TODAY,
): Promise<void> {
  const touched = limits.map(({ counter, unit }) => ({ counter, unit, windowStart: TODAY, value: '' }));
  await store.entries.append({ journalId: 'j', mark: 1, entries: [entryOf(callId, { startedAt, touched })] });
}

async function install({ desk }: Fixture, { counter }: Limit): Promise<void> {
  await desk.installed({ type: 'limit-installed', counter, endSeq: 1, start: TODAY, end: TODAY + DAY_MS });
}

test('the backfill of a new limit is counted, stored, and sent to the gateway', async () => {
  const fixture = await open();
  await call(fixture, 'a');
  await call(fixture, 'yesterday', [], TODAY - 1);
  const limit = await fixture.records.limits.create(newLimit(), 'owner');
  await install(fixture, limit);
  const counters = [{ counter: limit.counter, windowStart: TODAY, value: '', counted: 1_000, uncertain: 0 }];
  expect(fixture.told).toEqual([{ type: 'limit-backfilled', counter: limit.counter, counters }]);
  expect(await fixture.records.limits.all()).toMatchObject([{ countsPast: true }]);
  expect((await fixture.desk.snapshot()).counters).toEqual(counters);
});

test('usage in future windows, when the clock was ahead before a crash, is part of the backfill', async () => {
  const fixture = await open();
  const limit = await fixture.records.limits.create(newLimit(), 'owner');
  const { counter, unit } = limit;
  const touched = [{ counter, unit, windowStart: TODAY + DAY_MS, value: '' }];
  const entry = entryOf('a', { startedAt: TODAY + DAY_MS, touched });
  await fixture.store.entries.append({ journalId: 'j', mark: 1, entries: [entry] });
  await install(fixture, limit);
  expect(fixture.told).toMatchObject([{ counters: [{ counter, windowStart: TODAY + DAY_MS, counted: 1_000 }] }]);
});

test('a limit that is removed before its backfill is skipped', async () => {
  const fixture = await open();
  await install(fixture, limitOf({ counter: 7 }));
  expect(fixture.told).toEqual([]);
});

test('the gateway starts from the counters of open windows and the newest call', async () => {
  const fixture = await open();
  const day = await fixture.records.limits.create(newLimit(), 'owner');
  const without = await fixture.records.limits.create(newLimit({ window: 'month' }), 'owner');
  const total = await fixture.records.limits.create(newLimit({ window: 'total' }), 'owner');
  for (const { counter } of [day, total]) await fixture.records.limits.markBackfilled(counter);
  const places: [number, number][] = [
    [day.counter, TODAY],
    [day.counter, TODAY - DAY_MS],
    [total.counter, 0],
    [without.counter, TODAY],
    [99, TODAY],
  ];
  const touched = places.map(([counter, windowStart], index) => {
    return { unit: 'usd', counter, windowStart, value: String(index) } as const;
  });
  const entries = [entryOf('a', { touched, startedAt: TODAY + 5 })];
  await fixture.store.entries.append({ journalId: 'j', mark: 1, entries });
  const { limits, counters, newestCallAt } = await fixture.desk.snapshot();
  expect(limits).toHaveLength(3);
  expect(counters.map(({ value }) => value)).toEqual(['0', '2']);
  expect(newestCallAt).toBe(TODAY + 5);
});

test('corrections before the gateway read the counters are not sent again', async () => {
  const { desk, told: sent } = await open();
  const moves = [{ counter: 1, windowStart: TODAY, value: '', counted: -5, uncertain: -5 }];
  await desk.change(async () => ({ moves }));
  await desk.snapshot();
  expect(sent).toEqual([]);
  await desk.change(async () => ({ moves: [] }));
  await desk.change(async () => ({ moves }));
  expect(sent).toEqual([{ type: 'counters-moved', moves }]);
});

test('the current figures of limits come from the gateway', async () => {
  const { desk, told: sent, records } = await open();
  const limit = await records.limits.create(newLimit(), 'owner');
  const asked = desk.standings([limit]);
  expect(sent).toEqual([{ type: 'ask-limits', question: 1, limits: [limit.id] }]);
  const standings: CounterStatus[] = [];
  desk.answered({ type: 'answer-limits', question: 2, standings: [] });
  desk.answered({ type: 'answer-limits', question: 1, standings });
  expect(await asked).toEqual(standings);
});

test('sessions that are not in the memory of the gateway have the figures of the ledger', async () => {
  const fixture = await open();
  const { desk, store, records } = fixture;
  const scope = { kind: 'each', of: 'session', keyId: null } as const;
  const limit = await records.limits.create(newLimit({ scope, window: 'total', amount: 5_000 }), 'owner');
  const { counter, unit } = limit;
  const touch = (value: string) => [{ counter, unit, windowStart: 0, value }];
  await store.entries.append({
    journalId: 'j',
    mark: 1,
    entries: [entryOf('1', { touched: touch('idle') }), entryOf('2', { touched: touch('in use') })],
  });
  const asked = desk.standings([limit]);
  const inUse = { limit, value: 'in use', windowStart: 0, windowEnd: null, amount: 5_000 };
  const figures = { counted: 2_500, uncertain: 0, held: 500, left: 2_000 };
  desk.answered({ type: 'answer-limits', question: 1, standings: [{ ...inUse, ...figures }] });
  expect(await asked).toMatchObject([
    { value: 'in use', counted: 2_500, held: 500 },
    { value: 'idle', counted: 1_000, held: 0, left: 4_000, windowEnd: null },
  ]);
  const offline = await open({ ...store, sendToGateway: null });
  expect(await offline.desk.standings([limit])).toMatchObject([{ counted: 1_000 }, { counted: 1_000 }]);
});

test('a gateway that does not answer is an error with a sentence, and its late answer is ignored', async () => {
  const scheduler: LimitServiceParts['scheduler'] = {
    soon: () => undefined,
    later: (act) => {
      act();
      return () => undefined;
    },
  };
  const { desk } = await open({ scheduler });
  await expect(desk.standings([])).rejects.toMatchObject({ type: 'unavailable' });
  desk.answered({ type: 'answer-limits', question: 1, standings: [] });
});

test('without a gateway limits have the figures of the ledger, even if no gateway has seen them yet', async () => {
  const fixture = await open({ sendToGateway: null });
  await call(fixture, 'before');
  const fresh = await fixture.records.limits.create(newLimit({ amount: 1_500 }), 'owner');
  const counted = await fixture.records.limits.create(newLimit({ window: 'total', unit: 'calls', amount: 9 }), 'owner');
  await fixture.records.limits.markBackfilled(counted.counter);
  const touched = [{ counter: counted.counter, unit: 'calls', windowStart: 0, value: '' }] as const;
  const entries = [entryOf('a', { startedAt: TODAY, touched })];
  await fixture.store.entries.append({ journalId: 'j', mark: 1, entries });
  expect(await fixture.desk.standings(await fixture.records.limits.list('ws_default'))).toMatchObject([
    { limit: { id: fresh.id }, windowStart: TODAY, windowEnd: TODAY + DAY_MS, counted: 2_000, left: 0, held: 0 },
    { limit: { id: counted.id }, windowStart: 0, windowEnd: null, counted: 1, left: 8 },
  ]);
});

test('a backfill is the sum of the current day, not of the first day of the limit', async () => {
  const fixture = await open();
  await call(fixture, 'old', [], FIRST_DAY);
  const limit = await fixture.records.limits.create(newLimit(), 'owner');
  await install(fixture, limit);
  expect(fixture.told).toMatchObject([{ counters: [] }]);
});

test('models for which more was stated than prices give are known again after a restart', async () => {
  const providers = new Map([['xai', {}]]);
  const fixture = await open({ providers, pricedAs: () => (_provider, model) => `priced ${model}` });
  const ship = (model: string, cost: number) =>
    fixture.store.entries.append({
      journalId: model,
      mark: 1,
      entries: [
        entryOf(model, {
          startedAt: TODAY,
          provider: 'xai',
          model,
          cost,
          priced: { list: 1_000, contracted: 1_000 },
          provenance: { from: 'provider' },
        }),
      ],
    });
  await ship('dear', 1_250);
  await ship('cheap', 800);
  expect((await fixture.desk.snapshot()).statedRatios).toEqual([
    { workspaceId: DEFAULT_WORKSPACE, provider: 'xai', model: 'dear', pricedModel: 'priced dear', ratio: 1.25 },
  ]);
});
