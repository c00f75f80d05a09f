import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { REFUSAL_REASONS } from '../../domain/limits/refusal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/units.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { RefusedCall } from '../../domain/usage/refused-call.ts';
import { FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { refusedCall } from '../../../test/support/refused-call.ts';
import { openMemoryStore } from '../../../test/support/memory-store/memory-store.ts';
import type { RefusalQuery } from '../refusal-store.ts';
import type { LedgerStore } from '../store.ts';

function refusedSum(callId: string, calls: number, changes: Partial<RefusedCall> = {}): RefusedCall {
  return refusedCall(callId, { isSum: true, calls, model: null, needed: null, left: null, ...changes });
}

async function appendRefused(
  store: LedgerStore,
  refused: readonly RefusedCall[],
  mark = 1,
  journalId = 'journal',
): Promise<void> {
  await store.entries.append({ journalId, mark, entries: [], refused });
}

async function list(store: LedgerStore, filter: RefusalQuery['filter'] = {}, workspaceId = WORKSPACE) {
  const found: RefusedCall[] = [];
  let cursor: string | null = null;
  do {
    const page = await store.refusals.page(workspaceId, { range: WHOLE, filter, cursor, limit: 2 });
    expect(page.rows.length).toBeLessThanOrEqual(2);
    found.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  return found;
}

const ids = async (...asked: Parameters<typeof list>): Promise<string[]> =>
  (await list(...asked)).map(({ callId }) => callId);

const minute = fc.nat(200).map((minutes) => FIRST_DAY + minutes * MINUTE_MS);
const arbitraryRefused: fc.Arbitrary<RefusedCall> = fc
  .record({
    at: minute,
    id: fc.nat(30),
    isSum: fc.boolean(),
    calls: fc.integer({ min: 1, max: 1_000 }),
    workspaceId: fc.constantFrom(WORKSPACE, 'ws_other'),
    keyId: fc.constantFrom('key_a', 'key_b'),
    limitId: fc.constantFrom('lim_1', 'lim_2'),
    reason: fc.constantFrom(...REFUSAL_REASONS),
  })
  .map(({ id, isSum, calls, ...changes }) =>
    isSum ? refusedSum(`call_${id + 10}`, calls, changes) : refusedCall(`call_${id + 10}`, changes),
  );

/** Calls that limits refused. */
export function refusals(open: OpenEmpty): void {
  test('a refused call is read back with all its data, newest first, page by page', async () => {
    const store = await open();
    const context = { session: 's', agent: 'a', parentAgent: 'p', run: 'r', requestClass: 'main' };
    const first = refusedCall('call_1', { tags: { team: 'ünï' }, value: 'ann', sessionHash: 'h', context });
    const later = [2, 3, 4].map((number) => refusedCall(`call_${number}`, { at: FIRST_DAY + Math.min(number, 3) }));
    await appendRefused(store, [first, ...later]);
    expect(await ids(store)).toEqual(['call_4', 'call_3', 'call_2', 'call_1']);
    expect((await list(store)).at(-1)).toEqual(first);
    expect(await store.refusals.find(WORKSPACE, 'call_1')).toEqual(first);
    expect(await store.entries.mark('journal')).toBe(1);
  });

  test('a refused call that is appended twice is stored and counted once', async () => {
    const store = await open();
    const calls = [refusedCall('call_1'), refusedSum('call_3', 7), refusedCall('call_2')];
    for (const mark of [1, 1, 2]) await appendRefused(store, calls, mark);
    expect(await list(store)).toHaveLength(3);
    expect(await store.refusals.counts(WORKSPACE, WHOLE, {})).toEqual([
      { limitId: 'lim_1', keyId: 'key_a', reason: 'exceeds_limit', calls: 9 },
    ]);
  });

  test('a refused call is found by its ID in its own workspace, and a call in a sum is not', async () => {
    const store = await open();
    await appendRefused(store, [refusedCall('call_1'), refusedSum('call_3', 7)]);
    expect((await store.refusals.find(WORKSPACE, 'call_1'))?.callId).toBe('call_1');
    expect(await store.refusals.find(WORKSPACE, 'call_2')).toBeNull();
    expect(await store.refusals.find(WORKSPACE, 'call_3')).toBeNull();
    expect(await store.refusals.find('ws_other', 'call_1')).toBeNull();
    await store.refusals.prune(WORKSPACE, FIRST_DAY + DAY_MS, 10);
    expect(await store.refusals.find(WORKSPACE, 'call_1')).toBeNull();
  });

  test('the parts of a sum of one minute, key, limit and reason are one row', async () => {
    const store = await open();
    await appendRefused(store, [refusedSum('call_1', 10), refusedSum('call_2', 5)]);
    await appendRefused(store, [refusedSum('call_2', 5), refusedSum('call_3', 1)]);
    await appendRefused(store, [
      refusedSum('call_4', 1, { at: FIRST_DAY + MINUTE_MS }),
      refusedSum('call_5', 1, { keyId: 'key_b' }),
    ]);
    expect((await list(store)).map(({ calls }) => calls).toSorted((a, b) => b - a)).toEqual([16, 1, 1]);
  });

  test('the sums of several journals add up, whichever is stored first', async () => {
    const store = await open();
    for (const [id, journalId] of ['later', 'earlier', 'later'].entries())
      await appendRefused(store, [refusedSum(journalId === 'later' ? `call_9${id}` : 'call_1', 10)], 1, journalId);
    await appendRefused(store, [refusedSum('call_1', 10)], 1, 'earlier');
    expect(await store.refusals.counts(WORKSPACE, WHOLE, {})).toMatchObject([{ calls: 30 }]);
    expect((await list(store)).map(({ calls }) => calls).toSorted((a, b) => b - a)).toEqual([20, 10]);
  });

  test('refused calls are found by limit, key, reason and session, and never those of another workspace', async () => {
    const store = await open();
    await appendRefused(store, [
      refusedCall('call_1'),
      refusedCall('call_2', { limitId: 'lim_2', keyId: 'key_b' }),
      refusedCall('call_3', { reason: 'spent', context: { ...NO_CONTEXT, session: 's' } }),
      refusedCall('call_4', { workspaceId: 'ws_other', context: { ...NO_CONTEXT, session: 's' } }),
    ]);
    expect(await ids(store, { limitId: 'lim_2' })).toEqual(['call_2']);
    expect(await ids(store, { keyId: 'key_a', reason: 'exceeds_limit' })).toEqual(['call_1']);
    expect(await ids(store, { session: 's' })).toEqual(['call_3']);
    expect(await ids(store, { limitId: 'lim_9' })).toEqual([]);
    expect(await ids(store, {}, 'ws_other')).toEqual(['call_4']);
    expect(await ids(store, {}, 'ws_nobody')).toEqual([]);
    expect(await store.refusals.counts('ws_other', WHOLE, {})).toMatchObject([{ calls: 1 }]);
    expect(await store.refusals.counts(WORKSPACE, WHOLE, { reason: 'spent' })).toMatchObject([{ calls: 1 }]);
  });

  test('a name with half a character is stored, and blocks nothing', async () => {
    const store = await open();
    await appendRefused(store, [refusedCall('call_1', { model: 'm\ud800', value: '\udc00' })]);
    expect(await list(store)).toMatchObject([{ model: 'm\ufffd', value: '\ufffd' }]);
  });

  test('refused calls are found by session, agent and run together, and sums by none of them', async () => {
    const store = await open();
    const context = { ...NO_CONTEXT, session: 's', agent: 'a', run: 'r' };
    await appendRefused(store, [
      refusedCall('call_1', { context }),
      refusedCall('call_2', { context: { ...context, session: 'other' } }),
      refusedCall('call_3', { context: { ...context, agent: null, run: 'other' } }),
      refusedSum('call_4', 9),
    ]);
    expect(await ids(store, { agent: 'a' })).toEqual(['call_2', 'call_1']);
    expect(await ids(store, { run: 'other' })).toEqual(['call_3']);
    expect(await ids(store, { session: 's', agent: 'a', run: 'r' })).toEqual(['call_1']);
    expect(await ids(store, { session: 'none', run: 'r' })).toEqual([]);
  });

  test('retention deletes records and keeps the counts of whole hours', async () => {
    const store = await open();
    const at = (hours: number): number => FIRST_DAY + hours * HOUR_MS;
    await appendRefused(
      store,
      [1, 2, 3, 4].map((hours) => refusedCall(`call_${hours}`, { at: at(hours) })),
    );
    expect(await store.refusals.prune(WORKSPACE, at(4), 2)).toBe(2);
    expect(await store.refusals.prune(WORKSPACE, at(4), 2)).toBe(1);
    expect(await store.refusals.prune('ws_other', at(4), 2)).toBe(0);
    expect(await ids(store)).toEqual(['call_4']);
    const day = { start: FIRST_DAY, end: FIRST_DAY + DAY_MS };
    expect(await store.refusals.counts(WORKSPACE, day, {})).toMatchObject([{ calls: 4 }]);
  });

  test('gives the results of the simplest store, after any appends, counts and pruning', async () => {
    const batch = fc.array(arbitraryRefused, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 4 }), minute, minute, async (batches, one, other) => {
        const stores = [await open(), openMemoryStore()];
        const range = { start: Math.min(one, other), end: Math.max(one, other) + 1 };
        const [subject, oracle] = await Promise.all(
          stores.map(async (store) => {
            for (const [index, refused] of batches.entries())
              await appendRefused(store, refused, index + 1, index % 3 === 1 ? 'another' : 'journal');
            const listed = await list(store);
            const counts = await store.refusals.counts(WORKSPACE, range, {});
            await store.refusals.prune(WORKSPACE, one, 5);
            return { listed, counts, left: await list(store), late: await store.refusals.counts(WORKSPACE, WHOLE, {}) };
          }),
        );
        expect(subject).toEqual(oracle);
      }),
      propertyRuns(40),
    );
  });
}
