import type { UsageTotals } from '../../domain/usage/usage-totals.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { Entry } from '../../domain/usage/call.ts';
import type { LedgerStore } from '../store.ts';
import { wellFormed } from '../well-formed.ts';
import {
  arbitraryEntry,
  arbitraryRange,
  entryOf,
  FIRST_DAY,
  WHOLE,
  WORKSPACES,
} from '../../../test/support/arbitrary-entry.ts';
import { counting, releasing, resolving } from './counters-contract.ts';
import { expectedTotals, firstOfEach } from '../../../test/support/expected-totals.ts';
import { append, filled, isIn, type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { finding } from './finding-contract.ts';
import { keyUses } from './key-uses-contract.ts';
import { countingThePast } from './backfill-contract.ts';
import { providerReports } from './provider-reports-contract.ts';
import { observedCalls } from './observed-contract.ts';
import { refusals } from './refusals-contract.ts';
import { reportRests } from './unproxied-usage-contract.ts';
import { callHolds } from './call-holds-contract.ts';
import { contexts } from './context-contract.ts';
import { splitting } from './series-contract.ts';
import { sessions } from './sessions-contract.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';
import type { Adjustment } from '../entry-store.ts';
import { CONTEXT_PARTS, type RecordedEntry } from '../usage-queries.ts';
import { DIMENSIONS } from '../../domain/usage/call.ts';

async function total(store: LedgerStore, range: Period = WHOLE, workspaceId: string = WORKSPACE): Promise<UsageTotals> {
  return (await store.reports.summary(workspaceId, range)).total;
}

/** Newest first. */
async function unpricedIds(store: LedgerStore, workspaceId: string = WORKSPACE): Promise<string[]> {
  const query = { range: WHOLE, filter: { unpriced: true }, cursor: null, limit: 100 };
  return (await store.reports.entriesPage(workspaceId, query)).rows.map(({ entry }) => entry.callId);
}

async function allPages(store: LedgerStore, limit: number, onPage?: () => Promise<unknown>): Promise<RecordedEntry[]> {
  const rows: RecordedEntry[] = [];
  let cursor: string | null = null;
  do {
    const page = await store.reports.entriesPage(WORKSPACE, { range: WHOLE, filter: {}, cursor, limit });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    cursor = page.next;
    await onPage?.();
  } while (cursor !== null);
  return rows;
}

function adjustmentOf(callId: string, changes: Partial<Adjustment> = {}): Adjustment {
  return {
    adjustmentId: `adj_${callId}`,
    callId,
    workspaceId: WORKSPACE,
    recordedAt: FIRST_DAY + DAY_MS,
    costBefore: 1_000,
    costAfter: 1_500,
    provenance: { from: 'price', versions: ['v2'] },
    reason: 'price corrected',
    ...changes,
  };
}

/** Contract of every storage engine. */
export function storeContract(engine: string, open: OpenEmpty): void {
  describe(`${engine} keeps the contract of the ledger`, () => {
    appending(open);
    summing(open);
    splitting(open);
    contexts(open);
    callHolds(open);
    isolating(open);
    adjusting(open);
    pruning(open);
    listing(open);
    resolving(open);
    counting(open);
    countingThePast(open);
    releasing(open);
    sessions(open);
    observedCalls(open);
    finding(open);
    keyUses(open);
    providerReports(open);
    refusals(open);
    reportRests(open);
  });
}

function appending(open: OpenEmpty): void {
  test('a repeated batch changes nothing, an overlapping one adds what is new', async () => {
    const entries = ['a', 'b', 'c', 'd'].map((id, index) => entryOf(id, { startedAt: FIRST_DAY + index * HOUR_MS }));
    const store = await open();
    expect(await append(store, entries.slice(0, 3))).toBe(3);
    expect(await append(store, entries.slice(0, 3))).toBe(0);
    expect(await append(store, entries.slice(1))).toBe(1);
    expect(await append(store, [entryOf('e'), entryOf('e', { cost: 7 })])).toBe(1);
    expect(await total(store)).toEqual(expectedTotals([...entries, entryOf('e')]));
  });

  test('the position moves with a batch, even an empty one, never falls, and is separate for each journal', async () => {
    const store = await open();
    expect(await store.entries.mark('one')).toBe(0);
    await store.entries.append({ journalId: 'one', mark: 7, entries: [entryOf('a')] });
    await store.entries.append({ journalId: 'one', mark: 3, entries: [] });
    expect(await store.entries.mark('one')).toBe(7);
    await store.entries.append({ journalId: 'one', mark: 9, entries: [] });
    expect([await store.entries.mark('one'), await store.entries.mark('two')]).toEqual([9, 0]);
  });

  test('a batch that follows calls which the store no longer has is refused and changes nothing', async () => {
    const store = await open();
    const entries = [entryOf('a')];
    for (const [journalId, mark] of [
      ['known', 5],
      ['new', 0],
    ] as const) {
      if (mark > 0) await store.entries.append({ journalId, mark, entries: [] });
      const refused = store.entries.append({ journalId, after: mark + 1, mark: 9, entries });
      await expect(refused).rejects.toMatchObject({ type: 'unavailable' });
      expect(await store.entries.mark(journalId)).toBe(mark);
    }
    expect(await total(store)).toEqual(expectedTotals([]));
    await store.entries.append({ journalId: 'known', after: 5, mark: 9, entries });
    expect(await store.entries.mark('known')).toBe(9);
    expect(await total(store)).toEqual(expectedTotals(entries));
  });

  test('an entry is returned unchanged, with its whole usage', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEntry, async (entry) => {
        const store = await filled(open, [entry]);
        const expected = { entry: wellFormed(entry), adjustments: [] };
        expect(await store.reports.entry(entry.workspaceId, entry.callId)).toEqual(expected);
        await store.close();
      }),
      propertyRuns(60),
    );
  });
}

function summing(open: OpenEmpty): void {
  test('a summary is the sum of the entries, for any range and order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(arbitraryEntry, { maxLength: 20 }), { maxLength: 4 }),
        fc.array(arbitraryRange, { minLength: 1, maxLength: 4 }),
        async (batches, ranges) => {
          const store = await open();
          for (const batch of batches) await append(store, batch);
          const entries = firstOfEach(batches.flat()).map(wellFormed);
          for (const range of ranges) await expectSummary(store, entries, range);
          await store.close();
        },
      ),
      propertyRuns(60),
    );
  });

  test('calls that were not sent are stored and are in no total', async () => {
    const store = await filled(open, [entryOf('a', { outcome: 'not_sent', cost: 5, uncertainReason: 'reset' })]);
    expect(await total(store)).toEqual(expectedTotals([]));
    expect(await store.reports.byTag(WORKSPACE, 'team', WHOLE)).toEqual([]);
    expect(await allPages(store, 10)).toHaveLength(1);
    await store.entries.adjust([adjustmentOf('a', { costBefore: 5 })]);
    expect(await store.reports.byTag(WORKSPACE, 'team', WHOLE)).toEqual([]);
    expect(await store.reports.byTag(WORKSPACE, 'team', { start: FIRST_DAY, end: FIRST_DAY + 1 })).toEqual([]);
  });

  test('sums by provider, model and tag have what calls that were lost in a crash may have cost', async () => {
    const hold = { usd: 5_000, inputTokens: 10, outputTokens: 20 };
    const unknown = { usage: null, cost: null, provenance: null, usageSource: 'none' } as const;
    const lost = entryOf('a', {
      outcome: 'lost',
      uncertainReason: 'crash',
      status: 0,
      ...unknown,
      hold,
      counted: hold,
    });
    const store = await filled(open, [lost, entryOf('b')]);
    const uncertain = { uncertainCalls: 1, uncertainUpTo: 5_000n };
    const { byProvider, byModel } = await store.reports.summary(WORKSPACE, WHOLE);
    expect(byProvider.get(lost.provider)).toMatchObject({ calls: 2, ...uncertain });
    expect(byModel.get(lost.model ?? '')).toMatchObject({ calls: 2, ...uncertain });
    expect(await store.reports.byTag(WORKSPACE, 'team', WHOLE)).toMatchObject([{ value: 'a', calls: 2, ...uncertain }]);
    const resolved = adjustmentOf('a', {
      costBefore: null,
      costAfter: 700,
      resolved: { inputTokens: 1, outputTokens: 1 },
    });
    await store.entries.adjust([resolved]);
    const certain = { cost: 1_700n, uncertainCalls: 0, uncertainUpTo: 0n };
    expect((await store.reports.summary(WORKSPACE, WHOLE)).byModel.get(lost.model ?? '')).toMatchObject(certain);
    expect(await store.reports.byTag(WORKSPACE, 'team', WHOLE)).toMatchObject([certain]);
  });

  test('sums beyond 2^53 are exact', async () => {
    const entries = Array.from({ length: 700 }, (_, index) =>
      entryOf(`call_${index}`, { cost: Number.MAX_SAFE_INTEGER, startedAt: FIRST_DAY + index * 60_000 }),
    );
    const store = await filled(open, entries);
    const cost = 700n * BigInt(Number.MAX_SAFE_INTEGER);
    expect((await total(store)).cost).toBe(cost);
    expect(await store.reports.byTag(WORKSPACE, 'team', WHOLE)).toEqual([{ value: 'a', calls: 700, cost, ...CERTAIN }]);
  });

  test('empty and reversed ranges, unknown workspaces and unknown names have no usage', async () => {
    const store = await filled(open, [entryOf('a')]);
    const nothing = expectedTotals([]);
    expect(await total(store, { start: FIRST_DAY, end: FIRST_DAY })).toEqual(nothing);
    expect(await total(store, { start: WHOLE.end, end: WHOLE.start })).toEqual(nothing);
    expect(await total(store, { start: FIRST_DAY + 1, end: FIRST_DAY + 2 })).toEqual(nothing);
    expect(await total(store, WHOLE, 'ws_nowhere')).toEqual(nothing);
    expect(await store.reports.byTag(WORKSPACE, 'nothing', WHOLE)).toEqual([]);
    const query = { range: WHOLE, buckets: [WHOLE.start], by: null, filter: { model: 'nobody' } };
    expect(await store.reports.series(WORKSPACE, query)).toEqual([]);
    expect(await store.reports.entry(WORKSPACE, 'nothing')).toBeNull();
  });
}

const CERTAIN = {
  listBeyondCost: 0n,
  contractedBeyondCost: 0n,
  unpricedCalls: 0,
  uncertainCalls: 0,
  uncertainUpTo: 0n,
};

async function expectSummary(store: LedgerStore, entries: readonly Entry[], range: Period): Promise<void> {
  const found = entries.filter((entry) => entry.workspaceId === WORKSPACE && isIn(range, entry));
  const sent = found.filter(({ outcome }) => outcome !== 'not_sent');
  const summary = await store.reports.summary(WORKSPACE, range);
  expect(summary.total).toEqual(expectedTotals(found));
  const byProvider = Map.groupBy(sent, ({ provider }) => provider);
  expect(new Map(summary.byProvider)).toEqual(
    new Map([...byProvider].map(([key, list]) => [key, expectedTotals(list)])),
  );
  const byModel = Map.groupBy(sent, ({ model }) => model);
  byModel.delete(null);
  expect(new Map(summary.byModel)).toEqual(new Map([...byModel].map(([key, list]) => [key, expectedTotals(list)])));
}

function isolating(open: OpenEmpty): void {
  test('no query of one workspace returns data of another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEntry, { maxLength: 30 }), arbitraryRange, async (entries, range) => {
        const kept = firstOfEach(entries);
        const both = await filled(open, kept);
        for (const workspaceId of WORKSPACES) {
          const alone = await filled(
            open,
            kept.filter((entry) => entry.workspaceId === workspaceId),
          );
          expect(await answers(both, workspaceId, range)).toEqual(await answers(alone, workspaceId, range));
          await alone.close();
        }
        await both.close();
      }),
      propertyRuns(60),
    );
  });

  test('an entry, its correction and its counters are not found through another workspace', async () => {
    const store = await filled(open, [entryOf('a', { uncertainReason: 'no_price', cost: null })]);
    await append(store, [entryOf('b', { workspaceId: 'ws_other' })]);
    expect(await store.reports.entry('ws_other', 'a')).toBeNull();
    const foreign = adjustmentOf('a', { workspaceId: 'ws_other', costBefore: null });
    await expect(store.entries.adjust([foreign])).rejects.toMatchObject({ type: 'not_found' });
    expect(await store.entries.prune('ws_other', WHOLE.end, 9)).toBe(1);
    expect(await store.reports.entry(WORKSPACE, 'a')).not.toBeNull();
  });
}

/** One answer of every kind, in an order that does not depend on the engine. */
async function answers(store: LedgerStore, workspaceId: string, range: Period): Promise<unknown[]> {
  const { reports } = store;
  const summary = await reports.summary(workspaceId, range);
  const series = await Promise.all(
    DIMENSIONS.map((by) =>
      reports.series(workspaceId, { range, buckets: [range.start], by, tagKey: 'team', filter: {} }),
    ),
  );
  const uses = await reports.contextUses(workspaceId, { range, by: CONTEXT_PARTS, filter: {} });
  const session = await reports.contextUses(workspaceId, { range, by: ['agent'], filter: { session: 'a' } });
  const page = await reports.entriesPage(workspaceId, { range, filter: {}, cursor: null, limit: 100 });
  return [
    ...[uses, session].map(
      (rows) =>
        new Set(
          rows.map((row) => JSON.stringify(row, (_, cell: unknown) => (typeof cell === 'bigint' ? `${cell}` : cell))),
        ),
    ),
    summary.total,
    new Map(summary.byProvider),
    new Map(summary.byModel),
    new Map((await reports.byTag(workspaceId, 'team', range)).map((row) => [row.value, row])),
    series.map((rows) => new Map(rows.map((row) => [row.value, row]))),
    page.rows,
    await unpricedIds(store, workspaceId),
  ];
}

function adjusting(open: OpenEmpty): void {
  test('a correction changes the sums of its own hour, once, and leaves the entry unchanged', async () => {
    const store = await filled(open, [entryOf('a'), entryOf('b', { startedAt: FIRST_DAY + HOUR_MS })]);
    expect(await store.entries.adjust([adjustmentOf('a')])).toEqual({ inserted: 1, moves: [] });
    expect(await store.entries.adjust([adjustmentOf('a')])).toEqual({ inserted: 0, moves: [] });
    const recorded = await store.reports.entry(WORKSPACE, 'a');
    expect(recorded).toEqual({ entry: entryOf('a'), adjustments: [adjustmentOf('a')] });
    for (const end of [FIRST_DAY + 1, FIRST_DAY + HOUR_MS])
      expect((await total(store, { start: FIRST_DAY, end })).cost).toBe(1_500n);
    expect(await total(store)).toEqual({ ...expectedTotals([entryOf('a'), entryOf('b')]), cost: 2_500n });
    expect(await store.reports.byTag(WORKSPACE, 'team', WHOLE)).toEqual([
      { value: 'a', calls: 2, cost: 2_500n, ...CERTAIN },
    ]);
  });

  test('a correction from a stale cost, or of no entry, stores nothing of its list', async () => {
    const store = await filled(open, [entryOf('a'), entryOf('b')]);
    const stale = adjustmentOf('b', { costBefore: 999 });
    await expect(store.entries.adjust([adjustmentOf('a'), stale])).rejects.toMatchObject({ type: 'conflict' });
    const missing = [adjustmentOf('a'), adjustmentOf('nothing')];
    await expect(store.entries.adjust(missing)).rejects.toMatchObject({ type: 'not_found' });
    expect((await total(store)).cost).toBe(2_000n);
    expect((await store.reports.entry(WORKSPACE, 'a'))?.adjustments).toEqual([]);
  });

  test('an entry without a price is listed until it has one, and again when the price is withdrawn', async () => {
    const unpriced = (id: string, minute: number): Entry =>
      entryOf(id, {
        uncertainReason: 'no_price',
        cost: null,
        provenance: null,
        startedAt: FIRST_DAY + minute * 60_000,
      });
    const store = await filled(open, [unpriced('later', 2), unpriced('z', 1), unpriced('a', 1), entryOf('priced')]);
    expect(await unpricedIds(store)).toEqual(['later', 'a', 'z']);
    expect((await total(store)).unpricedCalls).toBe(3);
    await store.entries.adjust([adjustmentOf('a', { costBefore: null, costAfter: 70 })]);
    expect(await unpricedIds(store)).toEqual(['later', 'z']);
    expect(await total(store)).toMatchObject({ unpricedCalls: 2, cost: 1_070n });
    await store.entries.adjust([adjustmentOf('a', { adjustmentId: 'back', costBefore: 70, costAfter: null })]);
    expect(await unpricedIds(store)).toEqual(['later', 'a', 'z']);
    expect(await total(store)).toMatchObject({ unpricedCalls: 3, cost: 1_000n });
  });
}

function pruning(open: OpenEmpty): void {
  const noon = FIRST_DAY + DAY_MS / 2;

  test('pruned entries are deleted and stay in the sums of whole hours', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryEntry, { maxLength: 40 }),
        fc.nat(4 * DAY_MS).map((offset) => FIRST_DAY + offset),
        fc.tuple(fc.nat(96), fc.nat(96)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
        async (given, before, [first, last]) => {
          const entries = firstOfEach(given).map(wellFormed);
          const store = await filled(open, entries);
          const range = { start: FIRST_DAY + first * HOUR_MS, end: FIRST_DAY + last * HOUR_MS };
          await store.entries.prune(WORKSPACE, before, 1_000);
          await expectSummary(store, entries, range);
          const hour = Math.floor(before / HOUR_MS) * HOUR_MS;
          const left = entries.filter((entry) => entry.workspaceId === WORKSPACE && entry.startedAt >= hour);
          const rows = await allPages(store, 1_000);
          expect(rows.map(({ entry }) => entry.callId).toSorted()).toEqual(left.map(({ callId }) => callId).toSorted());
          await store.close();
        },
      ),
      propertyRuns(60),
    );
  });

  test('without entries, neighboring ranges share every call, none twice', async () => {
    const minutes = [5, 30, 55, 65];
    const entries = minutes.map((minute) => entryOf(`at_${minute}`, { startedAt: FIRST_DAY + minute * 60_000 }));
    const store = await filled(open, entries);
    expect(await store.entries.prune(WORKSPACE, noon, 3)).toBe(3);
    expect(await store.entries.prune(WORKSPACE, noon, 3)).toBe(1);
    for (const minute of [10, 30, 60, 90]) {
      const border = FIRST_DAY + minute * 60_000;
      const before = await total(store, { start: FIRST_DAY, end: border });
      const after = await total(store, { start: border, end: WHOLE.end });
      expect(before.calls + after.calls).toBe(4);
    }
  });

  test('pruning deletes adjustments and waiting entries too, and keeps their sums', async () => {
    const waiting = { uncertainReason: 'no_price', cost: null } as const;
    const store = await filled(open, [entryOf('a'), entryOf('b', waiting), entryOf('c', { startedAt: noon })]);
    await store.entries.adjust([adjustmentOf('a')]);
    const before = await total(store);
    expect(await store.entries.prune(WORKSPACE, noon + 1, 10)).toBe(2);
    expect(await unpricedIds(store)).toEqual([]);
    expect(await store.reports.entry(WORKSPACE, 'a')).toBeNull();
    expect(await total(store)).toEqual(before);
    expect(await store.entries.prune(WORKSPACE, noon + 1, 10)).toBe(0);
  });
}

function listing(open: OpenEmpty): void {
  test('pages have every entry once, newest first, while new ones arrive', async () => {
    const entries = Array.from({ length: 23 }, (_, index) =>
      entryOf(`call_${index}`, { startedAt: FIRST_DAY + Math.floor(index / 3) * 1_000 }),
    );
    const store = await filled(open, entries);
    let late = 0;
    const arrive = async (): Promise<number> => {
      late += 1;
      return await append(store, [entryOf(`late_${late}`, { startedAt: WHOLE.end - 1 })]);
    };
    const ids = (await allPages(store, 4, arrive)).map(({ entry }) => entry.callId);
    expect(ids).toEqual(entries.map(({ callId }) => callId).toReversed());
  });

  test('a page has only entries that match its filters', async () => {
    const store = await filled(open, [
      entryOf('plain'),
      entryOf('doubtful', { uncertainReason: 'timeout', outcome: 'broken', cost: null, status: 0 }),
      entryOf('unpriced', { uncertainReason: 'no_price', cost: null, model: null, keyId: 'key_2', source: 'codex' }),
    ]);
    const ids = async (filter: Parameters<LedgerStore['reports']['entriesPage']>[1]['filter']): Promise<string[]> => {
      const page = await store.reports.entriesPage(WORKSPACE, { range: WHOLE, filter, cursor: null, limit: 9 });
      return page.rows.map(({ entry }) => entry.callId);
    };
    expect(await ids({ uncertain: true })).toEqual(['doubtful']);
    expect(await ids({ uncertain: true, recordedReason: 'timeout' })).toEqual(['doubtful']);
    expect(await ids({ uncertain: true, recordedReason: 'background' })).toEqual([]);
    expect(await ids({ uncertain: false })).toEqual(['unpriced', 'plain']);
    expect(await ids({ unpriced: false })).toEqual(['doubtful', 'plain']);
    expect(await ids({ status: 0 })).toEqual(['doubtful']);
    expect(await ids({ keyId: 'key_2', source: 'codex', unpriced: true })).toEqual(['unpriced']);
    expect(await ids({ tag: { key: 'team', value: 'b' } })).toEqual([]);
  });

  test('the newest call is known to the hour, of each workspace alone', async () => {
    const starts = [HOUR_MS + 5, 3 * HOUR_MS + 7, 2 * HOUR_MS];
    const entries = starts.map((offset, index) => entryOf(`call_${index}`, { startedAt: FIRST_DAY + offset }));
    const later = entryOf('other', { startedAt: FIRST_DAY + DAY_MS, workspaceId: 'ws_other' });
    const { reports } = await filled(open, [...entries, later]);
    expect(Math.floor((await reports.newestCallAt(WORKSPACE)) / HOUR_MS)).toBe(FIRST_DAY / HOUR_MS + 3);
    expect(await reports.newestCallAt('ws_nothing')).toBe(0);
  });

  test('an invalid cursor is refused with a sentence', async () => {
    const store = await filled(open, [entryOf('a')]);
    for (const cursor of ['', 'x', '-1.2', '1.2.3', '1e9.zzzzzzzzzzzzzz', '🧾'])
      await expect(
        store.reports.entriesPage(WORKSPACE, { range: WHOLE, filter: {}, cursor, limit: 9 }),
      ).rejects.toMatchObject({ type: 'invalid', param: 'cursor' });
  });
}
