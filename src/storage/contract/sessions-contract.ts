import { EMPTY_TOTALS, sumTotals, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { priceRecord } from '../../domain/pricing/price-record.ts';
import type { RateCard } from '../../domain/pricing/price.ts';
import type { SessionRecord } from '../../domain/sessions/session-record.ts';
import { inputTokens, type TokenCounts } from '../../domain/usage/usage.ts';
import type { LedgerStore } from '../store.ts';
import { entryOf, FIRST_DAY, WHOLE, WORKSPACES } from '../../../test/support/arbitrary-entry.ts';
import type { OpenEmpty } from '../../../test/support/filled-store.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { Period } from '../../domain/time/period.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { SessionPricing, SessionUpload } from '../session-store.ts';

const [WORKSPACE, OTHER] = WORKSPACES;
const SESSION = 'a'.repeat(64);
const SECOND = 'b'.repeat(64);
const RATES = {
  input: 3_000_333,
  cacheRead: 300_000,
  cacheWrite5m: 4_000_000,
  cacheWrite1h: 6_000_000,
  output: 15_000_000,
};

const card: RateCard = {
  provider: 'anthropic',
  model: 'claude-x',
  from: null,
  until: null,
  tiers: [{ above: -1, rates: RATES }],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: { webSearch: 10_000_000_000 },
  contextWindow: null,
  version: 'v1',
  source: 'test',
};
const listed = (model: string): string => model.replace(/-2026\d{4}$/, '');
/** A list of only these models. */
const pricingOf = (...models: string[]): SessionPricing => ({
  pricedAs: (_, model) => (models.includes(listed(model)) ? listed(model) : null),
  resolve: (_, model) => (models.includes(listed(model)) ? card : null),
});
const PRICING = pricingOf('claude-x', 'gpt-z');

function recordOf(changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    sessionId: SESSION,
    projectId: 'c'.repeat(64),
    model: 'claude-x',
    inputTokens: 100,
    outputTokens: 50,
    cacheReadTokens: 1_000,
    cacheCreationTokens: 40,
    timestamp: new Date(FIRST_DAY + 5).toISOString(),
    calls: 2,
    ...changes,
  };
}

function callOf(id: string, tokens: TokenCounts, changes: Partial<Entry> = {}): Entry {
  const inferences = [{ model: null, tokens, promptTokens: inputTokens(tokens) }];
  const usage = { inferences, uses: {}, thinking: 0, terms: { tier: 'standard', speed: 'standard', geo: 'global' } };
  return entryOf(id, { sessionHash: SESSION, usage, ...changes });
}

let mark = 0;
async function append(store: LedgerStore, ...entries: Entry[]): Promise<void> {
  await store.entries.append({ journalId: 'journal', mark: (mark += 1), entries });
}

async function upload(store: LedgerStore, records: readonly SessionRecord[], changes: Partial<SessionUpload> = {}) {
  const given = { workspaceId: WORKSPACE, source: 'claude_code', tokenId: 'tok_1', records, ...changes } as const;
  return await store.sessions.upload(given, PRICING);
}

async function settle(store: LedgerStore, pricing = PRICING): Promise<void> {
  while ((await store.sessions.computeMarked(() => pricing, 2)) > 0);
}

async function total(store: LedgerStore, workspaceId: string = WORKSPACE, range = WHOLE): Promise<UsageTotals> {
  const sums = await store.sessions.sums(workspaceId, range);
  return sumTotals(sums);
}

export function sessions(open: OpenEmpty): void {
  uploading(open);
  countingOnce(open);
  settling(open);
}

function uploading(open: OpenEmpty): void {
  test('a record without proxied calls counts in full, at its price, under its token and model', async () => {
    const store = await open();
    const record = recordOf({ roundingPico: 400 });
    const answer = await upload(store, [record]);
    const { cost } = priceRecord(record, 'claude_code', () => card);
    expect(answer).toMatchObject({ sessions: 1, replaced: 0, counted: { cost: BigInt(cost), calls: 2 } });
    expect(await store.sessions.sums(WORKSPACE, WHOLE)).toEqual([
      {
        source: 'claude_code',
        assistant: 'claude_code',
        tokenId: 'tok_1',
        provider: 'anthropic',
        model: 'claude-x',
        totals: answer.counted,
      },
    ]);
    expect(answer.counted).toMatchObject({ inputTokens: 1_140, cacheReadTokens: 1_000, cacheWriteTokens: 40 });
  });

  test('a repeated upload changes nothing, and a later one replaces only its session and model', async () => {
    const store = await open();
    const hours = [0, 1, 2].map((hour) => recordOf({ timestamp: new Date(FIRST_DAY + hour * HOUR_MS).toISOString() }));
    const others = [recordOf({ sessionId: SECOND }), recordOf({ model: 'claude-y' })];
    await upload(store, [...hours, ...others]);
    const before = await total(store);
    expect(await upload(store, [...hours, ...others])).toMatchObject({ sessions: 2, replaced: 5 });
    expect(await total(store)).toEqual(before);
    expect(await upload(store, [recordOf({ outputTokens: 51 })], { tokenId: 'tok_2' })).toMatchObject({ replaced: 3 });
    expect(await total(store)).toMatchObject({ outputTokens: 151, calls: 6 });
    const tokens = (await store.sessions.sums(WORKSPACE, WHOLE)).map(({ tokenId, model }) => `${tokenId} ${model}`);
    expect(new Set(tokens)).toEqual(new Set(['tok_1 claude-x', 'tok_1 claude-y', 'tok_2 claude-x']));
  });

  test('workspaces and sources are separate', async () => {
    const store = await open();
    await upload(store, [recordOf()]);
    await append(store, callOf('theirs', { input: 100 }, { workspaceId: OTHER }));
    await upload(store, [recordOf()], { workspaceId: OTHER });
    expect(await upload(store, [recordOf({ sessionId: SECOND, model: 'gpt-z' })], { source: 'codex' })).toMatchObject({
      replaced: 0,
    });
    expect(await total(store)).toMatchObject({ inputTokens: 2_280 });
    expect(await upload(store, [recordOf()], { source: 'codex' })).toMatchObject({ replaced: 0 });
    expect(await upload(store, [recordOf()], { source: 'codex' })).toMatchObject({ replaced: 1 });
    expect(await total(store, OTHER)).toMatchObject({ inputTokens: 1_040 });
  });

  test('the usage of one session beyond its calls is known by its hash', async () => {
    const store = await open();
    const { counted } = await upload(store, [recordOf()]);
    expect(await store.sessions.synced(WORKSPACE, SESSION)).toEqual(counted);
    expect(await store.sessions.synced(WORKSPACE, SECOND)).toBeNull();
    expect(await store.sessions.synced(OTHER, SESSION)).toBeNull();
  });

  test('usage is known by session, project and hour, also where the gateway saw all of it', async () => {
    const store = await open();
    const next = new Date(FIRST_DAY + HOUR_MS + 7).toISOString();
    await upload(store, [
      recordOf(),
      recordOf({ timestamp: next }),
      recordOf({ sessionId: SECOND, model: 'claude-y' }),
    ]);
    await append(store, callOf('a', { input: 100, cacheRead: 1_000, cacheWrite5m: 40, output: 50 }));
    await append(store, callOf('b', { input: 9 }, { sessionHash: SECOND, model: 'claude-y', requestedModel: 'y' }));
    await settle(store);
    const read = async (range: Period, session?: string) =>
      (
        await store.sessions.assistantUses(WORKSPACE, {
          range,
          valuesMax: 9,
          ...(session !== undefined && { session }),
        })
      ).uses;
    const [left, ...others] = await read({ start: FIRST_DAY + HOUR_MS - 1, end: FIRST_DAY + HOUR_MS + 1 });
    expect(others).toEqual([]);
    expect(left).toEqual({
      source: 'claude_code',
      assistant: 'claude_code',
      tokenId: 'tok_1',
      provider: 'anthropic',
      model: 'claude-x',
      hour: FIRST_DAY + HOUR_MS,
      session: SESSION,
      project: 'c'.repeat(64),
      firstAt: FIRST_DAY + HOUR_MS + 7,
      lastAt: FIRST_DAY + HOUR_MS + 7,
      totals: await total(store, WORKSPACE, { start: FIRST_DAY + HOUR_MS, end: FIRST_DAY + 2 * HOUR_MS }),
    });
    expect(await read(WHOLE)).toHaveLength(3);
    expect((await read(WHOLE, SECOND)).map(({ session, model }) => [session, model])).toEqual([[SECOND, 'claude-y']]);
    expect(sumTotals(await read(WHOLE))).toEqual(await total(store));
    expect((await store.sessions.assistantUses(OTHER, { range: WHOLE, valuesMax: 9 })).uses).toEqual([]);
  });

  test('calls of assistant sessions through the gateway are known by hour, key and operation', async () => {
    const store = await open();
    const named = { startedAt: FIRST_DAY + HOUR_MS + 5, keyId: 'key_2', operation: 'responses' };
    await append(
      store,
      callOf('a', { input: 100 }),
      callOf('b', { input: 9 }, { startedAt: FIRST_DAY + 9 }),
      callOf('c', { input: 9 }, { ...named, context: { ...NO_CONTEXT, session: 'mine' } }),
      callOf('d', { input: 9 }, { sessionHash: null }),
    );
    const query = { range: WHOLE, entriesMax: 100, valuesMax: 100 };
    const { calls, from } = await store.reports.assistantCalls(WORKSPACE, query);
    expect(from).toBe(WHOLE.start);
    const groups = Map.groupBy(calls, (one) => `${one.session} ${one.sessionHash} ${one.keyId} ${one.operation}`);
    expect(new Map([...groups].map(([name, group]) => [name, sumTotals(group).calls]))).toEqual(
      new Map([
        [`${SESSION} ${SESSION} key_1 messages`, 2],
        [`mine ${SESSION} key_2 responses`, 1],
      ]),
    );
    expect(new Set(calls.map(({ hour }) => hour - FIRST_DAY))).toEqual(new Set([0, HOUR_MS]));
    expect((await store.reports.assistantCalls('ws_none', query)).calls).toEqual([]);
  });

  test('an hour counts in the range of its start, and a day is the sum of its hours', async () => {
    const store = await open();
    const instants = [0, HOUR_MS + 1, DAY_MS - 1, DAY_MS, 2 * DAY_MS + 7];
    await upload(
      store,
      instants.map((later) => recordOf({ timestamp: new Date(FIRST_DAY + later).toISOString(), calls: 1 })),
    );
    const count = async (start: number, end: number) =>
      (await total(store, WORKSPACE, { start: FIRST_DAY + start, end: FIRST_DAY + end })).calls;
    expect(await count(0, 1)).toBe(1);
    expect(await count(1, DAY_MS)).toBe(2);
    expect(await count(0, DAY_MS)).toBe(3);
    expect(await count(DAY_MS - 30 * 60_000, 3 * DAY_MS)).toBe(2);
    expect(await count(HOUR_MS, 2 * DAY_MS + 1)).toBe(4);
  });

  test('records without a number of calls are reported, and those without a price', async () => {
    const store = await open();
    const { calls: _, ...uncounted } = recordOf();
    await upload(store, [uncounted, recordOf({ model: 'nobody' })]);
    expect(await total(store)).toMatchObject({ calls: 2, uncountedRecords: 1, unpricedCalls: 2, unpricedUses: 0 });
    await upload(store, [{ ...uncounted, sessionId: SECOND, model: 'nobody' }]);
    expect(await total(store)).toMatchObject({ calls: 2, uncountedRecords: 2, unpricedCalls: 2, unpricedUses: 1 });
  });
}

function countingOnce(open: OpenEmpty): void {
  const seen = callOf(
    'seen',
    { input: 60, cacheRead: 1_000, cacheWrite5m: 40, output: 50 },
    { startedAt: FIRST_DAY + 1 },
  );

  test('proxied usage of a session is subtracted in either order, and after its entries are pruned', async () => {
    for (const order of ['call first', 'record first']) {
      const store = await open();
      if (order === 'call first') await append(store, seen);
      await upload(store, [recordOf()]);
      if (order === 'record first') await append(store, seen);
      await settle(store);
      const left = { inputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, calls: 1 };
      expect(await total(store), order).toMatchObject({ ...left, cost: 120_013n });
      expect(await store.entries.prune(WORKSPACE, WHOLE.end, 10)).toBe(1);
      await upload(store, [recordOf()]);
      expect(await total(store), order).toMatchObject(left);
      await upload(store, [recordOf({ inputTokens: 150, calls: 3 })]);
      expect(await total(store), order).toMatchObject({ ...left, inputTokens: 90, calls: 2 });
    }
  });

  test('a fully proxied session adds nothing, with any rounding of its records', async () => {
    const store = await open();
    const { calls: _, ...uncounted } = recordOf({ roundingPico: 900 });
    await upload(store, [uncounted]);
    await append(store, seen, callOf('rest', { input: 40 }, { startedAt: FIRST_DAY + 3 * HOUR_MS }));
    await settle(store);
    expect(await total(store)).toEqual(EMPTY_TOTALS);
  });

  test('models match by the name they are priced under, or their own; Codex by the requested model', async () => {
    const store = await open();
    const dated = { model: 'claude-x-20260101', requestedModel: 'alias' };
    await append(store, callOf('a', { input: 100 }, dated), callOf('b', { input: 30 }, { model: 'Nobody' }));
    await upload(store, [recordOf(), recordOf({ model: 'nobody' })]);
    expect(await total(store)).toMatchObject({ inputTokens: 1_040 + 1_110 });
    const codex = { sessionHash: SECOND, provider: 'openai', requestedModel: 'gpt-z', model: 'gpt-z-turbo' };
    await append(store, callOf('c', { input: 100, cacheWrite: 40 }, codex));
    await upload(store, [recordOf({ sessionId: SECOND, model: 'gpt-z' })], { source: 'codex' });
    expect(await total(store)).toMatchObject({ inputTokens: 1_040 + 1_110 + 1_000 });
  });

  test('a model is the same for each provider, because session files do not name the provider', async () => {
    const store = await open();
    const ofOne: SessionPricing = {
      ...PRICING,
      pricedAs: (provider, model) => (provider === 'anthropic' ? PRICING.pricedAs(provider, model) : null),
    };
    await append(store, callOf('a', { input: 100 }, { provider: 'house', model: 'claude-x-20260101' }));
    const records = [recordOf({ model: 'claude-x-20260101' })];
    const given = { workspaceId: WORKSPACE, source: 'claude_code', tokenId: 'tok_1', records } as const;
    expect((await store.sessions.upload(given, ofOne)).counted).toMatchObject({ inputTokens: 1_040, calls: 1 });
  });

  test('usage is subtracted from the nearest hour first, the earlier of two', async () => {
    const store = await open();
    const hours = [0, 2, 4, 6].map((hour) =>
      recordOf({ timestamp: new Date(FIRST_DAY + hour * HOUR_MS).toISOString() }),
    );
    await upload(store, hours);
    await append(store, callOf('a', { input: 250 }, { startedAt: FIRST_DAY + 3 * HOUR_MS }));
    await settle(store);
    const left = await Promise.all(
      [0, 2, 4, 6].map(async (hour) => {
        const start = FIRST_DAY + hour * HOUR_MS;
        return (await total(store, WORKSPACE, { start, end: start + HOUR_MS })).inputTokens - 1_040;
      }),
    );
    expect(left).toEqual([50, 0, 0, 100]);
  });

  test('a record without cache lifetimes matches calls that have them', async () => {
    const store = await open();
    await append(store, callOf('a', { cacheWrite1h: 40 }));
    await upload(store, [recordOf()]);
    expect(await total(store)).toMatchObject({ cacheWriteTokens: 0 });
  });

  test('calls of other sessions, refused ones and those without usage subtract nothing', async () => {
    const store = await open();
    const others = [{ sessionHash: SECOND }, { sessionHash: null }, { outcome: 'not_sent' as const }, { usage: null }];
    await append(store, ...others.map((changes, index) => callOf(`call ${index}`, { input: 9 }, changes)));
    await upload(store, [recordOf()]);
    expect(await total(store)).toMatchObject({ inputTokens: 1_140, calls: 2 });
  });

  test('of each class, usage of records beyond calls remains, in any order of the two', async () => {
    const count = fc.nat(300);
    const hour = fc.nat(5).map((hours) => hours * HOUR_MS);
    const model = fc.constantFrom('claude-x', 'claude-x-20260101', 'claude-y');
    const record = fc.record({ input: count, read: count, write: count, output: count, model, hour, fast: count });
    const call = fc.record({
      input: count,
      read: count,
      write: count,
      output: count,
      model,
      hour,
      geo: fc.constantFrom(null, 'us'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 6 }),
        fc.array(call, { maxLength: 6 }),
        fc.nat(6),
        async (records, calls, early) => {
          const store = await open();
          const entries = calls.map((one, index) => {
            const entry = callOf(
              `call ${index}`,
              { input: one.input, cacheRead: one.read, cacheWrite5m: one.write, output: one.output },
              { model: one.model, startedAt: FIRST_DAY + one.hour },
            );
            return {
              ...entry,
              usage: entry.usage && { ...entry.usage, terms: { tier: null, speed: null, geo: one.geo } },
            };
          });
          await append(store, ...entries.slice(0, early));
          const shared = { inputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
          const all = records.map((one) =>
            recordOf({
              model: one.model,
              inputTokens: one.input,
              cacheReadTokens: one.read,
              cacheCreationTokens: one.write,
              outputTokens: one.output + one.fast,
              timestamp: new Date(FIRST_DAY + one.hour).toISOString(),
              shares: [{ geo: 'us', outputTokens: one.fast, ...shared }],
            }),
          );
          if (all.length > 0) await upload(store, all);
          await append(store, ...entries.slice(early));
          await settle(store);
          const names = ['claude-x', 'claude-y'];
          const left = (
            of: (one: { input: number; read: number; write: number; output: number }) => number,
            fast = 0,
          ) =>
            names.reduce((sum, name) => {
              const own = <One extends { model: string }>(list: readonly One[]) =>
                list.filter((one) => listed(one.model) === name);
              const has = own(records).reduce((all_, one) => all_ + of(one) + fast * one.fast, 0);
              return sum + Math.max(0, has - own(calls).reduce((all_, one) => all_ + of(one), 0));
            }, 0);
          const [input, read, write] = [left((one) => one.input), left((one) => one.read), left((one) => one.write)];
          expect(await total(store)).toMatchObject({
            inputTokens: input + read + write,
            cacheReadTokens: read,
            cacheWriteTokens: write,
            outputTokens: left((one) => one.output, 1),
          });
          await store.close();
        },
      ),
      propertyRuns(40),
    );
  });
}

function settling(open: OpenEmpty): void {
  test('a session stays marked from the append until it is computed, so a crash loses nothing', async () => {
    const store = await open();
    await upload(store, [recordOf()]);
    await append(store, callOf('a', { input: 60 }));
    // Nobody settles; a later run finds it.
    expect((await total(store)).inputTokens).toBe(1_140);
    expect(await store.sessions.computeMarked(() => PRICING, 10)).toBe(1);
    expect((await total(store)).inputTokens).toBe(1_080);
    expect(await store.sessions.computeMarked(() => PRICING, 10)).toBe(0);
    await append(store, callOf('a', { input: 60 }), callOf('no record', { input: 5 }, { sessionHash: SECOND }));
    expect(await store.sessions.computeMarked(() => PRICING, 10)).toBe(0);
  });

  test('a later or corrected price computes the session again', async () => {
    const store = await open();
    await upload(store, [recordOf({ model: 'new' }), recordOf({ sessionId: SECOND })]);
    const before = await total(store);
    expect(before.unpricedCalls).toBe(2);
    await store.sessions.markForComputing(WORKSPACE, 'unpriced');
    expect(await store.sessions.computeMarked(() => pricingOf('new', 'claude-x'), 10)).toBe(1);
    expect(await total(store)).toMatchObject({ unpricedCalls: 0, cost: before.cost * 2n });
    await store.sessions.markForComputing(OTHER, 'all');
    expect(await store.sessions.computeMarked(() => PRICING, 10)).toBe(0);
    await store.sessions.markForComputing(WORKSPACE, 'all');
    expect(await store.sessions.computeMarked(() => pricingOf(), 10)).toBe(2);
    expect(await total(store)).toMatchObject({ unpricedCalls: 4, cost: 0n });
  });

  test('usage without a number of calls is computed again, too', async () => {
    const store = await open();
    const { calls: _, ...uncounted } = recordOf({ model: 'new' });
    await upload(store, [uncounted]);
    await store.sessions.markForComputing(WORKSPACE, 'unpriced');
    expect(await store.sessions.computeMarked(() => pricingOf('new'), 10)).toBe(1);
    expect(await total(store)).toMatchObject({ unpricedUses: 0, uncountedRecords: 1 });
  });

  test('old usage is dropped only if no record was uploaded', async () => {
    const store = await open();
    await append(store, callOf('a', { input: 60 }), callOf('b', { input: 60 }, { sessionHash: SECOND }));
    await upload(store, [recordOf()]);
    expect(await store.sessions.pruneUse(WORKSPACE, FIRST_DAY, 10)).toBe(0);
    expect(await store.sessions.pruneUse(OTHER, WHOLE.end, 10)).toBe(0);
    expect(await store.sessions.pruneUse(WORKSPACE, WHOLE.end, 10)).toBe(1);
    await upload(store, [recordOf(), recordOf({ sessionId: SECOND })]);
    expect((await total(store)).inputTokens).toBe(1_080 + 1_140);
  });
}
