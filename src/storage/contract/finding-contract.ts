import { expect, test } from 'vitest';
import type { LedgerStore } from '../store.ts';
import { entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { filled, type OpenEmpty, WORKSPACE } from '../../../test/support/filled-store.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { EntryFilter } from '../usage-queries.ts';

const SESSION = 'ab'.repeat(32);

async function idsOf(store: LedgerStore, id: string, workspaceId = WORKSPACE): Promise<string[]> {
  return (await store.reports.find(workspaceId, id)).map(({ entry }) => entry.callId);
}

async function pageOf(store: LedgerStore, filter: EntryFilter, cursor: string | null = null, limit = 9) {
  const page = await store.reports.entriesPage(WORKSPACE, { range: WHOLE, filter, cursor, limit });
  return { ids: page.rows.map(({ entry }) => entry.callId), next: page.next };
}

/** Entries by what people know of them. */
export function finding(open: OpenEmpty): void {
  test('an entry is found by its own ID and by the provider’s for request and response, however old', async () => {
    const store = await filled(open, [
      entryOf('call_old', { startedAt: FIRST_DAY, requestId: 'req_old_12345678', responseId: 'msg_1' }),
      entryOf('call_mid', { startedAt: FIRST_DAY + 20 * DAY_MS, requestId: 'req_mid_12345678', responseId: 'msg_2' }),
      entryOf('call_new', { startedAt: FIRST_DAY + 40 * DAY_MS, requestId: null, responseId: 'msg_2' }),
      entryOf('call_1970', { startedAt: 5, requestId: 'req_of_a_wrong_clock' }),
      entryOf('call_9999', { startedAt: Date.UTC(9999, 0), requestId: 'req_of_a_clock_ahead' }),
      entryOf('call_other', { workspaceId: 'ws_other', requestId: 'req_old_12345678' }),
    ]);
    expect(await idsOf(store, 'call_mid')).toEqual(['call_mid']);
    expect(await idsOf(store, 'req_old_12345678')).toEqual(['call_old']);
    expect(await idsOf(store, 'req_of_a_wrong_clock')).toEqual(['call_1970']);
    expect(await idsOf(store, 'req_of_a_clock_ahead')).toEqual(['call_9999']);
    expect(await idsOf(store, 'msg_2')).toEqual(['call_new', 'call_mid']);
    expect(await idsOf(store, 'msg_2', 'ws_other')).toEqual([]);
    expect(await idsOf(store, 'call_old', 'ws_other')).toEqual([]);
    for (const wrong of ['', '12345678', 'req_xxx_12345678', "' OR 1=1", 'ws_default'])
      expect(await idsOf(store, wrong)).toEqual([]);
  });

  test('of many entries with one ID of the provider the newest twenty are found', async () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      entryOf(`call_${index}`, { startedAt: FIRST_DAY + index * HOUR_MS, requestId: 'req_again' }),
    );
    const found = await idsOf(await filled(open, many), 'req_again');
    expect([found.length, found[0], found[19]]).toEqual([20, 'call_29', 'call_10']);
  });

  test('the entries of a session are listed by page, newest first, without others', async () => {
    const store = await filled(
      open,
      Array.from({ length: 12 }, (_, index) =>
        entryOf(`call_${index}`, {
          startedAt: FIRST_DAY + index * HOUR_MS,
          sessionHash: [SESSION, `${SESSION.slice(0, 60)}0000`, null][index % 3] ?? null,
        }),
      ),
    );
    const first = await pageOf(store, { session: SESSION }, null, 3);
    expect(first.ids).toEqual(['call_9', 'call_6', 'call_3']);
    expect(await pageOf(store, { session: SESSION }, first.next, 3)).toEqual({ ids: ['call_0'], next: null });
    expect((await pageOf(store, { session: 'cd'.repeat(32) })).ids).toEqual([]);
  });

  test('entries are found by outcome and by effective cost, corrections included', async () => {
    const store = await filled(open, [
      entryOf('cheap', { cost: 999 }),
      entryOf('dear', { cost: 1_000, outcome: 'failed' }),
      entryOf('unknown', { cost: null, uncertainReason: 'no_price' }),
      entryOf('corrected', { cost: 5 }),
    ]);
    await store.entries.adjust(
      [
        {
          adjustmentId: 'adj_1',
          callId: 'corrected',
          workspaceId: WORKSPACE,
          recordedAt: FIRST_DAY + DAY_MS,
          costBefore: 5,
          costAfter: 2_000,
          provenance: { from: 'price', versions: ['v2'] },
          reason: 'price corrected',
        },
      ],
      'owner',
    );
    expect((await pageOf(store, { costMin: 1_000 })).ids.toSorted()).toEqual(['corrected', 'dear']);
    expect((await pageOf(store, { costMin: 0 })).ids.toSorted()).toEqual(['cheap', 'corrected', 'dear']);
    expect((await pageOf(store, { outcome: 'failed' })).ids).toEqual(['dear']);
    expect((await pageOf(store, { outcome: 'broken' })).ids).toEqual([]);
  });

  test('the cost of each model of each provider is separate, for an unknown model too', async () => {
    const store = await filled(open, [
      entryOf('a', { provider: 'anthropic', model: 'one', cost: 3 }),
      entryOf('b', { provider: 'anthropic', model: 'one', cost: 4, startedAt: FIRST_DAY + DAY_MS }),
      entryOf('c', { provider: 'mine', model: 'one', cost: null, uncertainReason: 'no_price' }),
      entryOf('d', { provider: 'mine', model: null, requestedModel: null, cost: 9 }),
    ]);
    const rows = await store.reports.models(WORKSPACE, WHOLE);
    const shown = rows.map(({ provider, model, totals }) => [provider, model, totals.cost, totals.unpricedCalls]);
    expect(shown.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual(
      [
        ['anthropic', 'one', 7n, 0],
        ['mine', 'one', 0n, 1],
        ['mine', null, 9n, 0],
      ].toSorted((a, b) => String(a).localeCompare(String(b))),
    );
    expect(await store.reports.models('ws_nobody', WHOLE)).toEqual([]);
  });

  test('the first and the newest call of a key are known to the millisecond', async () => {
    const at = (day: number, ms: number): number => FIRST_DAY + day * DAY_MS + ms;
    const store = await filled(open, [
      entryOf('before', { keyId: 'key_1', startedAt: at(0, 5) }),
      entryOf('first', { keyId: 'key_1', startedAt: at(2, HOUR_MS + 7) }),
      entryOf('between', { keyId: 'key_1', startedAt: at(3, 0) }),
      entryOf('last', { keyId: 'key_1', startedAt: at(3, 5 * HOUR_MS + 11) }),
      entryOf('other', { keyId: 'key_2', startedAt: at(3, 6 * HOUR_MS) }),
      entryOf('refused', { keyId: 'key_3', outcome: 'not_sent' }),
    ]);
    const seen = (key: string, since: number) => store.reports.keySeen(WORKSPACE, key, since);
    expect(await seen('key_1', at(1, 0))).toEqual({ firstAt: at(2, HOUR_MS + 7), lastAt: at(3, 5 * HOUR_MS + 11) });
    expect(await seen('key_1', at(0, 0))).toMatchObject({ firstAt: at(0, 5) });
    expect(await seen('key_1', at(4, 0))).toBeNull();
    expect(await seen('key_3', 0)).toBeNull();
    expect(await seen('key_9', 0)).toBeNull();
    expect(await store.reports.keySeen('ws_other', 'key_1', 0)).toBeNull();
  });
}
