import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { countedIn } from '../../domain/limits/counting.ts';
import { type CounterState, type LimitScope, NO_VALUE, type LimitUnit } from '../../domain/limits/limit.ts';
import { wellFormed } from '../well-formed.ts';
import { arbitraryEntry, arbitraryRange, entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import { add, adjustmentOf, DAY, limitOf, touchOf, unpriced } from './counters-contract.ts';
import { firstOfEach } from '../../../test/support/expected-totals.ts';
import { type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';
import type { PricedAs } from '../counter-store.ts';

/** Returns the value of an entry that limits of a scope count, without an engine; null = not counted. */
const SCOPES: readonly (readonly [LimitScope, (entry: Entry) => string | null])[] = [
  [{ kind: 'workspace' }, () => ''],
  [{ kind: 'key', keyId: 'key_2' }, ({ keyId }) => (keyId === 'key_2' ? '' : null)],
  [{ kind: 'provider', provider: 'google' }, ({ provider }) => (provider === 'google' ? '' : null)],
  [{ kind: 'model', pattern: 'CLAUDE-*' }, ({ requestedModel }) => (requestedModel?.startsWith('claude-') ? '' : null)],
  [{ kind: 'model', pattern: 'listed' }, ({ requestedModel }) => (requestedModel === 'gpt-z' ? '' : null)],
  [{ kind: 'tag', key: 'team', value: 'a' }, ({ tags }) => (tags['team'] === 'a' ? '' : null)],
  [{ kind: 'each_tag', key: 'team' }, ({ tags }) => (Object.hasOwn(tags, 'team') ? (tags['team'] ?? '') : NO_VALUE)],
];
const UNITS_WITH_PAST: readonly LimitUnit[] = ['usd', 'calls', 'tokens', 'input_tokens', 'output_tokens'];

export function countingThePast(open: OpenEmpty): void {
  test('the backfill of a limit is the sum of its entries in the window, for every scope and unit', async () => {
    const pricedAs: PricedAs = (_, model) => (model === 'gpt-z' ? 'listed' : null);
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEntry, { maxLength: 30 }), arbitraryRange, async (given, window) => {
        const store = await open();
        await add(store, given);
        const entries = firstOfEach(given).map(wellFormed);
        for (const [scope, valueOf] of SCOPES)
          for (const unit of UNITS_WITH_PAST) {
            const limit = limitOf({ counter: 99, scope, unit });
            const states = await store.counters.backfill(limit, window, pricedAs);
            expect(countedBy(states)).toEqual(sumOfPast(entries, window, unit, valueOf));
            expect(countedBy(await store.counters.list(0, [99]))).toEqual(countedBy(states));
            await store.counters.keepOnly([100]);
          }
        await store.close();
      }),
      propertyRuns(30),
    );
  });

  test('a backfill replaces what the counters had in that window, and leaves other windows unchanged', async () => {
    const store = await open();
    const touched = [touchOf(), touchOf({ windowStart: FIRST_DAY - DAY_MS })];
    await add(store, [entryOf('a', { touched }), entryOf('b')]);
    await store.counters.backfill(limitOf(), DAY, unpriced);
    expect(countedBy(await store.counters.list(0, [1]))).toEqual(
      new Map([
        [`${FIRST_DAY} `, 2_000n],
        [`${FIRST_DAY - DAY_MS} `, 1_000n],
      ]),
    );
  });

  test('corrections of calls from before the limit change it too, once', async () => {
    const store = await open();
    const late = { startedAt: DAY.end };
    await add(store, [entryOf('a'), entryOf('named', { touched: [touchOf()] }), entryOf('out', late)]);
    await store.counters.backfill(limitOf(), DAY, unpriced);
    await add(store, [entryOf('unmatched')]);
    const dearer = (callId: string) => adjustmentOf(callId, { costBefore: 1_000, costAfter: 1_500 });
    const { moves } = await store.entries.adjust(['a', 'named', 'out', 'unmatched'].map(dearer));
    expect(moves.map(({ counted }) => counted)).toEqual([500, 500]);
    expect(countedBy(await store.counters.list(0, [1]))).toEqual(new Map([[`${FIRST_DAY} `, 3_000n]]));
  });

  test('a backfill of models uses the requested models, and so do its corrections', async () => {
    const store = await open();
    const alias = { requestedModel: 'claude-x', model: 'claude-x-20260101' };
    await add(store, [entryOf('a', alias), entryOf('b', { requestedModel: 'other', model: 'claude-x' })]);
    await store.entries.adjust([adjustmentOf('a', { adjustmentId: 'first', costBefore: 1_000, costAfter: 1_200 })]);
    const limit = limitOf({ scope: { kind: 'model', pattern: 'claude-x' } });
    const states = await store.counters.backfill(limit, DAY, unpriced);
    expect(countedBy(states)).toEqual(new Map([[`${FIRST_DAY} `, 1_200n]]));
    expect((await store.counters.recount(limit, DAY, unpriced)).expected).toEqual(states);
    const dearer = [
      adjustmentOf('a', { costBefore: 1_200, costAfter: 1_500 }),
      adjustmentOf('b', { costBefore: 1_000, costAfter: 5_000 }),
    ];
    expect((await store.entries.adjust(dearer)).moves.map(({ counted }) => counted)).toEqual([300]);
  });

  test('if calls of the window are deleted, a backfill of models uses the models that answered', async () => {
    const store = await open();
    const asked = { requestedModel: 'claude-x', model: 'claude-x-20260101' };
    const late = { ...asked, startedAt: FIRST_DAY + 2 * HOUR_MS };
    await add(store, [entryOf('old', asked), entryOf('new', late)]);
    await store.entries.prune(WORKSPACE, FIRST_DAY + HOUR_MS, 10);
    const countOf = async (pattern: string, window: Period) => {
      const limit = limitOf({ scope: { kind: 'model', pattern } });
      return (await store.counters.backfill(limit, window, unpriced)).map(({ counted }) => counted);
    };
    expect(await countOf('claude-x-20260101', DAY)).toEqual([2_000]);
    expect(await countOf('claude-x-20260101', { ...DAY, start: FIRST_DAY + HOUR_MS })).toEqual([]);
  });

  test('a correction of a counter beyond 2^53 is exact', async () => {
    const store = await open();
    const most = { usd: Number.MAX_SAFE_INTEGER, inputTokens: 0, outputTokens: 0 };
    await add(store, [entryOf('a', { touched: [touchOf()], counted: most }), entryOf('b', { touched: [touchOf()] })]);
    await store.entries.adjust([adjustmentOf('b', { costBefore: 1_000, costAfter: 1_003 })]);
    const [state] = await store.counters.list(0, [1]);
    expect(state?.counted).toBe(BigInt(Number.MAX_SAFE_INTEGER) + 1_003n);
  });

  test('if every call has the tag, only its values have counters', async () => {
    const store = await open();
    await add(store, [entryOf('a'), entryOf('b', { tags: { team: 'b' }, startedAt: FIRST_DAY + 90 * 60_000 })]);
    const limit = limitOf({ scope: { kind: 'each_tag', key: 'team' } });
    const states = await store.counters.backfill(limit, DAY, unpriced);
    expect(states.map(({ value }) => value).toSorted()).toEqual(['a', 'b']);
  });

  test('a window without end has a backfill', async () => {
    const store = await open();
    await add(store, [entryOf('a'), entryOf('b', { startedAt: FIRST_DAY + 3 * DAY_MS })]);
    const window = { start: 0, end: Number.POSITIVE_INFINITY };
    const states = await store.counters.backfill(limitOf({ window: 'total' }), window, unpriced);
    expect(countedBy(states)).toEqual(new Map([['0 ', 2_000n]]));
  });
}

function countedBy(states: readonly CounterState[]): Map<string, bigint> {
  return new Map(states.map(({ windowStart, value, counted }) => [`${windowStart} ${value}`, BigInt(counted)]));
}

function sumOfPast(
  entries: readonly Entry[],
  window: Period,
  unit: LimitUnit,
  valueOf: (entry: Entry) => string | null,
) {
  const sums = new Map<string, bigint>();
  for (const entry of entries) {
    const isIn = entry.startedAt >= window.start && entry.startedAt < window.end && entry.workspaceId === WORKSPACE;
    const value = valueOf(entry);
    if (!isIn || entry.source !== 'proxy' || entry.outcome === 'not_sent' || value === null) continue;
    const key = `${window.start} ${value}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(countedIn(unit, entry)));
  }
  return new Map([...sums].filter(([, counted]) => counted !== 0n));
}
