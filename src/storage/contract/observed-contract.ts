import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { Entry } from '../../domain/usage/call.ts';
import type { ObservedCall } from '../../domain/observed/observed-call.ts';
import { NO_TERMS, type Usage } from '../../domain/usage/usage.ts';
import { sumTotals, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import type { Period } from '../../domain/time/period.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/units.ts';
import { entryOf, FIRST_DAY, WHOLE, WORKSPACES } from '../../../test/support/arbitrary-entry.ts';
import type { OpenEmpty } from '../../../test/support/filled-store.ts';
import {
  arrivals,
  billOf,
  computeAll,
  ledgerCost,
  scenario,
  WINDOW_PRICING,
} from '../../../test/support/four-windows.ts';
import type { CountedTag, RecordedObservation } from '../observed-store.ts';
import type { LedgerStore } from '../store.ts';

const [WORKSPACE, OTHER] = WORKSPACES;
const SESSION = 'd'.repeat(64);
/** All values of a tag. */
const TEAMS: CountedTag = { key: 'team', value: null, valuesMax: 10 };
const EVER = { start: 0, end: Number.MAX_SAFE_INTEGER };

function twoCounts(input: number, output: number): Usage {
  const inferences = [{ model: null, tokens: { input, output }, promptTokens: input }];
  return { inferences, uses: {}, thinking: 0, terms: NO_TERMS };
}

function anObservation(changes: Partial<ObservedCall> = {}): ObservedCall {
  return {
    observationId: 'one',
    source: 'telemetry',
    signal: 'log',
    assistant: 'codex',
    tokenId: 'tok_1',
    providerIds: [],
    callId: null,
    provider: 'openai',
    model: 'claude-x',
    startedAt: FIRST_DAY + 1_000,
    endedAt: FIRST_DAY + 2_000,
    session: SESSION,
    context: NO_CONTEXT,
    tags: {},
    usage: twoCounts(100, 10),
    statedCost: null,
    ...changes,
  };
}

function aGatewayCall(id: string, changes: Partial<Entry> = {}): Entry {
  const ids = { requestId: `req_${id}`, responseId: `resp_${id}` };
  return entryOf(id, { sessionHash: SESSION, usage: twoCounts(100, 10), cost: 750_000, ...ids, ...changes });
}

let mark = 0;
async function appendCalls(store: LedgerStore, ...entries: Entry[]): Promise<void> {
  await store.entries.append({ journalId: 'journal', mark: (mark += 1), entries });
  await computeAll(store);
}

async function observeCalls(store: LedgerStore, ...calls: ObservedCall[]) {
  const given = { workspaceId: WORKSPACE, calls, at: FIRST_DAY + HOUR_MS };
  return await store.observed.observe(given, () => WINDOW_PRICING);
}

async function counted(store: LedgerStore, workspaceId: string = WORKSPACE): Promise<UsageTotals> {
  return sumTotals(await store.sessions.sums(workspaceId, WHOLE));
}

async function rows(store: LedgerStore, possibleDuplicates = false): Promise<RecordedObservation[]> {
  const query = { range: WHOLE, possibleDuplicates, cursor: null, limit: 100 };
  return (await store.observed.page(WORKSPACE, query)).rows;
}

/** Contract of `ObservedStore`. */
export function observedCalls(open: OpenEmpty): void {
  joiningById(open);
  joiningByUsage(open);
  anyOrder(open, 60);
}

/** Random scenarios that arrive in random orders. */
export function anyOrder(open: OpenEmpty, numRuns: number): void {
  test('any order of gateway, telemetry and session files gives the same ledger, and it is the bill', async () => {
    const store = await open();
    let run = 0;
    const arbitrary = scenario.chain((given) => fc.tuple(fc.constant(given), fc.infiniteStream(fc.nat(1_000))));
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([given, dice]) => {
        const workspaceId = `ws_${(run += 1)}`;
        const order = arrivals(workspaceId, given).map((arrive) => ({ arrive, at: dice.next().value ?? 0 }));
        for (const { arrive } of order.toSorted((a, b) => a.at - b.at)) {
          await arrive(store);
          if ((dice.next().value ?? 0) % 3 === 0) await computeAll(store);
        }
        await computeAll(store);
        expect(await ledgerCost(store, workspaceId)).toBe(billOf(given));
        const { uses } = await store.sessions.assistantUses(workspaceId, { range: EVER, valuesMax: 10_000 });
        const ofAssistants = (await store.sessions.sums(workspaceId, EVER)).filter((sum) => sum.assistant !== null);
        expect(sumTotals(uses)).toEqual(sumTotals(ofAssistants));
      }),
      propertyRuns(numRuns),
    );
  }, 600_000);
}

function joiningById(open: OpenEmpty): void {
  test('a call that telemetry alone saw counts once, under its token, however often it is sent', async () => {
    const store = await open();
    expect(await observeCalls(store, anObservation())).toEqual({ stored: 1, known: 0 });
    expect(await observeCalls(store, anObservation())).toEqual({ stored: 0, known: 1 });
    const [sum, ...others] = await store.sessions.sums(WORKSPACE, WHOLE);
    expect(others).toEqual([]);
    expect(sum).toMatchObject({ source: 'telemetry', assistant: 'codex', tokenId: 'tok_1', provider: 'openai' });
    expect(sum?.totals).toMatchObject({ calls: 1, cost: 750_000n, inputTokens: 100, outputTokens: 10 });
    expect(await counted(store, OTHER)).toMatchObject({ calls: 0 });
  });

  test('an assistant session is known by hour, with calls of several models and tokens apart', async () => {
    const store = await open();
    const later = { startedAt: FIRST_DAY + HOUR_MS + 1, endedAt: FIRST_DAY + HOUR_MS + 9, session: 'named' };
    await observeCalls(
      store,
      anObservation(),
      anObservation({ observationId: 'two', startedAt: FIRST_DAY + 5, endedAt: FIRST_DAY + 6, model: 'claude-y' }),
      anObservation({ observationId: 'three', ...later }),
      anObservation({ observationId: 'four', ...later, startedAt: later.startedAt + 1, endedAt: FIRST_DAY + DAY_MS }),
      anObservation({ observationId: 'program', assistant: null }),
    );
    const read = async (range: Period, session?: string) =>
      (
        await store.sessions.assistantUses(WORKSPACE, {
          range,
          valuesMax: 10,
          ...(session !== undefined && { session }),
        })
      ).uses;
    expect(await read(WHOLE, 'named')).toEqual([
      {
        source: 'telemetry',
        assistant: 'codex',
        tokenId: 'tok_1',
        provider: 'openai',
        model: 'claude-x',
        hour: FIRST_DAY + HOUR_MS,
        session: 'named',
        project: null,
        firstAt: later.startedAt,
        lastAt: FIRST_DAY + DAY_MS,
        totals: expect.objectContaining({ calls: 2, cost: 1_500_000n, inputTokens: 200, outputTokens: 20 }),
      },
    ]);
    expect((await read(WHOLE)).map(({ model, hour }) => `${model} ${hour - FIRST_DAY}`).toSorted()).toEqual([
      'claude-x 0',
      `claude-x ${HOUR_MS}`,
      'claude-y 0',
    ]);
    expect(await read({ start: FIRST_DAY + 1, end: FIRST_DAY + HOUR_MS + 1 })).toHaveLength(1);
    expect((await store.sessions.assistantUses(OTHER, { range: WHOLE, valuesMax: 10 })).uses).toEqual([]);
  });

  test('telemetry of a gateway call counts nothing, and says which call it is', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a'));
    await observeCalls(store, anObservation({ providerIds: ['resp_a'] }));
    expect(await counted(store)).toMatchObject({ calls: 0, cost: 0n });
    const [row] = await store.observed.ofCalls(WORKSPACE, ['a', 'b']);
    expect(row).toMatchObject({ state: 'joined', figuresOf: 'a', joinedBy: 'provider_id', adjustments: [] });
  });

  test('a gateway call that arrives after its telemetry takes it out of the sums with an adjustment', async () => {
    const store = await open();
    await observeCalls(
      store,
      anObservation({ providerIds: ['req_a'] }),
      anObservation({ observationId: 'two', session: null }),
    );
    expect(await counted(store)).toMatchObject({ calls: 2 });
    await appendCalls(store, aGatewayCall('a'));
    expect(await counted(store)).toMatchObject({ calls: 1, cost: 750_000n });
    expect(await store.observed.ofCalls(WORKSPACE, ['a'])).toMatchObject([{ state: 'joined', figuresOf: 'a' }]);
  });

  test('a call that has no price is unpriced until there is one', async () => {
    const store = await open();
    const unpriced = { ...WINDOW_PRICING, resolve: () => null };
    const given = { workspaceId: WORKSPACE, calls: [anObservation()], at: FIRST_DAY + HOUR_MS };
    await store.observed.observe(given, () => unpriced);
    expect(await counted(store)).toMatchObject({ calls: 1, cost: 0n, unpricedCalls: 1 });
    await store.observed.markUnpriced(WORKSPACE);
    await computeAll(store);
    expect(await counted(store)).toMatchObject({ calls: 1, cost: 750_000n, unpricedCalls: 0 });
  });

  test('telemetry of a gateway call counts nothing, even after retention deleted the call', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a'));
    const log = anObservation({ providerIds: ['req_a'] });
    await observeCalls(store, log);
    expect(await store.entries.prune(WORKSPACE, FIRST_DAY + DAY_MS, 10)).toBe(1);
    await observeCalls(store, { ...log, observationId: 'two', signal: 'span' });
    expect(await counted(store)).toMatchObject({ calls: 0, cost: 0n });
  });

  test('retention deletes old observed calls', async () => {
    const store = await open();
    await observeCalls(store, anObservation(), anObservation({ observationId: 'new', startedAt: FIRST_DAY + DAY_MS }));
    expect(await store.observed.prune(WORKSPACE, FIRST_DAY + HOUR_MS, 10)).toBe(1);
    expect((await rows(store)).map(({ call }) => call.observationId)).toEqual(['new']);
  });

  test('counted calls are summed by the values of their tags', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a'));
    await observeCalls(
      store,
      anObservation({ observationId: '1', session: null, tags: { team: 'a', job: 'x' } }),
      anObservation({ observationId: '2', session: null, tags: { team: 'a' } }),
      anObservation({ observationId: '3', session: null, tags: { team: '"b"' } }),
      anObservation({ observationId: '4', session: null, tags: {} }),
      anObservation({ observationId: '5', tags: { team: 'a' }, providerIds: ['req_a'] }),
    );
    const byTeam = await store.observed.byTag(WORKSPACE, 'team', WHOLE);
    const equal = { listBeyondCost: 0n, contractedBeyondCost: 0n };
    const sure = { ...equal, unpricedCalls: 0, uncertainCalls: 0, uncertainUpTo: 0n };
    expect(byTeam.toSorted((a, b) => b.calls - a.calls)).toEqual([
      { value: 'a', calls: 2, cost: 1_500_000n, ...sure },
      { value: '"b"', calls: 1, cost: 750_000n, ...sure },
    ]);
    expect(await store.observed.byTag(OTHER, 'team', WHOLE)).toEqual([]);
  });

  test('counted calls of any range are summed by model, also in hours that the range has a part of', async () => {
    const store = await open();
    const at = (time: number, changes: Partial<ObservedCall> = {}): ObservedCall =>
      anObservation({ observationId: `at ${time}`, startedAt: time, endedAt: time, session: null, ...changes });
    const start = FIRST_DAY + HOUR_MS / 2;
    const end = start + 2 * DAY_MS;
    await observeCalls(
      store,
      at(start - 1),
      at(start, { tags: { team: 'a' } }),
      at(FIRST_DAY + 5 * HOUR_MS, { tags: { team: 'b' } }),
      at(FIRST_DAY + DAY_MS + 1, { model: 'claude-y', tags: { job: 'x' } }),
      at(end - 1),
      at(end),
    );
    const read = async (tag: CountedTag | null, workspaceId: string = WORKSPACE) =>
      (await store.observed.countedSums(workspaceId, { start, end }, tag))
        .map(({ value, provider, model, totals }) => `${value} ${provider} ${model} ${totals.calls} ${totals.cost}`)
        .toSorted();
    expect(await read(null)).toEqual([' openai claude-x 3 2250000', ' openai claude-y 1 750000']);
    expect(await read(TEAMS)).toEqual(['a openai claude-x 1 750000', 'b openai claude-x 1 750000']);
    expect(await read({ ...TEAMS, value: 'b' })).toEqual(['b openai claude-x 1 750000']);
    expect(await read({ ...TEAMS, value: 'c' })).toEqual([]);
    expect(await read(TEAMS, OTHER)).toEqual([]);
    expect(await read(null, OTHER)).toEqual([]);
    expect(sumTotals(await store.observed.countedSums(WORKSPACE, EVER, null)).calls).toBe(6);
  });

  test('a call is in the counted sums until its gateway call arrives, and never in both', async () => {
    for (const tag of [null, TEAMS, { ...TEAMS, value: 'a' }]) {
      const store = await open();
      const calls = async (range: Period): Promise<number> =>
        sumTotals(await store.observed.countedSums(WORKSPACE, range, tag)).calls;
      const ranges = [WHOLE, { start: FIRST_DAY + 1, end: FIRST_DAY + HOUR_MS / 2 }];
      const tags = { team: 'a' };
      await observeCalls(store, anObservation({ providerIds: ['req_a'], tags }));
      await observeCalls(store, anObservation({ observationId: 'two', session: null, tags }));
      for (const range of ranges) expect(await calls(range)).toBe(2);
      await store.entries.append({ journalId: 'journal', mark: (mark += 1), entries: [aGatewayCall('a')] });
      for (const range of ranges) expect(await calls(range)).toBe(1);
      await computeAll(store);
      for (const range of ranges) expect(await calls(range)).toBe(1);
    }
  });

  test('a call of another workspace with the same id is another call', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a', { workspaceId: OTHER }));
    await observeCalls(store, anObservation({ providerIds: ['req_a'] }));
    expect(await counted(store)).toMatchObject({ calls: 1 });
  });

  test('log and span of one call count once, with the figures of the log, in any order', async () => {
    for (const order of [0, 1]) {
      const store = await open();
      const log = anObservation({ providerIds: ['req_a'] });
      const span = anObservation({
        observationId: 'two',
        signal: 'span',
        providerIds: ['req_a'],
        usage: twoCounts(1, 1),
      });
      for (const one of order === 0 ? [log, span] : [span, log]) await observeCalls(store, one);
      expect(await counted(store)).toMatchObject({ calls: 1, inputTokens: 100 });
      const states = (await rows(store)).map(({ call, state, figuresOf }) => [call.observationId, state, figuresOf]);
      expect(new Set(states)).toEqual(
        new Set([
          ['one', 'counted', null],
          ['two', 'repeated', 'one'],
        ]),
      );
    }
  });
}

function joiningByUsage(open: OpenEmpty): void {
  test('a call without ids is the gateway call of its session with the same model and tokens', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a'), aGatewayCall('b', { usage: twoCounts(101, 10) }));
    await observeCalls(
      store,
      anObservation({ startedAt: FIRST_DAY + 4 * MINUTE_MS, endedAt: FIRST_DAY + 4 * MINUTE_MS }),
    );
    expect(await rows(store)).toMatchObject([{ state: 'joined', figuresOf: 'a', joinedBy: 'usage' }]);
  });

  test.each([
    ['of another session', { session: 'e'.repeat(64) }],
    ['with other tokens', { usage: twoCounts(100, 11) }],
    ['of another model', { model: 'claude-y' }],
    ['at another time', { startedAt: FIRST_DAY + HOUR_MS, endedAt: FIRST_DAY + HOUR_MS }],
  ])('a call without ids %s is another call', async (_, changes) => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a'));
    await observeCalls(store, anObservation(changes));
    expect(await rows(store)).toMatchObject([{ state: 'counted', possibleDuplicates: [] }]);
  });

  test('where several calls fit, all stay and are listed as possible duplicates', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a'));
    await observeCalls(store, anObservation());
    expect(await counted(store)).toMatchObject({ calls: 0 });
    await appendCalls(store, aGatewayCall('b'));
    expect(await counted(store)).toMatchObject({ calls: 1 });
    expect(await rows(store, true)).toMatchObject([{ state: 'counted', possibleDuplicates: ['a', 'b'] }]);
  });

  test('a gateway call that an id joins is no candidate for calls without ids', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a'), aGatewayCall('b'));
    await observeCalls(store, anObservation());
    await observeCalls(store, anObservation({ observationId: 'two', providerIds: ['req_a'] }));
    const joined = (await rows(store)).map(({ call, figuresOf }) => [call.observationId, figuresOf]);
    expect(new Set(joined)).toEqual(
      new Set([
        ['one', 'b'],
        ['two', 'a'],
      ]),
    );
  });

  test('a session that the client named differently is found by its hash', async () => {
    const store = await open();
    await appendCalls(store, aGatewayCall('a', { context: { ...NO_CONTEXT, session: 'my job' } }));
    await observeCalls(store, anObservation());
    expect(await rows(store)).toMatchObject([{ state: 'joined', figuresOf: 'a' }]);
  });
}
