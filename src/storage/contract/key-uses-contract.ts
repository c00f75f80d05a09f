import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { isPartialUse } from '../../domain/reconciliation/gateway-use.ts';
import { formatProvenance } from '../../domain/pricing/provenance.ts';
import { NO_TERMS, TOKEN_CLASSES, USE_CLASSES } from '../../domain/usage/usage.ts';
import type { LedgerStore } from '../store.ts';
import { wellFormed } from '../well-formed.ts';
import { arbitraryEntry, entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { firstOfEach } from '../../../test/support/expected-totals.ts';
import { append, filled, type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { Adjustment } from '../entry-store.ts';
import type { KeyUse } from '../usage-queries.ts';

const read = (store: LedgerStore): Promise<KeyUse[]> => store.reports.keyUses(WORKSPACE, WHOLE);
const LOST = {
  outcome: 'lost',
  uncertainReason: 'crash',
  usageSource: 'none',
  usage: null,
  cost: null,
  provenance: null,
  counted: { usd: 2_000, inputTokens: 200, outputTokens: 100 },
} as const satisfies Partial<Entry>;
const PLAIN = {
  provider: 'anthropic',
  tier: '',
  geo: '',
  speed: '',
  step: 0,
  provenance: { from: 'price', versions: ['v1'] },
  certainty: 'used',
} as const;

const adjustment = (changes: Partial<Adjustment>): Adjustment => ({
  adjustmentId: 'adj_1',
  callId: 'a',
  workspaceId: WORKSPACE,
  recordedAt: FIRST_DAY + DAY_MS,
  costBefore: 1_000,
  costAfter: 1_500,
  provenance: { from: 'price', versions: ['v2'] },
  reason: 'corrected',
  ...changes,
});

export function keyUses(open: OpenEmpty): void {
  test('key usage has every class, call and nano-dollar of certain entries once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEntry, { maxLength: 40 }), fc.nat(39), async (entries, cut) => {
        const store = await open();
        await append(store, entries.slice(0, cut));
        await append(store, entries, 2);
        const own = firstOfEach(entries)
          .map(wellFormed)
          .filter(
            ({ workspaceId, source, outcome }) =>
              workspaceId === WORKSPACE && source === 'proxy' && outcome !== 'not_sent',
          );
        const rows = await read(store);
        const sure = own.filter(({ uncertainReason }) => uncertainReason === null || uncertainReason === 'no_price');
        for (const name of [...TOKEN_CLASSES, ...USE_CLASSES]) {
          const expected = sure.reduce((sum, { usage }) => {
            const tokens = usage?.inferences.reduce((all, pass) => all + countIn(pass.tokens, name), 0) ?? 0;
            return sum + tokens + countIn(usage?.uses ?? {}, name);
          }, 0);
          const found = rows.filter(({ terms }) => terms.certainty === 'used');
          expect([name, found.reduce((sum, { amounts }) => sum + (amounts[name] ?? 0), 0)]).toEqual([name, expected]);
        }
        expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(own.length);
        expect(rows.reduce((sum, { cost }) => sum + cost, 0n)).toBe(
          own.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n),
        );
        await store.close();
      }),
      propertyRuns(40),
    );
  });

  test('passes count under their own model and length, with lifetimes and rare classes separate; the cost counts under the model of the call', async () => {
    const tokens = { input: 5, cacheWrite5m: 7, cacheWrite1h: 9, outputAudio: 2 };
    const usage = {
      inferences: [
        { model: null, tokens, promptTokens: 21 },
        { model: 'inner', tokens: { output: 3 }, promptTokens: 250_000 },
      ],
      uses: { webSearch: 2, codeExecution: 1 },
      thinking: 0,
      terms: { tier: 'priority', speed: 'standard', geo: 'us' },
    };
    const store = await filled(open, [entryOf('a', { usage }), entryOf('b', { usage })]);
    const terms = { ...PLAIN, tier: 'priority', geo: 'us' };
    const rows = await read(store);
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({
      day: FIRST_DAY,
      keyId: 'key_1',
      model: 'claude-x',
      callModel: null,
      terms,
      amounts: { input: 10, cacheWrite5m: 14, cacheWrite1h: 18, outputAudio: 4, webSearch: 4, codeExecution: 2 },
      calls: 2,
      failedCalls: 0,
      cost: 2_000n,
      uncertainUpTo: 0n,
    });
    expect(rows).toContainEqual(
      expect.objectContaining({
        model: 'inner',
        callModel: 'claude-x',
        terms: { ...terms, step: 200_000 },
        amounts: { output: 6 },
        cost: 0n,
      }),
    );
  });

  test('an uncertain call counts with its bound until its usage by class is entered', async () => {
    const store = await filled(open, [entryOf('a', LOST), entryOf('b')]);
    const [unsure, none] = (await read(store)).filter(({ terms }) => terms.certainty === 'at_most');
    expect([unsure?.amounts, unsure?.uncertainUpTo, none]).toEqual([{ input: 200, output: 100 }, 2_000n, undefined]);
    const usage = {
      inferences: [{ model: null, tokens: { cacheRead: 80, cacheWrite1h: 20, output: 9 }, promptTokens: 100 }],
      uses: { webSearch: 1 },
      thinking: 0,
      terms: NO_TERMS,
    };
    const resolved = { inputTokens: 100, outputTokens: 9, usage };
    await store.entries.adjust([adjustment({ costBefore: null, resolved })]);
    const rows = await read(store);
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual(
      expect.objectContaining({
        terms: { ...PLAIN, provenance: { from: 'price', versions: ['v2'] } },
        amounts: { cacheRead: 80, cacheWrite1h: 20, output: 9, webSearch: 1 },
        cost: 1_500n,
        uncertainUpTo: 0n,
      }),
    );
    const recorded = await store.reports.entry(WORKSPACE, 'a');
    expect(recorded?.adjustments[0]?.resolved).toEqual(resolved);
  });

  test('the effective usage of an uncertain call is stored in addition to its bound, by model, until the call is resolved', async () => {
    const usage = {
      inferences: [
        { model: null, tokens: { input: 90, cacheRead: 10, output: 1 }, promptTokens: 100 },
        { model: 'inner', tokens: { outputAudio: 2 }, promptTokens: 9 },
      ],
      uses: { webSearch: 1 },
      thinking: 0,
      terms: { tier: 'priority', speed: null, geo: 'us' },
    };
    const left = {
      ...LOST,
      outcome: 'client_left',
      uncertainReason: 'client_left',
      usageSource: 'counted',
      usage,
    } as const;
    const store = await filled(open, [
      entryOf('a', { ...LOST, usage }),
      entryOf('b', { ...left, cost: 700, provenance: { from: 'price', versions: ['v1'] } }),
      entryOf('c', { ...left, cost: null, provenance: { from: 'price', versions: ['v1'] } }),
    ]);
    const effective = async () =>
      (await read(store))
        .filter(({ terms }) => isPartialUse(terms))
        .map(({ model, callModel, terms, amounts, calls, cost }) => [
          [model, callModel, terms.certainty, terms.provenance && formatProvenance(terms.provenance)],
          amounts,
          [calls, cost],
        ]);
    const own = { input: 90, cacheRead: 10, output: 1, webSearch: 1 };
    const of = (certainty: string, version: string | null) => [
      [['claude-x', null, certainty, version], own, [0, 0n]],
      [['inner', 'claude-x', certainty, version], { outputAudio: 2 }, [0, 0n]],
    ];
    const all = [...of('noted', null), ...of('estimated', 'v1'), ...of('estimated', null)];
    expect(await effective()).toEqual(expect.arrayContaining(all));
    expect(await effective()).toHaveLength(all.length);
    const resolved = { inputTokens: 7, outputTokens: 9 };
    await store.entries.adjust([adjustment({ costBefore: null, resolved })]);
    await store.entries.adjust([adjustment({ adjustmentId: 'adj_2', callId: 'b', costBefore: 700, resolved })]);
    const rest = of('estimated', null);
    expect(await effective()).toEqual(expect.arrayContaining(rest));
    expect(await effective()).toHaveLength(rest.length);
    await store.close();
  });

  test('a corrected cost counts under the price that corrected it', async () => {
    const store = await filled(open, [entryOf('a'), entryOf('b')]);
    await store.entries.adjust([adjustment({})]);
    const rows = await read(store);
    expect(rows).toHaveLength(2);
    expect(
      rows.map(({ terms, calls, cost }) => [terms.provenance && formatProvenance(terms.provenance), calls, cost]),
    ).toEqual(
      expect.arrayContaining([
        ['v1', 1, 1_000n],
        ['v2', 1, 1_500n],
      ]),
    );
  });

  test('effective usage of calls that ran at midnight is separate too, and remains', async () => {
    const midnight = FIRST_DAY + DAY_MS;
    const at = (callId: string, endedAt: number, more: Partial<Entry> = {}): Entry =>
      entryOf(callId, { startedAt: midnight - 10, endedAt, ...more });
    const entries = [at('a', midnight, LOST), at('b', midnight + 5), at('c', midnight - 1)];
    const store = await filled(open, entries);
    const late = async () => (await store.reports.lateUses(WORKSPACE, WHOLE)).filter(({ calls }) => calls > 0);
    expect((await late()).map(({ day, terms, calls }) => [day, terms.certainty, calls])).toEqual(
      expect.arrayContaining([
        [FIRST_DAY, 'at_most', 1],
        [FIRST_DAY, 'used', 1],
      ]),
    );
    await store.entries.adjust([adjustment({ costBefore: null, resolved: { inputTokens: 7, outputTokens: 9 } })]);
    await store.entries.prune(WORKSPACE, WHOLE.end, 100);
    const rows = await late();
    expect(rows.every(({ terms }) => terms.certainty === 'used')).toBe(true);
    expect(rows.reduce((sum, { cost }) => sum + cost, 0n)).toBe(2_500n);
    expect((await read(store)).reduce((sum, { calls }) => sum + calls, 0)).toBe(3);
    expect(await store.reports.lateUses('ws_other', WHOLE)).toEqual([]);
  });

  test('key usage has whole days, of one workspace, and remains when its entries are deleted', async () => {
    const entries = [0, 23, 24].map((hour) => entryOf(`call_${hour}`, { startedAt: FIRST_DAY + hour * 3_600_000 }));
    const store = await filled(open, [...entries, entryOf('other', { workspaceId: 'ws_other' })]);
    await store.entries.prune(WORKSPACE, WHOLE.end, 100);
    const days = async (start: number, end: number) =>
      (await store.reports.keyUses(WORKSPACE, { start, end })).map(({ day, calls }) => [
        (day - FIRST_DAY) / DAY_MS,
        calls,
      ]);
    expect((await days(FIRST_DAY - 20 * DAY_MS, WHOLE.end)).toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
      [0, 2],
      [1, 1],
    ]);
    expect(await days(FIRST_DAY + 1, FIRST_DAY + DAY_MS)).toEqual([]);
    await store.close();
  });
}

function countIn(counts: Readonly<Record<string, number | undefined>>, name: string): number {
  return counts[name] ?? 0;
}
