import { expect, test } from 'vitest';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { newLimit, openTemporaryRecords, TEST_NOW, TEST_SECRET } from '../../test/support/temporary-records.ts';
import type { Limit } from '../domain/limits/limit.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { openRecords, type Records } from '../storage/records/records.ts';
import { LimitService } from './limit-service.ts';

const TODAY = Math.floor(TEST_NOW / DAY_MS) * DAY_MS;

/** Nodes on one database. Each has calls of before a limit that are not in the ledger yet. */
async function openNodes() {
  const { db, dataDir } = await openTemporaryRecords();
  const store = openMemoryStore();
  const open = async (node: string): Promise<{ records: Records; service: LimitService }> => {
    const options = { db, dataDir, secret: TEST_SECRET, place: node, nodeId: node, clock: () => TEST_NOW };
    const records = await openRecords(options);
    await records.nodes.start({ id: node, name: node, version: '1.0.0' }, TEST_NOW);
    const parts = { ...store, records, providers: new Map(), clock: () => TEST_NOW, pricedAs: () => () => null };
    return { records, service: new LimitService({ ...parts, sendToGateway: () => {} }) };
  };
  const ship = async (node: string, mark: number, limits: readonly Limit[] = []): Promise<void> => {
    const touched = limits.map(({ counter, unit }) => ({ counter, unit, windowStart: TODAY, value: '' }));
    const entries = [entryOf(`${node} ${mark}`, { startedAt: TODAY, touched })];
    await store.entries.append({ journalId: node, mark, entries });
  };
  return { store, open, ship };
}

const installed = ({ counter }: Limit) =>
  ({ type: 'limit-installed', counter, endSeq: 1, start: TODAY, end: TODAY + DAY_MS }) as const;

test('calls that nodes had before a limit count once, whenever they are shipped', async () => {
  const { store, open, ship } = await openNodes();
  const [east, west] = [await open('east'), await open('west')];
  const limit = await east.records.limits.create(newLimit(), 'owner');
  await ship('east', 1);
  await east.service.installed(installed(limit));
  await ship('east', 2, [limit]);
  const known = async (records: Records): Promise<unknown> =>
    (await records.limits.all()).map((each) => each.countsPast);
  expect([await known(east.records), await known(west.records)]).toEqual([[true], [false]]);
  await ship('west', 1);
  await west.service.installed(installed(limit));
  await ship('west', 2, [limit]);
  expect(await known(west.records)).toEqual([true]);
  expect(await store.counters.list(0)).toMatchObject([{ counted: 4_000 }]);
});

test('a node that was down when a limit was created counts its calls when it starts', async () => {
  const { store, open, ship } = await openNodes();
  const [east] = [await open('east'), await open('west')];
  const limit = await east.records.limits.create(newLimit(), 'owner');
  await east.service.installed(installed(limit));
  expect([...(await east.records.limits.pendingBackfills())]).toEqual([limit.counter]);
  const west = await open('west');
  await ship('west', 1);
  expect((await west.service.snapshot()).limits).toMatchObject([{ countsPast: false }]);
  await west.service.installed(installed(limit));
  expect(await store.counters.list(0)).toMatchObject([{ counted: 1_000 }]);
  expect((await east.records.limits.pendingBackfills()).size).toBe(0);
});

test('a node that started after a limit, or had shipped all when it stopped, has nothing to count', async () => {
  const { open } = await openNodes();
  const [east, west] = [await open('east'), await open('west')];
  await west.records.nodes.stop('west', { unshippedCalls: 0, lagMs: 0 }, TEST_NOW);
  const limit = await east.records.limits.create(newLimit(), 'owner');
  await east.service.installed(installed(limit));
  expect((await east.records.limits.pendingBackfills()).size).toBe(0);
  const north = await open('north');
  expect(await north.records.limits.get(limit.workspaceId, limit.id)).toMatchObject({ countsPast: true });
});

test('a limit that is removed or gets new counters is waited for by none', async () => {
  const { open } = await openNodes();
  const { records } = await open('east');
  const limit = await records.limits.create(newLimit(), 'owner');
  const { counter } = await records.limits.update(limit.workspaceId, limit.id, { window: 'month' }, 'owner');
  expect([...(await records.limits.pendingBackfills())]).toEqual([counter]);
  await records.limits.remove(limit.workspaceId, limit.id, 'owner');
  expect((await records.limits.pendingBackfills()).size).toBe(0);
});
