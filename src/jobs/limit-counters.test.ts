import type { ReleaseResult } from '../storage/counter-store.ts';
import { expect, test } from 'vitest';
import type { Alert } from '../domain/alerts/alert.ts';
import type { CounterMove, Limit, CounterRef } from '../domain/limits/limit.ts';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { newLimit, openTemporaryRecords, TEST_NOW } from '../../test/support/temporary-records.ts';
import type { Entry } from '../domain/usage/call.ts';
import { pruneCountersJob, recountJob, releaseUncertainJob } from './limit-counters.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { NewLimit } from '../storage/records/check-limit.ts';

const TODAY = Math.floor(TEST_NOW / DAY_MS) * DAY_MS;
const HOUR = Math.floor(TEST_NOW / HOUR_MS) * HOUR_MS;
const running = new AbortController().signal;

async function open() {
  const { records } = await openTemporaryRecords();
  const store = openMemoryStore();
  const alerts: Alert[] = [];
  const moves: CounterMove[] = [];
  const parts = {
    records,
    counters: store.counters,
    clock: () => TEST_NOW,
    raise: async (alert: Alert) => void alerts.push(alert),
    change: async (work: () => Promise<ReleaseResult>) => {
      const result = await work();
      moves.push(...result.moves);
      return result;
    },
  };
  const limit = async (change: Partial<NewLimit> = {}): Promise<Limit> => {
    const made = await records.limits.create(newLimit(change), 'owner');
    await records.limits.markBackfilled(made.counter);
    return made;
  };
  const testLedger = (...entries: Entry[]) => store.entries.append({ journalId: 'j', mark: 1, entries });
  return { parts, records, store, alerts, moves, limit, book: testLedger };
}

function touchOf({ counter, unit }: Limit, windowStart: number, value = ''): CounterRef {
  return { counter, unit, windowStart, value };
}

test('counters of the open window and the one before are kept, older ones and those of removed limits are not', async () => {
  const { parts, records, store, limit, book: testLedger } = await open();
  const hourly = await limit({ window: 'hour' });
  const total = await limit({ window: 'total' });
  const gone = await limit({ window: 'minute' });
  const last = await limit({ window: 'week' });
  await records.limits.remove('ws_default', gone.id, 'owner');
  const touched = [0, 1, 2, 3].map((back) => touchOf(hourly, HOUR - back * HOUR_MS, String(back)));
  await testLedger(
    entryOf('a', { touched: [...touched, touchOf(total, 0, 'total'), touchOf(gone, HOUR), touchOf(last, TODAY)] }),
  );
  await pruneCountersJob(parts).run(running);
  expect((await store.counters.list(0)).map(({ value }) => value).toSorted()).toEqual(['', '0', '1', 'total']);
});

test('uncertain amounts are released after their time, and the gateway is informed', async () => {
  const { parts, store, moves, limit, book: testLedger } = await open();
  const keeps = await limit();
  const releases = await limit({ unit: 'tokens', amount: 9, uncertain: { releaseAfterMs: HOUR_MS } });
  const touched = [touchOf(keeps, TODAY), touchOf(releases, TODAY)];
  const broken = {
    uncertainReason: 'reset',
    outcome: 'broken',
    cost: null,
    usage: null,
    usageSource: 'none',
    touched,
  } as const;
  await testLedger(
    entryOf('early', { ...broken, startedAt: TODAY, endedAt: TEST_NOW - HOUR_MS - 1 }),
    entryOf('late', { ...broken, startedAt: TODAY, endedAt: TEST_NOW - HOUR_MS }),
  );
  await releaseUncertainJob(parts).run(running);
  await releaseUncertainJob(parts).run(running);
  expect(moves).toEqual([{ counter: releases.counter, windowStart: TODAY, value: '', counted: -150, uncertain: -150 }]);
  expect((await store.counters.list(0)).map(({ counted }) => counted)).toEqual([2_000, 150]);
});

test('a counter that differs from its calls raises an alert, once for each counter; others don’t', async () => {
  const { parts, alerts, limit, book: testLedger } = await open();
  const right = await limit({ unit: 'calls', amount: 3 });
  const wrong = await limit();
  const model = await limit({ scope: { kind: 'model', pattern: 'asked-for' } });
  const at = { startedAt: TODAY };
  await testLedger(
    entryOf('a', { ...at, touched: [touchOf(right, TODAY), touchOf(wrong, TODAY), touchOf(model, TODAY)] }),
  );
  await recountJob(parts).run(running);
  expect(alerts).toEqual([]);
  await testLedger(entryOf('b', { ...at, touched: [touchOf(right, TODAY)] }));
  await recountJob(parts).run(running);
  expect(alerts).toMatchObject([
    {
      type: 'LEDGER_PROBLEM',
      scope: { limit: wrong.id },
      evidence: { counted: '1000', expected: '2000' },
      episode: `recount:${wrong.counter}:${TODAY}`,
    },
  ]);
});

test('a counter of a limit of models that differs from the calls that name it raises an alert too', async () => {
  const { parts, alerts, limit, book: testLedger, store } = await open();
  const model = await limit({ scope: { kind: 'model', pattern: 'asked-for' } });
  await testLedger(entryOf('a', { startedAt: TODAY, touched: [touchOf(model, TODAY)] }));
  await recountJob(parts).run(running);
  expect(alerts).toEqual([]);
  const { list } = store.counters;
  const wrong = {
    ...store.counters,
    recountNamed: async (...asked: Parameters<typeof store.counters.recountNamed>) => {
      const counted = (await list(0)).map((state) => Object.assign({}, state, { counted: 7 }));
      return { expected: (await store.counters.recountNamed(...asked))?.expected ?? [], counted };
    },
  };
  await recountJob({ ...parts, counters: wrong }).run(running);
  expect(alerts).toMatchObject([{ scope: { limit: model.id }, evidence: { counted: '7', expected: '1000' } }]);
});

test('which value a call counts under is decided by the ledger: only the sum is compared', async () => {
  const { parts, alerts, limit, book: testLedger } = await open();
  const each = await limit({ scope: { kind: 'each_tag', key: 'team' } });
  await testLedger(entryOf('a', { startedAt: TODAY, touched: [touchOf(each, TODAY, '(other)')] }));
  await recountJob(parts).run(running);
  expect(alerts).toEqual([]);
});
