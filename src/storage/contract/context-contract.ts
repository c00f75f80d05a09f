import { expect, test } from 'vitest';
import { entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { filled, type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { type CallContext, NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { Entry } from '../../domain/usage/call.ts';
import type { ContextPart, SeriesFilter } from '../usage-queries.ts';

const HASH = 'cd'.repeat(32);

function createCall(id: string, context: Partial<CallContext>, changes: Partial<Entry> = {}): Entry {
  return entryOf(id, { context: { ...NO_CONTEXT, ...context }, ...changes });
}

/** Sums by the context of calls. */
export function contexts(open: OpenEmpty): void {
  test('an entry keeps its context, whether its session has a name or the hash alone', async () => {
    const entries = [
      createCall('a', { session: 's', agent: 'a', parentAgent: 'p', run: 'r', requestClass: 'main' }),
      createCall('b', { session: 's' }, { sessionHash: HASH }),
      createCall('c', { session: HASH }, { sessionHash: HASH }),
      createCall('d', {}),
    ];
    const store = await filled(open, entries);
    for (const entry of entries) expect((await store.reports.entry(WORKSPACE, entry.callId))?.entry).toEqual(entry);
  });

  test('calls are summed by parts of their context, with first start and last end, corrections included', async () => {
    const later = { startedAt: FIRST_DAY + 50, endedAt: FIRST_DAY + 9_000, cost: 7 };
    const store = await filled(open, [
      createCall('a', { session: 's', agent: 'x' }, { cost: 5 }),
      createCall('b', { session: 's', agent: 'x', run: 'r' }, later),
      createCall('c', { session: 's' }, { cost: 1 }),
      createCall('d', { session: 't', agent: 'x' }, { cost: 100 }),
      createCall('e', {}, { cost: 1_000 }),
    ]);
    await store.entries.adjust([
      {
        adjustmentId: 'adj',
        callId: 'a',
        workspaceId: WORKSPACE,
        recordedAt: FIRST_DAY + 99_999,
        costBefore: 5,
        costAfter: 6,
        provenance: { from: 'price', versions: ['v2'] },
        reason: 'price corrected',
      },
    ]);
    const ask = async (by: readonly ContextPart[], filter: SeriesFilter) => {
      const uses = await store.reports.contextUses(WORKSPACE, { range: WHOLE, by, filter });
      return new Map(
        uses.map(({ session, agent, firstAt, lastAt, totals: { calls, cost } }) => [
          `${session} ${agent}`,
          [calls, Number(cost), firstAt - FIRST_DAY, lastAt - FIRST_DAY],
        ]),
      );
    };
    expect(await ask(['session', 'agent'], { session: 's' })).toEqual(
      new Map([
        ['s x', [2, 13, 0, 9_000]],
        ['s null', [1, 1, 0, 900]],
      ]),
    );
    expect(await ask(['session'], {})).toEqual(
      new Map([
        ['s null', [3, 14, 0, 9_000]],
        ['t null', [1, 100, 0, 900]],
        ['null null', [1, 1_000, 0, 900]],
      ]),
    );
    expect(await ask(['agent'], { run: 'r' })).toEqual(new Map([['null x', [1, 7, 50, 9_000]]]));
  });

  test('sessions are found by the beginning of their names', async () => {
    const names = ['night', 'nightly-build-1', 'nightly-build-2', 'nightly-tests-1', HASH, 'üü', 'nightly%'];
    // Two calls each.
    const calls = [...names, ...names].map((session, index) => createCall(`call_${index}`, { session }));
    const hashed = createCall('hashed', {}, { sessionHash: 'ef'.repeat(32) });
    const store = await filled(open, [...calls, hashed]);
    const find = async (prefix: string, limit = 9, workspace = WORKSPACE) =>
      (await store.reports.sessionsBeginning(workspace, prefix, limit)).toSorted();
    expect(await find('nightly-b')).toEqual(['nightly-build-1', 'nightly-build-2']);
    expect(await find('nightly-build-2')).toEqual(['nightly-build-2']);
    expect(await find('ni')).toHaveLength(5);
    expect(await find('ni', 2)).toHaveLength(2);
    expect(await find('cdcdcdcdcd')).toEqual([HASH]);
    expect(await find('ü')).toEqual(['üü']);
    expect(await find('nightly%')).toEqual(['nightly%']);
    expect(await find('no')).toEqual([]);
    expect(await find('ni', 9, 'ws_none')).toEqual([]);
  });

  test('a session has only its own calls, for any similar names', async () => {
    const names = ['12345678-1-12345678', '12345678-2-12345678', '12345678', HASH, HASH.toUpperCase(), '', 'x'];
    const store = await filled(
      open,
      names.map((session, index) => createCall(`call_${index}`, { session })),
    );
    for (const [index, session] of names.entries()) {
      const page = await store.reports.entriesPage(WORKSPACE, {
        range: WHOLE,
        filter: { session },
        cursor: null,
        limit: 9,
      });
      expect(page.rows.map(({ entry }) => entry.callId)).toEqual([`call_${index}`]);
      const [use] = await store.reports.contextUses(WORKSPACE, { range: WHOLE, by: [], filter: { session } });
      expect(use?.totals.calls).toBe(1);
    }
  });

  test('calls whose assistant session has another name are found by its hash', async () => {
    const store = await filled(open, [
      createCall('named', { session: 's' }, { sessionHash: HASH }),
      createCall('plain', { session: HASH }, { sessionHash: HASH }),
      createCall('other', { session: 's' }),
    ]);
    const query = { range: WHOLE, filter: { renamedSession: HASH }, cursor: null, limit: 9 };
    const page = await store.reports.entriesPage(WORKSPACE, query);
    expect(page.rows.map(({ entry }) => entry.callId)).toEqual(['named']);
  });

  test('no session of another workspace is returned', async () => {
    const store = await filled(open, [
      createCall('a', { session: 's' }),
      createCall('b', { session: 's' }, { workspaceId: 'ws_other' }),
    ]);
    const query = { range: WHOLE, by: ['session'], filter: { session: 's' } } as const;
    for (const workspace of [WORKSPACE, 'ws_other'])
      expect((await store.reports.contextUses(workspace, query)).map(({ totals }) => totals.calls)).toEqual([1]);
    expect(await store.reports.contextUses('ws_none', query)).toEqual([]);
  });
}
