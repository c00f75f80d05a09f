import { isContextColumn } from '../sql/sum-query.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectiveCost } from '../effective-entry.ts';
import {
  arbitraryEntry,
  arbitraryPriced,
  arbitraryRange,
  entryOf,
  FIRST_DAY,
  pricedOf,
  WHOLE,
  WORKSPACES,
} from '../../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../../test/support/memory-store/memory-store.ts';
import type { OpenEmpty } from '../../../test/support/filled-store.ts';
import type { LedgerStore } from '../store.ts';
import type { Adjustment } from '../entry-store.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import {
  type AssistantCalls,
  type EntriesQuery,
  type KeyUse,
  type RecordedEntry,
  CONTEXT_PARTS,
  FILTER_FIELDS,
  type FilterField,
  type SeriesFilter,
  type ValueMatch,
  type SeriesQuery,
} from '../usage-queries.ts';
import { DIMENSIONS, SECOND_DIMENSIONS } from '../../domain/usage/call.ts';
import { sumTotals } from '../../domain/usage/usage-totals.ts';

/** Changes of a ledger. Adjustments start from the effective cost, which the memory store knows. */
const ledgerChange = fc.oneof(
  { weight: 4, arbitrary: fc.record({ append: fc.array(arbitraryEntry, { maxLength: 12 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      adjust: fc.nat(200),
      costAfter: fc.option(fc.nat(9_000_000)),
      pricedAfter: fc.option(arbitraryPriced),
    }),
  },
  { weight: 1, arbitrary: fc.record({ prune: fc.nat(4 * DAY_MS) }) },
);
type LedgerChange = typeof ledgerChange extends fc.Arbitrary<infer Value> ? Value : never;

const MATCHED_VALUES: Readonly<Record<FilterField, readonly (string | number)[]>> = {
  source: ['proxy', 'codex'],
  provider: ['anthropic', 'nobody'],
  model: ['claude-x', '__proto__', 'nobody'],
  keyId: ['key_1', 'key_2'],
  status: [200, 429],
  session: ['a', 'hash', 'x'.repeat(256)],
  agent: ['a', 'b'],
  run: ['a', '(none)'],
  requestClass: ['b', 'null'],
};

const arbitraryMatch: fc.Arbitrary<ValueMatch> = fc.oneof(
  fc.constantFrom(...FILTER_FIELDS).chain((of) =>
    fc.record({
      of: fc.constant(of),
      values: fc.uniqueArray(fc.constantFrom(...MATCHED_VALUES[of]), { minLength: 1 }),
      isNot: fc.boolean(),
    }),
  ),
  fc.record({
    of: fc.record({ tagKey: fc.constantFrom('team', 'env') }),
    values: fc.uniqueArray(fc.constantFrom('a', 'b', ''), { minLength: 1 }),
    isNot: fc.boolean(),
  }),
);

const filter: fc.Arbitrary<SeriesFilter> = fc.record(
  {
    source: fc.constantFrom('proxy', 'codex'),
    provider: fc.constantFrom('anthropic', 'nobody'),
    model: fc.constantFrom('claude-x', '__proto__'),
    keyId: fc.constantFrom('key_1', 'key_2'),
    status: fc.constantFrom(200, 429),
    session: fc.constantFrom('a', 'hash', '__proto__', 'x'.repeat(256)),
    agent: fc.constantFrom('a', 'b'),
    run: fc.constantFrom('a', '(none)'),
    requestClass: fc.constantFrom('b', 'null'),
    tag: fc.record({ key: fc.constantFrom('team', 'env'), value: fc.constantFrom('a', 'b', '') }),
    matches: fc.array(arbitraryMatch, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const anyQuery: fc.Arbitrary<SeriesQuery> = fc
  .record({
    range: arbitraryRange,
    by: fc.constantFrom(null, ...DIMENSIONS),
    second: fc.option(fc.constantFrom(...SECOND_DIMENSIONS)),
    tagKey: fc.constantFrom('team', 'env', '__proto__'),
    filter,
  })
  .map(({ second, ...given }) => {
    const { start, end } = given.range;
    const third = Math.ceil((end - start) / 3);
    const and = given.by !== null && second !== null && second !== given.by ? { and: second } : {};
    return Object.assign(given, and, { buckets: [start, start + third, start + 2 * third] });
  });

async function happen(stores: readonly [LedgerStore, LedgerStore], what: LedgerChange, mark: number): Promise<void> {
  if ('append' in what) {
    const batch = { journalId: 'journal', mark, entries: what.append };
    const [one, two] = await askBoth(stores, async (store) => await store.entries.append(batch));
    expect(one).toEqual(two);
  } else if ('adjust' in what) {
    const priced = pricedOf(what.pricedAfter, what.costAfter);
    await adjust(stores, `call_${what.adjust}`, { costAfter: what.costAfter, ...priced }, mark);
  } else {
    const before = FIRST_DAY + what.prune;
    const [one, two] = await askBoth(stores, async (store) => await store.entries.prune('ws_default', before, 5));
    expect(one).toBe(two);
  }
}

async function adjust(
  stores: readonly [LedgerStore, LedgerStore],
  callId: string,
  after: Pick<Adjustment, 'costAfter' | 'priced'>,
  mark: number,
) {
  for (const workspaceId of WORKSPACES) {
    const recorded = await stores[1].reports.entry(workspaceId, callId);
    if (!recorded) continue;
    const costBefore = effectiveCost(recorded);
    const fixed = {
      recordedAt: WHOLE.end,
      provenance: { from: 'price', versions: [`v${mark % 3}`] } as const,
      reason: 'price corrected',
    };
    const call = { ...fixed, adjustmentId: `adj_${mark}`, callId, workspaceId, costBefore };
    const { costAfter } = after;
    const adjustment = { ...call, ...(recorded.entry.outcome === 'not_sent' ? { costAfter } : after) };
    const [one, two] = await askBoth(stores, async (store) => await store.entries.adjust([adjustment]));
    expect(one).toEqual(two);
  }
}

async function askBoth<Answer>(
  stores: readonly [LedgerStore, LedgerStore],
  ask: (store: LedgerStore) => Promise<Answer>,
) {
  return [await ask(stores[0]), await ask(stores[1])] as const;
}

/** Rows in an order of their own, since none is promised. */
function sorted<Row>(rows: readonly Row[]): Row[] {
  const text = (row: Row): string =>
    JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  return rows.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

function withSortedAmounts(use: KeyUse): KeyUse {
  return { ...use, amounts: Object.fromEntries(Object.entries(use.amounts).toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Compares an engine with the simplest store. */
export function againstMemory(engine: string, open: OpenEmpty, numRuns: number): void {
  test(`${engine} gives the results of the memory store after any events`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ledgerChange, { maxLength: 25 }),
        fc.array(anyQuery, { minLength: 2, maxLength: 6 }),
        async (events, queries) => {
          const stores = [await open(), openMemoryStore()] as const;
          for (const [index, what] of events.entries()) await happen(stores, what, index + 1);
          const prunedTo = Math.max(0, ...events.map((what) => ('prune' in what ? FIRST_DAY + what.prune : 0)));
          for (const given of queries) {
            await expectSameSums(stores, given);
            // What no roll-up holds is told from entries, so it is compared where these are all there.
            const start = Math.max(given.range.start, prunedTo);
            if (start <= given.range.end)
              await expectSameRows(stores, { ...given, range: { ...given.range, start }, buckets: [start] });
          }
          await stores[0].close();
        },
      ),
      { numRuns },
    );
  });

  test('hours after the last pruned one are exact to the millisecond', async () => {
    const store = await open();
    const entries = [entryOf('call', { startedAt: FIRST_DAY + HOUR_MS + 1 })];
    await store.entries.append({ journalId: 'journal', mark: 1, entries });
    await store.entries.prune('ws_default', FIRST_DAY + HOUR_MS, 10);
    const calls = async (start: number): Promise<number> =>
      (await store.reports.summary('ws_default', { start, end: FIRST_DAY + DAY_MS })).total.calls;
    expect([await calls(FIRST_DAY + HOUR_MS + 1), await calls(FIRST_DAY + HOUR_MS + 2)]).toEqual([1, 0]);
  });
}

/** Dimensions whose pairs are in roll-ups; other pairs are summed from entries. */
const ROLLED_UP: ReadonlySet<string> = new Set(['source', 'provider', 'model', 'key']);

async function expectSameSums(
  stores: readonly [LedgerStore, LedgerStore],
  { range, buckets, by, tagKey, and }: SeriesQuery,
): Promise<void> {
  if (!isContextColumn(by ?? '')) {
    const pair = and && ROLLED_UP.has(by ?? '') && ROLLED_UP.has(and) ? { and } : {};
    const query = { range, buckets, by, tagKey: tagKey ?? '', ...pair, filter: {} };
    const [series, plainSeries] = await askBoth(
      stores,
      async ({ reports }) => await reports.series('ws_default', query),
    );
    expect(sorted(series)).toEqual(sorted(plainSeries));
  }
  const [summary, plainSummary] = await askBoth(
    stores,
    async ({ reports }) => await reports.summary('ws_default', range),
  );
  expect(summary).toEqual(plainSummary);
  const [uses, plainUses] = await askBoth(stores, async ({ reports }) => await reports.keyUses('ws_default', WHOLE));
  expect(sorted(uses.map(withSortedAmounts))).toEqual(sorted(plainUses.map(withSortedAmounts)));
  const [late, plainLate] = await askBoth(stores, async ({ reports }) => await reports.lateUses('ws_default', WHOLE));
  expect(sorted(late.map(withSortedAmounts))).toEqual(sorted(plainLate.map(withSortedAmounts)));
  const [rows, plainRows] = await askBoth(
    stores,
    async ({ reports }) => await reports.byTag('ws_default', tagKey ?? '', range),
  );
  expect(sorted(rows)).toEqual(sorted(plainRows));
}

async function expectSameRows(stores: readonly [LedgerStore, LedgerStore], given: SeriesQuery): Promise<void> {
  const [series, plainSeries] = await askBoth(stores, async ({ reports }) => await reports.series('ws_default', given));
  expect(sorted(series)).toEqual(sorted(plainSeries));
  const parts = CONTEXT_PARTS.filter((_, index) => (given.range.start + index) % 3 === 0);
  const asked = { range: given.range, filter: given.filter, by: parts };
  const [uses, plainUses] = await askBoth(
    stores,
    async ({ reports }) => await reports.contextUses('ws_default', asked),
  );
  expect(sorted(uses)).toEqual(sorted(plainUses));
  const ofAssistants = { range: given.range, entriesMax: 1_000, valuesMax: 1_000 };
  const [assistants, plainAssistants] = await askBoth(
    stores,
    async ({ reports }) => await reports.assistantCalls('ws_default', ofAssistants),
  );
  expect(sumAssistantCalls(assistants.calls)).toEqual(sumAssistantCalls(plainAssistants.calls));
  const query = { range: given.range, filter: given.filter, cursor: null, limit: 7 };
  const [page, plainPage] = await askBoth(
    stores,
    async ({ reports }) => await reports.entriesPage('ws_default', query),
  );
  expect(page).toEqual(plainPage);
  const everything = await stores[1].reports.entriesPage('ws_default', { ...query, limit: 1_000 });
  expect(await shortPages(stores[0], query)).toEqual(everything.rows);
  const waiting = { ...query, filter: { ...given.filter, unpriced: true } };
  const [unpriced, plainUnpriced] = await askBoth(
    stores,
    async ({ reports }) => await reports.entriesPage('ws_default', waiting),
  );
  expect(unpriced).toEqual(plainUnpriced);
}

/** Sums calls of the same combination, which may occur several times. */
function sumAssistantCalls(calls: readonly AssistantCalls[]): Map<string, object> {
  const groups = Map.groupBy(calls, ({ hour, session, sessionHash, keyId, provider, model, operation }) =>
    JSON.stringify([hour, session, sessionHash, keyId, provider, model, operation]),
  );
  return new Map(
    [...groups].map(([name, group]) => [
      name,
      {
        firstAt: Math.min(...group.map(({ firstAt }) => firstAt)),
        lastAt: Math.max(...group.map(({ lastAt }) => lastAt)),
        totals: sumTotals(group),
      },
    ]),
  );
}

/** All rows, though each page looks at few entries. */
async function shortPages({ reports }: LedgerStore, query: EntriesQuery): Promise<RecordedEntry[]> {
  const rows: RecordedEntry[] = [];
  let cursor: string | null = null;
  do {
    const page = await reports.entriesPage('ws_default', { ...query, cursor, scanMax: 3 });
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  return rows;
}
