import { expect, test } from 'vitest';
import type { Alert } from '../domain/alerts/alert.ts';
import { entryOf, FIRST_DAY, WHOLE } from '../../test/support/arbitrary-entry.ts';
import { emptySqliteStore } from '../../test/support/empty-database.ts';
import { WORKSPACE } from '../../test/support/filled-store.ts';
import { refusedCall } from '../../test/support/refused-call.ts';
import { appendStorable } from './append-storable.ts';

function appending() {
  const store = emptySqliteStore();
  const alerts: Alert[] = [];
  const raise = async (alert: Alert) => void alerts.push(alert);
  const page = { range: WHOLE, filter: {}, cursor: null, limit: 10 };
  return {
    store,
    alerts,
    append: (batch: Parameters<typeof appendStorable>[0]) => appendStorable(batch, store.entries, raise),
    listRefused: async () => (await store.refusals.page(WORKSPACE, page)).rows,
  };
}

test('an entry with a value that the store cannot take is recorded without its usage and blocks no other', async () => {
  const { store, alerts, append } = appending();
  const hold = { usd: 1e300, inputTokens: 1, outputTokens: 1 };
  const entries = [entryOf('a'), entryOf('b', { hold, counted: hold }), entryOf('c')];
  expect((await append({ journalId: 'j', mark: 3, entries })).inserted).toBeLessThanOrEqual(3);
  expect(await store.entries.mark('j')).toBe(3);
  const found = await Promise.all(['a', 'b', 'c'].map((id) => store.reports.entry(WORKSPACE, id)));
  expect(found.map((recorded) => recorded?.entry.uncertainReason)).toEqual([null, 'unreadable', null]);
  expect(found[1]?.entry).toMatchObject({ cost: null, usage: null });
  expect(alerts).toMatchObject([{ type: 'LEDGER_PROBLEM', severity: 'critical', evidence: { callId: 'b' } }]);
});

test('a refused call with a value that the store cannot take is recorded without it and blocks no other', async () => {
  const { store, alerts, append, listRefused } = appending();
  const refused = [
    refusedCall('call_1', { tags: { team: 'search' } }),
    refusedCall('call_2', { needed: 1.5 }),
    refusedCall('call_3', { isSum: true, calls: 7 }),
  ];
  await append({ journalId: 'j', mark: 4, entries: [entryOf('a')], refused });
  expect(await store.entries.mark('j')).toBe(4);
  expect((await store.reports.entry(WORKSPACE, 'a'))?.entry.callId).toBe('a');
  expect(await listRefused()).toEqual([
    refused[2],
    { ...refused[1], model: null, needed: null, left: null },
    refused[0],
  ]);
  expect(await store.refusals.counts(WORKSPACE, WHOLE, {})).toMatchObject([{ calls: 9 }]);
  expect(alerts).toMatchObject([
    {
      type: 'LEDGER_PROBLEM',
      severity: 'critical',
      title: 'A refused call was recorded without its details',
      evidence: { callId: 'call_2' },
    },
  ]);
});

test('a refused call that the store cannot take at all is left out with an alert and blocks no other', async () => {
  const { store, alerts, append, listRefused } = appending();
  const refused = [refusedCall('call_1', { at: FIRST_DAY + 0.5 }), refusedCall('call_2')];
  await append({ journalId: 'j', mark: 3, entries: [entryOf('a')], refused });
  expect(await store.entries.mark('j')).toBe(3);
  expect(await listRefused()).toEqual([refused[1]]);
  expect(alerts).toMatchObject([{ title: 'A refused call was not recorded', evidence: { callId: 'call_1' } }]);
});
