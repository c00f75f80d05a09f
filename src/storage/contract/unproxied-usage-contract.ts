import { EMPTY_TOTALS } from '../../domain/usage/usage-totals.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { ReportedUsage } from '../../domain/reconciliation/provider-report.ts';
import type { UnproxiedModelUsage } from '../../domain/reconciliation/unproxied-usage.ts';
import type { ReportState } from '../provider-reports.ts';
import type { ComputedDay } from '../unproxied-usage.ts';
import type { LedgerStore } from '../store.ts';
import { entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import type { OpenEmpty } from '../../../test/support/filled-store.ts';
import { DAY_MS } from '../../domain/time/units.ts';

const DAY = FIRST_DAY;
const WHOLE = { start: 0, end: Number.MAX_SAFE_INTEGER };

const rest = (cost: bigint, changes: Partial<UnproxiedModelUsage> = {}): UnproxiedModelUsage => ({
  model: 'm',
  totals: {
    ...EMPTY_TOTALS,
    calls: 2,
    uncountedRecords: 1,
    cost,
    inputTokens: 9,
    cacheReadTokens: 3,
    cacheWriteTokens: 2,
    outputTokens: 5,
    unpricedCalls: 0,
    unpricedUses: 0,
  },
  coverage: { total: 3n * cost, unproxied: cost, unknown: 1n },
  ...changes,
});
const computed = (changes: Partial<ComputedDay> = {}): ComputedDay => ({
  connectionId: 'ak_1',
  workspaceId: 'ws_default',
  provider: 'anthropic',
  day: DAY,
  serial: 0,
  isClosed: true,
  terms: 'a',
  rows: [rest(7n)],
  ...changes,
});

const FROM: ReportState = { revision: 0, goal: 0, top: DAY, doneFrom: DAY, doneTo: DAY, cursor: null, readAt: 0 };

/** Keeps a page of the report of days, with one row whose output is as said. */
async function keep(store: LedgerStore, connectionId: string, output: number, days: readonly number[]): Promise<void> {
  const revision = (await store.providerReports.states(connectionId)).get('messages')?.revision ?? 0;
  const words = { key: 'k', project: null, model: 'm', tier: null, context: null, geo: null, speed: null };
  const row: ReportedUsage = { ...words, amounts: { output }, requests: null };
  const page = { connectionId, report: 'messages', readAt: 1, goesOn: false, names: [] };
  const kept = days.map((day) => ({ kind: 'usage' as const, day, rows: [row] }));
  await store.providerReports.keep({ ...page, days: kept, state: { ...FROM, revision } });
}

const due = async (store: LedgerStore, connectionId = 'ak_1') =>
  (await store.unproxiedUsage.markedDays(connectionId, 99)).map(({ day }) => (day - DAY) / DAY_MS);

async function settleAll(store: LedgerStore, changes: Partial<ComputedDay> = {}): Promise<void> {
  const connectionId = changes.connectionId ?? 'ak_1';
  for (const one of await store.unproxiedUsage.markedDays(connectionId, 99))
    await store.unproxiedUsage.replaceDay(computed({ ...changes, ...one }));
}

export function reportRests(open: OpenEmpty): void {
  test.each([
    ['for the first time', false],
    ['once more', true],
  ])('a call that is recorded while its closed day is computed %s leaves the day marked', async (_, isAgain) => {
    const store = await open();
    await keep(store, 'ak_1', 5, [DAY, DAY + DAY_MS]);
    if (isAgain) {
      await settleAll(store, { isClosed: false });
      await keep(store, 'ak_1', 6, [DAY, DAY + DAY_MS]);
    }
    const [, first] = await store.unproxiedUsage.markedDays('ak_1', 2);
    if (!first) throw new Error('Both days are marked.');
    await store.unproxiedUsage.closing(computed({ day: DAY }));
    await store.entries.append({
      journalId: 'j',
      mark: 1,
      entries: [entryOf('late'), entryOf('next', { startedAt: DAY + DAY_MS })],
    });
    await store.unproxiedUsage.replaceDay(computed({ ...first, rows: [] }));
    for (const one of await store.unproxiedUsage.markedDays('ak_1', 9))
      if (one.day > DAY) await store.unproxiedUsage.replaceDay(computed({ ...one, isClosed: false }));
    expect(await due(store)).toEqual([0]);
    await store.close();
  });

  test('unproxied usage is returned by day, provider and model, separate by workspace', async () => {
    const { unproxiedUsage } = await open();
    const next = DAY + DAY_MS;
    await unproxiedUsage.replaceDay(computed({ rows: [rest(7n), rest(1n << 60n, { model: null })] }));
    await unproxiedUsage.replaceDay(computed({ connectionId: 'ak_2', provider: 'openai', rows: [rest(5n)] }));
    await unproxiedUsage.replaceDay(computed({ connectionId: 'ak_3', rows: [rest(1n)] }));
    await unproxiedUsage.replaceDay(computed({ day: next, rows: [rest(2n)] }));
    await unproxiedUsage.replaceDay(computed({ connectionId: 'ak_9', workspaceId: 'ws_other', rows: [rest(100n)] }));
    const rests = await unproxiedUsage.dailySums('ws_default', WHOLE);
    expect(rests).toHaveLength(4);
    const { totals } = rest(8n);
    const two = { ...totals, calls: 4, uncountedRecords: 2, inputTokens: 18, cacheReadTokens: 6, cacheWriteTokens: 4 };
    expect(rests).toContainEqual({
      day: DAY,
      provider: 'anthropic',
      model: 'm',
      totals: { ...two, outputTokens: 10, cost: 8n },
    });
    expect(rests).toContainEqual({ day: DAY, provider: 'anthropic', model: null, totals: rest(1n << 60n).totals });
    expect(rests).toContainEqual({ day: next, provider: 'anthropic', model: 'm', totals: rest(2n).totals });
    const costs = async (workspaceId: string, range = WHOLE) =>
      (await unproxiedUsage.sums(workspaceId, range)).map(({ day, model, totals: { cost } }) => [day, model, cost]);
    const all = await costs('ws_default');
    expect(all).toHaveLength(3);
    for (const cost of [10n, 5n]) expect(all).toContainEqual([DAY, 'm', cost]);
    expect(all).toContainEqual([DAY, null, 1n << 60n]);
    expect(await costs('ws_default', { start: DAY + 1, end: next + 1 })).toEqual([[next, 'm', 2n]]);
    expect(await costs('ws_other')).toEqual([[DAY, 'm', 100n]]);
    expect(await costs('ws_nobody')).toEqual([]);
    expect(await unproxiedUsage.coverage('ws_default', { start: next, end: next + 1 })).toEqual([
      { day: next, connectionId: 'ak_1', coverage: { total: 6n, unproxied: 2n, unknown: 1n } },
    ]);
    expect(await unproxiedUsage.coverage('ws_default', WHOLE)).toHaveLength(4);
  });

  test('computing a day again replaces its rows, and no usage means no row', async () => {
    const { unproxiedUsage } = await open();
    await unproxiedUsage.replaceDay(computed());
    await unproxiedUsage.replaceDay(computed({ rows: [rest(4n, { model: 'other' })] }));
    expect(await unproxiedUsage.dailySums('ws_default', WHOLE)).toMatchObject([
      { model: 'other', totals: { cost: 4n } },
    ]);
    await unproxiedUsage.replaceDay(computed({ rows: [] }));
    expect(await unproxiedUsage.dailySums('ws_default', WHOLE)).toEqual([]);
    expect(await unproxiedUsage.coverage('ws_default', WHOLE)).toEqual([]);
  });

  test('fully proxied usage leaves nothing, and coverage includes it', async () => {
    const { unproxiedUsage } = await open();
    const { totals } = rest(0n);
    const none = {
      calls: 0,
      uncountedRecords: 0,
      inputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
    };
    const whole = rest(0n, { totals: { ...totals, ...none }, coverage: { total: 9n, unproxied: 0n, unknown: 0n } });
    await unproxiedUsage.replaceDay(computed({ rows: [whole] }));
    for (const read of ['sums', 'dailySums'] as const)
      expect(await unproxiedUsage[read]('ws_default', WHOLE)).toEqual([]);
    expect(await unproxiedUsage.coverage('ws_default', WHOLE)).toMatchObject([
      { coverage: { total: 9n, unproxied: 0n } },
    ]);
  });

  test('a day with a changed report is marked, newest first; an unchanged one is not', async () => {
    const store = await open();
    const days = [0, 1, 2].map((number) => DAY + number * DAY_MS);
    await keep(store, 'ak_1', 5, days);
    await keep(store, 'ak_2', 5, days.slice(0, 1));
    expect(await due(store)).toEqual([2, 1, 0]);
    expect(await store.unproxiedUsage.markedDays('ak_1', 2)).toHaveLength(2);
    await settleAll(store);
    expect(await due(store)).toEqual([]);
    expect(await due(store, 'ak_2')).toEqual([0]);
    await keep(store, 'ak_1', 5, days);
    expect(await due(store)).toEqual([]);
    await keep(store, 'ak_1', 6, days.slice(1, 2));
    expect(await due(store)).toEqual([1]);
  });

  test('days are open until they are computed from their final report', async () => {
    const store = await open();
    const opened = async (connectionId: string) =>
      (await store.unproxiedUsage.openDays(connectionId)).map((day) => (day - DAY) / DAY_MS).toSorted((a, b) => a - b);
    await keep(store, 'ak_1', 5, [DAY, DAY + DAY_MS, DAY + 2 * DAY_MS]);
    expect(await opened('ak_1')).toEqual([0, 1, 2]);
    await settleAll(store, { isClosed: false });
    await keep(store, 'ak_1', 6, [DAY + DAY_MS]);
    expect(await opened('ak_1')).toEqual([0, 1, 2]);
    await settleAll(store);
    await store.unproxiedUsage.replaceDay(computed());
    expect([await opened('ak_1'), await opened('ak_2')]).toEqual([[2], []]);
  });

  test('a day that is marked while it is computed stays marked', async () => {
    const store = await open();
    await keep(store, 'ak_1', 5, [DAY]);
    const [before] = await store.unproxiedUsage.markedDays('ak_1', 1);
    await keep(store, 'ak_1', 6, [DAY]);
    await store.unproxiedUsage.replaceDay(computed(before));
    expect(await due(store)).toEqual([0]);
    await settleAll(store);
    expect(await due(store)).toEqual([]);
  });

  test('a call that is recorded or resolved late marks its closed day, and no open day', async () => {
    const store = await open();
    await keep(store, 'ak_1', 5, [DAY, DAY + DAY_MS]);
    await keep(store, 'ak_2', 5, [DAY]);
    await settleAll(store, { isClosed: false });
    await settleAll(store, { connectionId: 'ak_2' });
    const lost = { outcome: 'lost', uncertainReason: 'crash', usage: null, cost: null } as const;
    const batch = { journalId: 'journal', mark: 1, entries: [entryOf('late', { startedAt: DAY + 1, ...lost })] };
    await store.entries.append(batch);
    expect([await due(store), await due(store, 'ak_2')]).toEqual([[], [0]]);
    await settleAll(store, { connectionId: 'ak_2' });
    await store.entries.append(batch);
    expect(await due(store, 'ak_2')).toEqual([]);
    const [recorded] = (
      await store.reports.entriesPage('ws_default', { range: WHOLE, filter: {}, cursor: null, limit: 1 })
    ).rows;
    const resolved = { inputTokens: 3, outputTokens: 4 };
    const by = { adjustmentId: 'adj', callId: 'late', workspaceId: 'ws_default', recordedAt: DAY + DAY_MS };
    const costs = { costBefore: recorded?.entry.cost ?? null, costAfter: 5 };
    await store.entries.adjust([
      { ...by, ...costs, provenance: { from: 'price', versions: ['v'] }, reason: 'seen', resolved },
    ]);
    expect(await due(store, 'ak_2')).toEqual([0]);
  });

  test('days are marked by their terms, by missing prices, or all, of one connection only', async () => {
    const store = await open();
    const days = [0, 1, 2].map((number) => DAY + number * DAY_MS);
    await keep(store, 'ak_1', 5, days);
    await settleAll(store);
    await store.unproxiedUsage.replaceDay(computed({ day: DAY + DAY_MS, terms: 'b' }));
    await store.unproxiedUsage.replaceDay(computed({ connectionId: 'ak_2', terms: 'c' }));
    await store.unproxiedUsage.markDays('ak_1', WHOLE, { termsOtherThan: 'a' });
    expect([await due(store), await due(store, 'ak_2')]).toEqual([[1], []]);
    await settleAll(store);
    for (const unpriced of [{ unpricedCalls: 1 }, { unpricedUses: 1 }]) {
      const row = rest(0n, { totals: { ...rest(0n).totals, ...unpriced } });
      const day = DAY + 2 * DAY_MS;
      const [mark] = await store.unproxiedUsage.markedDays('ak_1', 1);
      await store.unproxiedUsage.replaceDay(computed({ ...mark, day, rows: [row, rest(3n, { model: 'n' })] }));
      expect(await due(store)).toEqual([]);
      await store.unproxiedUsage.markDays('ak_1', WHOLE, 'unpriced');
      expect(await due(store)).toEqual([2]);
    }
    await store.unproxiedUsage.markDays('ak_1', { start: DAY + 1, end: DAY + 2 * DAY_MS }, 'all');
    expect(await due(store)).toEqual([2, 1]);
  });

  test('unproxied usage is deleted with its connection', async () => {
    const store = await open();
    for (const connectionId of ['ak_1', 'ak_2']) {
      await keep(store, connectionId, 5, [DAY, DAY + DAY_MS]);
      await store.unproxiedUsage.replaceDay(computed({ connectionId }));
    }
    while ((await store.providerReports.drop('ak_1', 2)) > 0);
    expect(await due(store)).toEqual([]);
    expect(await store.unproxiedUsage.sums('ws_default', WHOLE)).toMatchObject([{ totals: { cost: 7n } }]);
    await store.unproxiedUsage.markDays('ak_1', WHOLE, 'all');
    expect(await due(store)).toEqual([]);
  });

  test('the sums of any range are those of its days', async () => {
    const day = fc.record({
      at: fc.nat(5),
      connection: fc.nat(2),
      model: fc.constantFrom('a', 'b', null),
      cost: fc.nat(99),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(day, { maxLength: 15 }), fc.nat(6), fc.nat(6), async (list, from, days) => {
        const { unproxiedUsage } = await open();
        const standing = new Map<string, { at: number; cost: number }>();
        for (const { at, connection, model, cost } of list) {
          const connectionId = `ak_${connection}`;
          const rows = [rest(BigInt(cost), { model })];
          await unproxiedUsage.replaceDay(computed({ connectionId, day: DAY + at * DAY_MS, rows }));
          standing.set(`${connection} ${at}`, { at, cost });
        }
        const range = { start: DAY + from * DAY_MS, end: DAY + (from + days) * DAY_MS };
        const expected = [...standing.values()].filter(({ at }) => at >= from && at < from + days);
        const total = expected.reduce((sum, { cost }) => sum + cost, 0);
        for (const read of ['sums', 'dailySums'] as const) {
          const rows = await unproxiedUsage[read]('ws_default', range);
          expect(rows.reduce((sum, { totals }) => sum + Number(totals.cost), 0)).toBe(total);
        }
      }),
      propertyRuns(40),
    );
  });
}
