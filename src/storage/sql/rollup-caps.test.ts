import { expect, test } from 'vitest';
import type { Entry } from '../../domain/usage/call.ts';
import { Hold } from '../../limits/hold.ts';
import { LimitsEngine } from '../../limits/limits.ts';
import { limitOf } from '../contract/counters-contract.ts';
import { entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { emptyDatabase } from '../../../test/support/empty-database.ts';
import type { LedgerStore } from '../store.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { AppendResult } from '../entry-store.ts';

const WORKSPACE = 'ws_default';
const CAPS = { valuesPerDayMax: 3, tagKeysMax: 2 };

let calls = 0;
async function append(store: LedgerStore, changes: readonly Partial<Entry>[]): Promise<AppendResult> {
  const entries = changes.map((change) => entryOf(`call_${(calls += 1)}`, change));
  return await store.entries.append({ journalId: 'journal', mark: 1, entries });
}

function tagged(...values: string[]): Partial<Entry>[] {
  return values.map((team) => ({ tags: { team } }));
}

async function teams(store: LedgerStore): Promise<Record<string, number>> {
  const rows = await store.reports.byTag(WORKSPACE, 'team', WHOLE);
  return Object.fromEntries(rows.map(({ value, calls: count }) => [value, count]));
}

test("tag values beyond a day's maximum count as (other) and are reported, and no call is lost", async () => {
  const store = openSqliteStore(emptyDatabase(), { caps: CAPS });
  expect((await append(store, tagged('a', 'b', 'c', 'a'))).overflowed).toEqual([]);
  const overflow = { workspaceId: WORKSPACE, of: 'tag_value', tagKey: 'team', day: FIRST_DAY };
  expect((await append(store, tagged('d', 'b', 'e', 'd'))).overflowed).toEqual([overflow]);
  expect((await append(store, tagged('a'))).overflowed).toEqual([]);
  expect(await teams(store)).toEqual({ a: 3, b: 2, c: 1, '(other)': 3 });
});

test('models inside calls, which providers choose, take no room from requested models', async () => {
  const store = openSqliteStore(emptyDatabase(), { caps: CAPS });
  const usage = {
    inferences: ['inner', 'deeper', 'deepest'].map((model) => ({ model, tokens: { input: 1 }, promptTokens: 1 })),
    uses: {},
    thinking: 0,
    terms: { tier: null, speed: null, geo: null },
  };
  for (let batch = 0; batch < 5; batch += 1) await append(store, [{ usage }]);
  expect((await append(store, [{ model: 'b' }, { model: 'c' }])).overflowed).toEqual([]);
  expect((await append(store, [{ model: 'd' }])).overflowed).toMatchObject([{ of: 'model' }]);
  const models = (await store.reports.keyUses(WORKSPACE, WHOLE)).map(({ model }) => model);
  expect(new Set(models)).toEqual(new Set(['inner', 'deeper', 'deepest', 'b', 'c', '(other)']));
});

test('the next day, another key and another workspace have separate maxima', async () => {
  const store = openSqliteStore(emptyDatabase(), { caps: CAPS });
  await append(store, tagged('a', 'b', 'c', 'd'));
  const others = [
    { startedAt: FIRST_DAY + DAY_MS, tags: { team: 'd' } },
    { tags: { env: 'd' } },
    { workspaceId: 'ws_other', tags: { team: 'd' } },
  ];
  expect((await append(store, others)).overflowed).toEqual([]);
});

test('the count continues after a restart, and after a failed batch', async () => {
  const db = emptyDatabase();
  await append(openSqliteStore(db, { caps: CAPS }), tagged('a', 'b'));
  const store = openSqliteStore(db, { caps: CAPS });
  await expect(append(store, [...tagged('lost'), { startedAt: 0.5 }])).rejects.toThrow(/INTEGER/);
  expect((await append(store, tagged('c', 'd'))).overflowed).toHaveLength(1);
  expect(await teams(store)).toEqual({ a: 1, b: 1, c: 1, '(other)': 1 });
});

test('a correction of a call under (other) changes the sum of (other)', async () => {
  const store = openSqliteStore(emptyDatabase(), { caps: CAPS });
  await append(store, tagged('a', 'b', 'c'));
  await store.entries.append({ journalId: 'journal', mark: 2, entries: [entryOf('last', { tags: { team: 'd' } })] });
  const adjustment = { adjustmentId: 'adj', callId: 'last', workspaceId: WORKSPACE, recordedAt: FIRST_DAY };
  const change = {
    costBefore: 1_000,
    costAfter: 1_700,
    provenance: { from: 'price', versions: ['v2'] } as const,
    reason: 'price corrected',
  };
  await store.entries.adjust([{ ...adjustment, ...change }]);
  const rows = await store.reports.byTag(WORKSPACE, 'team', WHOLE);
  expect(rows.find(({ value }) => value === '(other)')).toMatchObject({
    value: '(other)',
    calls: 1,
    cost: 1_700n,
    unpricedCalls: 0,
  });
});

test('endless new models and tag keys of a client grow the roll-ups only to a maximum', async () => {
  const db = emptyDatabase();
  const store = openSqliteStore(db, { caps: CAPS });
  const madeUp = Array.from({ length: 50 }, (_, index) => ({
    model: `model-${index}`,
    tags: { [`key-${index}`]: 'x' },
  }));
  const { overflowed } = await append(store, madeUp);
  expect(overflowed.map(({ of }) => of).toSorted()).toEqual(['model', 'tag_key']);
  const { total, byModel } = await store.reports.summary(WORKSPACE, WHOLE);
  expect([total.calls, byModel.size, byModel.get('(other)')?.calls]).toEqual([50, 4, 47]);
  const rows = db.prepare('SELECT (SELECT count(*) FROM model_hour) + (SELECT count(*) FROM tag_hour) AS n').get();
  expect(rows?.['n']).toBe(4 + 3);
});

test('model names beyond the maximum stay in their entries: permanent names do not grow', async () => {
  const db = emptyDatabase();
  const store = openSqliteStore(db, { caps: CAPS });
  const words = (): number => Number(db.prepare('SELECT count(*) AS n FROM names').get()?.['n']);
  const called = (model: string): Partial<Entry> => ({ model, requestedModel: `asked ${model}` });
  await append(store, [...['a', 'b', 'c', 'd'].map(called), { ...called('never'), outcome: 'not_sent' }]);
  const before = words();
  const made = Array.from({ length: 50 }, (_, index) => called(`made-up-${index}`));
  expect((await append(store, made)).overflowed).toMatchObject([{ of: 'model' }]);
  await append(store, made);
  expect(words()).toBe(before);
  const page = (filter: object) =>
    store.reports.entriesPage(WORKSPACE, { range: WHOLE, filter, cursor: null, limit: 500 });
  expect((await page({})).rows.map(({ entry }) => entry.model).slice(0, 2)).toEqual(['made-up-49', 'made-up-48']);
  expect((await page({ model: 'made-up-7' })).rows.map(({ entry }) => entry.requestedModel)).toEqual([
    'asked made-up-7',
    'asked made-up-7',
  ]);
  expect((await page({ model: 'never' })).rows).toHaveLength(1);
  expect((await page({ model: 'a' })).rows).toHaveLength(1);
  const { byModel, total } = await store.reports.summary(WORKSPACE, WHOLE);
  expect(byModel.get('(other)')?.calls).toBe(101);
  expect(total.calls).toBe(104);
});

test('a new value on every call adds no rows beyond the maximum of separate values', async () => {
  const db = emptyDatabase();
  const store = openSqliteStore(db);
  const limit = limitOf({ scope: { kind: 'each_tag', key: 'user' }, window: 'day', unit: 'usd' });
  const ledger = new LimitsEngine({ crossed: () => {}, overran: () => {} });
  ledger.load([{ ...limit, amount: 9e15, countsPast: true }], [], FIRST_DAY);
  const callsMade = 50_000;
  for (let from = 0; from < callsMade; from += 500)
    await append(
      store,
      Array.from({ length: 500 }, (_, at) => freshCall(ledger, `user ${from + at}`)),
    );
  const rows = (from: string): number => Number(db.prepare(`SELECT count(*) AS n FROM ${from}`).get()?.['n']);
  // Each counter and each row of a roll-up: the values apart, and all others together.
  expect([rows('counters'), rows('tag_day'), rows('tag_hour')]).toEqual([10_001, 10_001, 10_001]);
  expect(rows('names')).toBeLessThan(10_100);
  const kept = await store.counters.list(FIRST_DAY);
  expect(kept.reduce((sum, { counted }) => sum + Number(counted), 0)).toBe(callsMade * 1_000);
  // A past that is counted anew is as small.
  expect((await store.counters.backfill(limit, WHOLE, () => null)).length).toBeLessThanOrEqual(10_001);
});

function freshCall(ledger: LimitsEngine, user: string): Partial<Entry> {
  const tags = { user };
  const subject = { workspaceId: WORKSPACE, keyId: 'key', provider: 'p', model: 'm', pricedModel: null, tags };
  const need = { usd: 1_000, inputTokens: 0, outputTokens: 0 };
  const hold = ledger.admit(subject, ledger.findCounters(subject, FIRST_DAY), need, FIRST_DAY);
  if (!(hold instanceof Hold)) throw new Error(hold.reason);
  const call = { tags, touched: hold.counterRefs(), startedAt: FIRST_DAY };
  ledger.settle(hold, entryOf(user, call), FIRST_DAY);
  return call;
}
