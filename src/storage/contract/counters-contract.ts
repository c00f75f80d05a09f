import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { countedIn, uncertainIn } from '../../domain/limits/counting.ts';
import { type CounterState, type Limit, type CounterRef } from '../../domain/limits/limit.ts';
import { effectiveEntry } from '../effective-entry.ts';
import type { LedgerStore } from '../store.ts';
import { arbitraryEntry, entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';
import type { Adjustment } from '../entry-store.ts';
import type { AgentParentsQuery, PricedAs } from '../counter-store.ts';
import type { RecordedEntry } from '../usage-queries.ts';

export const DAY: Period = { start: FIRST_DAY, end: FIRST_DAY + DAY_MS };
/** Entry of a call that broke off, with unknown cost. */
const BROKEN = {
  outcome: 'broken',
  uncertainReason: 'reset',
  usageSource: 'none',
  usage: null,
  cost: null,
  provenance: null,
  counted: { usd: 2_000, inputTokens: 200, outputTokens: 100 },
} as const satisfies Partial<Entry>;

export function limitOf(changes: Partial<Limit> = {}): Limit {
  return {
    id: 'lim_1',
    counter: 1,
    workspaceId: WORKSPACE,
    scope: { kind: 'workspace' },
    unit: 'usd',
    amount: 5_000_000_000,
    raise: null,
    window: 'day',
    action: 'block',
    thresholds: [],
    uncertain: 'keep',
    label: null,
    countsObserved: false,
    zones: [{ zone: 'UTC', since: 0 }],
    countsPast: false,
    ...changes,
  };
}

export function touchOf(changes: Partial<CounterRef> = {}): CounterRef {
  return { counter: 1, unit: 'usd', windowStart: FIRST_DAY, value: '', ...changes };
}

export function adjustmentOf(callId: string, changes: Partial<Adjustment>): Adjustment {
  const fixed = {
    workspaceId: WORKSPACE,
    recordedAt: WHOLE.end,
    provenance: { from: 'price', versions: ['v2'] } as const,
    reason: 'corrected',
  };
  return { adjustmentId: `adj_${callId}`, callId, costBefore: null, costAfter: null, ...fixed, ...changes };
}

export const unpriced: PricedAs = () => null;

/** Returns amounts by window and value, in a form that can be compared. */
function shown(states: readonly CounterState[]): Map<string, [bigint, bigint]> {
  return new Map(
    states.map(({ counter, windowStart, value, counted, uncertain }) => [
      JSON.stringify([counter, windowStart, value]),
      [BigInt(counted), BigInt(uncertain)],
    ]),
  );
}

export async function add(store: LedgerStore, entries: readonly Entry[]): Promise<void> {
  await store.entries.append({ journalId: 'journal', mark: 1, entries });
}

async function everything(store: LedgerStore, workspaceId: string): Promise<RecordedEntry[]> {
  const query = { range: WHOLE, filter: {}, cursor: null, limit: 1_000 };
  return (await store.reports.entriesPage(workspaceId, query)).rows;
}

export function counting(open: OpenEmpty): void {
  test('a counter equals the sum of the entries that name it, after any entries and corrections', async () => {
    const correction = fc.record({ of: fc.nat(200), costAfter: fc.option(fc.nat(9_000_000)), resolves: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(arbitraryEntry, { maxLength: 15 }), { maxLength: 4 }),
        fc.array(correction, { maxLength: 12 }),
        async (batches, corrections) => {
          const store = await open();
          for (const batch of batches) await add(store, batch);
          for (const [index, { of, costAfter, resolves }] of corrections.entries())
            await correct(store, `call_${of}`, `adj_${index}`, costAfter, resolves);
          const rows = [...(await everything(store, 'ws_default')), ...(await everything(store, 'ws_other'))];
          expect(shown(await store.counters.list(0))).toEqual(sumOfTouches(rows));
          await store.close();
        },
      ),
      propertyRuns(60),
    );
  });

  test('a repeated batch and a call that was not sent count nothing', async () => {
    const store = await open();
    const entries = [
      entryOf('a', { touched: [touchOf()] }),
      entryOf('b', { outcome: 'not_sent', touched: [touchOf({ value: 'b' })] }),
    ];
    await add(store, entries);
    await add(store, entries);
    expect(await store.counters.list(0)).toEqual([
      { counter: 1, windowStart: FIRST_DAY, value: '', counted: 1_000, uncertain: 0 },
    ]);
  });

  test('the counter of a window without end is listed from any time on', async () => {
    const store = await open();
    await store.entries.append({
      journalId: 'journal',
      mark: 1,
      entries: [entryOf('a', { touched: [{ counter: 1, windowStart: 0, value: '', unit: 'usd' }] })],
    });
    for (const from of [FIRST_DAY, Number.POSITIVE_INFINITY])
      expect(await store.counters.list(from, [1])).toMatchObject([{ counter: 1, windowStart: 0 }]);
  });

  test('a call that counts nothing has no counter, in a backfill neither, and counts once it is corrected', async () => {
    const store = await open();
    const free = { cost: 0, counted: { usd: 0, inputTokens: 0, outputTokens: 0 }, touched: [touchOf()] };
    await add(store, [entryOf('a', free), entryOf('b', { ...free, touched: [] })]);
    expect(await store.counters.backfill(limitOf({ counter: 2 }), DAY, unpriced)).toEqual([]);
    expect(await store.counters.list(0)).toEqual([]);
    const bill = (adjustmentId: string, costBefore: number, costAfter: number) =>
      store.entries.adjust(
        ['a', 'b'].map((id) => adjustmentOf(id, { adjustmentId: adjustmentId + id, costBefore, costAfter })),
      );
    const { moves } = await bill('dearer', 0, 70);
    expect(moves.map(({ counter, counted }) => [counter, counted])).toEqual([
      [1, 70],
      [2, 70],
      [2, 70],
    ]);
    expect(shown(await store.counters.list(0))).toEqual(
      new Map([
        [JSON.stringify([1, FIRST_DAY, '']), [70n, 0n]],
        [JSON.stringify([2, FIRST_DAY, '']), [140n, 0n]],
      ]),
    );
    await bill('free', 70, 0);
    expect(await store.counters.list(0)).toEqual([]);
  });

  test('corrections return the counters that they changed, and by how much', async () => {
    const store = await open();
    const touched = [touchOf(), touchOf({ counter: 2, unit: 'calls' })];
    await add(store, [
      entryOf('a', { touched }),
      entryOf('later', { uncertainReason: 'no_price', cost: null, touched }),
    ]);
    const at = { windowStart: FIRST_DAY, value: '', uncertain: 0 };
    const dearer = adjustmentOf('a', { costBefore: 1_000, costAfter: 1_700 });
    expect((await store.entries.adjust([dearer])).moves).toEqual([{ counter: 1, ...at, counted: 700 }]);
    const priced = adjustmentOf('later', { costAfter: 300 });
    expect((await store.entries.adjust([priced])).moves).toEqual([{ counter: 1, ...at, counted: -700 }]);
  });

  test('single counters are read, 0 if nothing is stored', async () => {
    const store = await open();
    const touched = [touchOf({ counter: 1, value: 's/b' }), touchOf({ counter: 1, value: 's/a' })];
    await add(store, [entryOf('a', { touched })]);
    const [{ windowStart } = touchOf({})] = touched;
    const place = (value: string) => ({ counter: 1, windowStart, value });
    const [a, none, b] = await store.counters.read(['s/a', 's', 's/b'].map(place));
    expect(a?.counted).toBeGreaterThan(0);
    expect(b).toMatchObject({ ...place('s/b'), counted: a?.counted });
    expect(none).toEqual({ ...place('s'), counted: 0, uncertain: 0 });
  });

  test('the fullest values are those of one window, without empty ones', async () => {
    const store = await open();
    const cost = (id: string, usd: number, ...touched: CounterRef[]) =>
      entryOf(id, { touched, cost: usd, counted: { usd, inputTokens: 1, outputTokens: 1 } });
    const place = (value: string, changes: Partial<CounterRef> = {}) => touchOf({ windowStart: 0, value, ...changes });
    await add(store, [
      cost('1', 300, place('b'), place('most'), place('', {})),
      cost('2', 900, place('most'), place('x', { windowStart: FIRST_DAY }), place('x', { counter: 2 })),
      cost('3', 300, place('a')),
      cost('4', 100, place('least')),
      cost('5', 0, place('nothing')),
    ]);
    const fullest = await store.counters.fullest({ counter: 1, windowStart: 0 }, 3);
    expect(fullest).toEqual([
      { counter: 1, windowStart: 0, value: 'most', counted: 1_200, uncertain: 0 },
      { counter: 1, windowStart: 0, value: 'a', counted: 300, uncertain: 0 },
      { counter: 1, windowStart: 0, value: 'b', counted: 300, uncertain: 0 },
    ]);
    expect(await store.counters.fullest({ counter: 1, windowStart: 0 }, 9)).toHaveLength(4);
  });

  test('all parents named by calls of a key are returned for agents of a session, and for the agents above', async () => {
    const store = await open();
    const context = { session: 'a session', run: null, requestClass: null };
    const named = (id: string, agent: string, parentAgent: string | null, change: Partial<Entry> = {}) =>
      entryOf(id, { context: { ...context, agent, parentAgent }, ...change });
    const elsewhere = { ...context, agent: 'b', parentAgent: 'x', session: 'another session' };
    await add(store, [
      named('1', 'a', null),
      named('2', 'b', 'z'),
      named('3', 'b', 'a'),
      named('4', 'b', 'a'),
      named('5', 'c', 'b'),
      named('6', 'c', null),
      named('7', 'b', 'x', { keyId: 'key_other' }),
      entryOf('8', { context: elsewhere }),
      entryOf('9', { context: { ...elsewhere, session: null } }),
      named('10', 'd', 'e'),
      named('11', 'e', 'd'),
    ]);
    const { workspaceId, keyId } = entryOf('x');
    const query = { workspaceId, keyId, session: 'a session', agentsMax: 9, parentsMax: 9 };
    const parents = (agents: string[], change: Partial<AgentParentsQuery> = {}) =>
      store.counters.agentParents({ ...query, agents, ...change });
    const [a, c] = [
      { agent: 'a', parents: [] },
      { agent: 'c', parents: ['b'] },
    ];
    expect(await parents(['c', 'new'])).toEqual([
      c,
      { agent: 'new', parents: [] },
      { agent: 'b', parents: ['a', 'z'] },
      a,
      { agent: 'z', parents: [] },
    ]);
    expect(await parents(['c'], { agentsMax: 2, parentsMax: 1 })).toEqual([c, { agent: 'b', parents: ['a'] }]);
    expect(await parents(['d'])).toEqual([
      { agent: 'd', parents: ['e'] },
      { agent: 'e', parents: ['d'] },
    ]);
    expect(await parents(['b'], { session: null, agentsMax: 1 })).toEqual([{ agent: 'b', parents: ['x'] }]);
    expect(await parents(['c'], { workspaceId: 'ws_other' })).toEqual([{ agent: 'c', parents: [] }]);
  });

  test('counters without an end are deleted when their newest call began long ago', async () => {
    const store = await open();
    const touchesOf = (...values: string[]) => values.map((value) => touchOf({ counter: 1, windowStart: 0, value }));
    await add(store, [
      entryOf('old', { startedAt: FIRST_DAY, touched: touchesOf('ended', 'goes on') }),
      entryOf('new', { startedAt: FIRST_DAY + HOUR_MS, touched: touchesOf('goes on', 'begins') }),
    ]);
    for (let after: string | null = ''; after !== null;)
      after = await store.counters.pruneIdle({ counter: 1, before: FIRST_DAY + HOUR_MS, after, limit: 1 });
    expect((await store.counters.list(0)).map(({ value }) => value).toSorted()).toEqual(['begins', 'goes on']);
  });

  test('a correction of a recent call keeps its counter from being deleted as idle', async () => {
    const store = await open();
    const touched = [touchOf({ counter: 1, windowStart: 0, value: 'session' })];
    const startedAt = FIRST_DAY + 2 * HOUR_MS;
    const counted = { usd: null, inputTokens: 1, outputTokens: 1 };
    await add(store, [entryOf('a', { startedAt, touched, cost: null, counted, uncertainReason: 'no_price' })]);
    await store.entries.adjust([adjustmentOf('a', { costAfter: 500 })]);
    await store.counters.pruneIdle({ counter: 1, before: FIRST_DAY + HOUR_MS, after: '', limit: 9 });
    expect(await store.counters.list(0)).toMatchObject([{ value: 'session', counted: 500 }]);
  });

  test('counters are listed by number or all, for windows from a time on and those without end', async () => {
    const store = await open();
    const starts = [0, FIRST_DAY, FIRST_DAY + HOUR_MS];
    const touched = [1, 2].flatMap((counter) => starts.map((windowStart) => touchOf({ counter, windowStart })));
    await add(store, [entryOf('a', { touched })]);
    const list = async (...args: [number, number[]?]): Promise<number[][]> =>
      (await store.counters.list(...args))
        .map(({ counter, windowStart }) => [counter, windowStart])
        .toSorted((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]));
    expect(await list(FIRST_DAY + 1, [2])).toEqual([
      [2, 0],
      [2, FIRST_DAY + HOUR_MS],
    ]);
    expect(await list(FIRST_DAY)).toHaveLength(6);
    expect(await store.counters.prune([{ counter: 1, before: FIRST_DAY + 1 }])).toBe(1);
    expect(await list(0, [1])).toEqual([
      [1, 0],
      [1, FIRST_DAY + HOUR_MS],
    ]);
    expect(await store.counters.keepOnly([2])).toBe(2);
    expect(await list(0)).toHaveLength(3);
    expect(await store.counters.keepOnly([1])).toBe(0);
  });
}

async function correct(store: LedgerStore, callId: string, id: string, cost: number | null, resolves: boolean) {
  for (const workspaceId of ['ws_default', 'ws_other']) {
    const recorded = await store.reports.entry(workspaceId, callId);
    if (!recorded) continue;
    const entry = effectiveEntry(recorded);
    const isOpen =
      entry.uncertainReason !== null && entry.uncertainReason !== 'no_price' && entry.outcome !== 'not_sent';
    const resolved = { resolved: { inputTokens: 7, outputTokens: 3 }, costAfter: cost ?? 0 };
    const change = { adjustmentId: id, workspaceId, costBefore: entry.cost, costAfter: cost };
    await store.entries.adjust([adjustmentOf(callId, { ...change, ...(resolves && isOpen && resolved) })]);
  }
}

function sumOfTouches(rows: readonly RecordedEntry[]): Map<string, [bigint, bigint]> {
  const sums = new Map<string, [bigint, bigint]>();
  for (const recorded of rows) {
    const entry = effectiveEntry(recorded);
    if (entry.outcome === 'not_sent') continue;
    for (const { counter, unit, windowStart, value } of entry.touched) {
      const key = JSON.stringify([counter, windowStart, value]);
      const [counted, uncertain] = sums.get(key) ?? [0n, 0n];
      const more = [countedIn(unit, entry), uncertainIn(unit, entry)] as const;
      sums.set(key, [counted + BigInt(more[0]), uncertain + BigInt(more[1])]);
    }
  }
  return new Map([...sums].filter(([, amounts]) => amounts.some((amount) => amount !== 0n)));
}

export function resolving(open: OpenEmpty): void {
  test('a resolved call is certain in every sum and list', async () => {
    const store = await open();
    await add(store, [entryOf('a', BROKEN), entryOf('b', { ...BROKEN, startedAt: FIRST_DAY + HOUR_MS })]);
    const resolved = { inputTokens: 20, outputTokens: 10 };
    await store.entries.adjust([adjustmentOf('a', { costAfter: 150, resolved })]);
    const { total } = await store.reports.summary(WORKSPACE, WHOLE);
    expect(total).toMatchObject({ cost: 150n, uncertainCalls: 1, uncertainUpTo: 2_000n, calls: 2 });
    expect(total).toMatchObject({ inputTokens: 20, outputTokens: 10, uncertainInputTokens: 200 });
    for (const end of [FIRST_DAY + 1, FIRST_DAY + HOUR_MS]) {
      const hour = (await store.reports.summary(WORKSPACE, { start: FIRST_DAY, end })).total;
      expect(hour).toMatchObject({ uncertainCalls: 0, uncertainUpTo: 0n, uncertainOutputTokens: 0, cost: 150n });
    }
    const ids = async (uncertain: boolean): Promise<string[]> => {
      const query = { range: WHOLE, filter: { uncertain }, cursor: null, limit: 9 };
      return (await store.reports.entriesPage(WORKSPACE, query)).rows.map(({ entry }) => entry.callId);
    };
    expect([await ids(true), await ids(false)]).toEqual([['b'], ['a']]);
    expect((await store.reports.entry(WORKSPACE, 'a'))?.adjustments).toMatchObject([{ resolved, costAfter: 150 }]);
  });

  test('a narrowed call keeps its known part, and what the rest can be, in every sum, list and limit', async () => {
    const store = await open();
    const openWork = { headers: { project: 'a' }, batch: { requests: 2, largest: BROKEN.counted } };
    await add(store, [entryOf('a', { ...BROKEN, openWork, touched: [touchOf()] })]);
    const counted = { usd: 700, inputTokens: 30, outputTokens: 15 };
    const tokens = { input: 20, output: 10 };
    const terms = { tier: 'batch', speed: null, geo: null };
    const usage = { inferences: [{ model: 'claude-x', tokens, promptTokens: 12 }], uses: {}, thinking: 0, terms };
    const narrowed = { usage, counted, uncertainReason: 'unreadable' as const };
    const { moves } = await store.entries.adjust([adjustmentOf('a', { costAfter: 150, narrowed })]);
    expect(moves).toMatchObject([{ counted: -1_300, uncertain: -1_450 }]);
    const { total } = await store.reports.summary(WORKSPACE, WHOLE);
    expect(total).toMatchObject({ cost: 150n, uncertainCalls: 1, uncertainUpTo: 550n, inputTokens: 20 });
    expect(total).toMatchObject({ uncertainInputTokens: 10, uncertainOutputTokens: 5 });
    const query = { range: WHOLE, filter: { uncertain: true }, cursor: null, limit: 9 };
    const { rows } = await store.reports.entriesPage(WORKSPACE, query);
    expect(rows).toMatchObject([{ entry: { openWork }, adjustments: [{ narrowed }] }]);
    const resolved = { inputTokens: 25, outputTokens: 12 };
    await store.entries.adjust([adjustmentOf('a', { adjustmentId: 'b', costBefore: 150, costAfter: 200, resolved })]);
    expect(await store.counters.list(0)).toMatchObject([{ counted: 200, uncertain: 0 }]);
    expect((await store.reports.summary(WORKSPACE, WHOLE)).total).toMatchObject({ cost: 200n, uncertainCalls: 0 });
  });

  test('a resolved call counts under its limits what it used, in every unit', async () => {
    const store = await open();
    const touched = [touchOf(), touchOf({ counter: 2, unit: 'tokens' }), touchOf({ counter: 3, unit: 'calls' })];
    await add(store, [entryOf('a', { ...BROKEN, touched })]);
    const resolved = { inputTokens: 0, outputTokens: 0 };
    const { moves } = await store.entries.adjust([adjustmentOf('a', { costAfter: 0, resolved })]);
    const at = { windowStart: FIRST_DAY, value: '' };
    expect(moves).toEqual([
      { counter: 1, ...at, counted: -2_000, uncertain: -2_000 },
      { counter: 2, ...at, counted: -300, uncertain: -300 },
    ]);
    expect(await store.counters.list(0)).toMatchObject([{ counter: 3, counted: 1 }]);
  });

  test('only uncertain calls can be resolved, and only with a cost', async () => {
    const store = await open();
    await add(store, [entryOf('sure'), entryOf('a', BROKEN)]);
    const resolved = { inputTokens: 0, outputTokens: 0 };
    const sure = adjustmentOf('sure', { costBefore: 1_000, costAfter: 0, resolved });
    await expect(store.entries.adjust([sure])).rejects.toMatchObject({ type: 'unprocessable' });
    await expect(store.entries.adjust([adjustmentOf('a', { resolved })])).rejects.toMatchObject({ type: 'invalid' });
    await store.entries.adjust([adjustmentOf('a', { costAfter: 5, resolved })]);
    const again = adjustmentOf('a', { adjustmentId: 'again', costBefore: 5, costAfter: 6, resolved });
    await expect(store.entries.adjust([again])).rejects.toMatchObject({ type: 'unprocessable' });
  });
}

export function releasing(open: OpenEmpty): void {
  const due = { counter: 1, windowStart: FIRST_DAY, until: FIRST_DAY + 1_000 };
  const broken = (callId: string, endedAt: number): Entry =>
    entryOf(callId, { ...BROKEN, touched: [touchOf()], endedAt: FIRST_DAY + endedAt });
  const released = { counter: 1, windowStart: FIRST_DAY, value: '', counted: -2_000, uncertain: -2_000 };

  const recounted = async (store: LedgerStore) => {
    const { expected, counted } = await store.counters.recount(limitOf(), DAY, unpriced);
    expect(counted).toEqual(expected);
    expect(await store.counters.recountNamed(limitOf(), DAY)).toEqual({ expected, counted });
    return expected;
  };

  test('released parts leave the counter, each once, and later ends stay', async () => {
    const store = await open();
    await add(store, [broken('a', 900), broken('b', 1_000), entryOf('sure', { touched: [touchOf()] })]);
    expect(await store.counters.release(WORKSPACE, due)).toEqual({ moves: [released], isDone: true });
    expect(await store.counters.release(WORKSPACE, due)).toEqual({ moves: [], isDone: true });
    expect(await store.counters.list(0)).toMatchObject([{ counted: 3_000, uncertain: 2_000 }]);
    expect(await recounted(store)).toEqual(await store.counters.list(0));
    expect(await store.counters.release(WORKSPACE, { ...due, until: FIRST_DAY + 2_000 })).toMatchObject({
      moves: [released],
    });
  });

  test('a call recorded after its uncertain part was released counts without it, and the change is reported', async () => {
    const store = await open();
    await add(store, [entryOf('sure', { touched: [touchOf()] }), broken('first', 950)]);
    await store.counters.release(WORKSPACE, due);
    const entries = [broken('late', 900)];
    expect((await store.entries.append({ journalId: 'journal', mark: 2, entries })).moves).toEqual([released]);
    expect(await store.counters.list(0)).toMatchObject([{ counted: 1_000, uncertain: 0 }]);
  });

  test.each([
    ['an open batch', 'background'],
    ['a batch whose id was lost', 'crash'],
  ] as const)('%s is not released, and counts its cost when it has ended', async (_which, uncertainReason) => {
    const store = await open();
    const batch = { ...broken('a', 900), operation: 'batches', uncertainReason };
    await add(store, [batch]);
    expect(await store.counters.release(WORKSPACE, due)).toEqual({ moves: [], isDone: true });
    expect(await store.counters.list(0)).toMatchObject([{ counted: 2_000, uncertain: 2_000 }]);
    expect(await recounted(store)).toEqual(await store.counters.list(0));
    const resolved = { inputTokens: 1, outputTokens: 1 };
    await store.entries.adjust([adjustmentOf('a', { costAfter: 70, resolved })]);
    expect(await store.counters.list(0)).toMatchObject([{ counted: 70, uncertain: 0 }]);
    expect(await recounted(store)).toEqual(await store.counters.list(0));
  });

  test('a release with a clock far ahead does not affect later calls', async () => {
    const store = await open();
    await add(store, [broken('a', 900)]);
    await store.counters.release(WORKSPACE, { ...due, until: FIRST_DAY + 3 * DAY_MS });
    const entries = [broken('next', 901)];
    expect((await store.entries.append({ journalId: 'journal', mark: 2, entries })).moves).toEqual([]);
    expect(await store.counters.list(0)).toMatchObject([{ counted: 2_000, uncertain: 2_000 }]);
    expect(await recounted(store)).toEqual(await store.counters.list(0));
  });

  test('resolving a released call counts only its cost', async () => {
    const store = await open();
    await add(store, [broken('a', 900)]);
    await store.counters.release(WORKSPACE, due);
    const resolved = { inputTokens: 1, outputTokens: 1 };
    const { moves } = await store.entries.adjust([adjustmentOf('a', { costAfter: 70, resolved })]);
    expect(moves).toEqual([{ ...released, counted: 70, uncertain: 0 }]);
    expect(await recounted(store)).toEqual(await store.counters.list(0));
  });

  test('a limit of models is counted again from the calls that name it and those before it, as long as all exist', async () => {
    const store = await open();
    const ofModel = limitOf({ scope: { kind: 'model', pattern: 'claude-x' } });
    const at = (callId: string, more: Partial<Entry>): Entry =>
      entryOf(callId, { requestedModel: 'claude-x', ...more });
    await add(store, [at('before', {}), at('other', { requestedModel: 'gpt-z' })]);
    await store.counters.backfill(ofModel, DAY, unpriced);
    const entries = [
      at('named', { touched: [touchOf()] }),
      at('not named', {}),
      at('lost', { ...BROKEN, touched: [touchOf()] }),
    ];
    await store.entries.append({ journalId: 'journal', mark: 2, entries });
    const states = await store.counters.list(0);
    expect(states).toMatchObject([{ counted: 4_000, uncertain: 2_000 }]);
    expect(await store.counters.recountNamed(ofModel, DAY)).toEqual({ expected: states, counted: states });
    // More than are read in one turn, and several of one moment.
    const many = Array.from({ length: 1_100 }, (_, index) =>
      at(`call_${index}`, { startedAt: FIRST_DAY + (index >> 2), touched: [touchOf()] }),
    );
    await store.entries.append({ journalId: 'journal', mark: 3, entries: many });
    const more = await store.counters.list(0);
    expect(await store.counters.recountNamed(ofModel, DAY)).toEqual({ expected: more, counted: more });
    await store.entries.prune(WORKSPACE, DAY.end, 1);
    expect(await store.counters.recountNamed(ofModel, DAY)).toBeNull();
  });

  test('the backfill of a new limit is released too', async () => {
    const store = await open();
    await add(store, [entryOf('a', { ...BROKEN, endedAt: FIRST_DAY + 1 })]);
    await store.counters.backfill(limitOf(), DAY, unpriced);
    expect(await store.counters.release(WORKSPACE, due)).toEqual({ moves: [released], isDone: true });
  });
}
