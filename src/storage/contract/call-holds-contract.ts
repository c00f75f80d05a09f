import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { arbitraryEntry, arbitraryRange, entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { filled, type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { LimitScope } from '../../domain/limits/limit.ts';
import type { CallHoldsQuery } from '../usage-queries.ts';

const QUERY: CallHoldsQuery = {
  range: WHOLE,
  scope: { kind: 'workspace' },
  pricedAs: () => null,
  entriesMax: 10_000,
};

const SCOPES: readonly LimitScope[] = [
  { kind: 'workspace' },
  { kind: 'key', keyId: 'key_1' },
  { kind: 'provider', provider: 'anthropic' },
  { kind: 'model', pattern: 'claude-*' },
  { kind: 'tag', key: 'team', value: 'a' },
  { kind: 'each_tag', key: 'team' },
  { kind: 'each', of: 'session', keyId: null },
  { kind: 'each', of: 'agent', keyId: 'key_1' },
];

/** Calls of a scope with what they held. */
export function callHolds(open: OpenEmpty): void {
  test('calls of a scope have their holds, in order of start; calls that were not sent have none', async () => {
    const hold = { usd: 900, inputTokens: 10, outputTokens: 20 };
    const context = { ...NO_CONTEXT, session: 's', agent: 'x', parentAgent: 'p' };
    const store = await filled(open, [
      entryOf('late', { startedAt: FIRST_DAY + 5, tags: {}, hold, context }),
      entryOf('early', { startedAt: FIRST_DAY, tags: { team: 'a' }, hold: { ...hold, usd: null } }),
      entryOf('unsent', { outcome: 'not_sent' }),
      entryOf('synced', { source: 'codex' }),
    ]);
    const ask = async (scope: LimitScope) => (await store.reports.callHolds(WORKSPACE, { ...QUERY, scope })).calls;
    expect(await ask({ kind: 'workspace' })).toMatchObject([
      { startedAt: FIRST_DAY, hold: { usd: null }, values: [''] },
      { startedAt: FIRST_DAY + 5, hold, values: [''] },
    ]);
    expect((await ask({ kind: 'each_tag', key: 'team' })).map(({ values }) => values)).toEqual([['a'], ['(none)']]);
    const agents = await ask({ kind: 'each', of: 'agent', keyId: null });
    expect(agents.map(({ values }) => values)).toEqual([['(none)'], ['s/x', 's/p']]);
    expect(await ask({ kind: 'key', keyId: 'unknown' })).toEqual([]);
  });

  test('a corrected call counts its corrected cost', async () => {
    const store = await filled(open, [entryOf('a', { cost: 5, counted: { usd: 5, inputTokens: 1, outputTokens: 1 } })]);
    const provenance = { from: 'price', versions: ['v2'] } as const;
    const before = { callId: 'a', workspaceId: WORKSPACE, recordedAt: FIRST_DAY, costBefore: 5, costAfter: 8 };
    await store.entries.adjust([{ ...before, adjustmentId: 'adj', provenance, reason: 'price corrected' }]);
    expect((await store.reports.callHolds(WORKSPACE, QUERY)).calls).toMatchObject([{ counted: { usd: 8 } }]);
  });

  test('of too many entries, the newest whole milliseconds are read', async () => {
    const starts = [0, 1, 1, 1, 2, 3];
    const entries = starts.map((at, index) => entryOf(`call${index}`, { startedAt: FIRST_DAY + at }));
    const store = await filled(open, entries);
    const ask = async (entriesMax: number) => {
      const { calls, from } = await store.reports.callHolds(WORKSPACE, { ...QUERY, entriesMax });
      return [calls.map(({ startedAt }) => startedAt - FIRST_DAY), from - FIRST_DAY];
    };
    expect(await ask(6)).toEqual([starts, 0]);
    expect(await ask(5)).toEqual([[1, 1, 1, 2, 3], 1]);
    expect(await ask(4)).toEqual([[2, 3], 2]);
    expect(await ask(1)).toEqual([[3], 3]);
  });

  test('each scope has the calls that match it, for random calls', async () => {
    const entries = fc.array(arbitraryEntry, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(entries, arbitraryRange, fc.constantFrom(...SCOPES), async (list, range, scope) => {
        const unique = [...new Map(list.map((entry) => [entry.callId, entry])).values()];
        const store = await filled(open, unique);
        const { calls } = await store.reports.callHolds(WORKSPACE, { ...QUERY, range, scope });
        const own = unique.filter(
          ({ workspaceId, source, outcome, startedAt }) =>
            workspaceId === WORKSPACE &&
            source === 'proxy' &&
            outcome !== 'not_sent' &&
            startedAt >= range.start &&
            startedAt < range.end,
        );
        const matching = own.filter(({ keyId, provider, requestedModel, tags }) => {
          if (scope.kind === 'key') return keyId === scope.keyId;
          if (scope.kind === 'provider') return provider === scope.provider;
          if (scope.kind === 'tag') return Object.hasOwn(tags, scope.key) && tags[scope.key] === scope.value;
          if (scope.kind === 'model') return requestedModel?.startsWith('claude-') ?? false;
          return scope.kind !== 'each' || scope.keyId === null || keyId === scope.keyId;
        });
        const shown = (call: { startedAt: number; hold: unknown }) => JSON.stringify([call.startedAt, call.hold]);
        expect(calls.map(shown).toSorted()).toEqual(matching.map(shown).toSorted());
        await store.close();
      }),
      propertyRuns(60),
    );
  });
}
