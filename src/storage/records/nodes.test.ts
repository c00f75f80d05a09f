import { expect, test } from 'vitest';
import { openTemporaryRecords, TEST_NOW } from '../../../test/support/temporary-records.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import { firstStart, shippedUntil } from './nodes.ts';

const IDLE = { unshippedCalls: 0, lagMs: 0 };

test('nodes on one database see each other', async () => {
  const first = await openTemporaryRecords();
  const { nodes: second } = (await openTemporaryRecords(first.dataDir)).records;
  const { nodes } = first.records;
  await nodes.start({ id: 'n2', name: 'west', version: '1.0.0' }, TEST_NOW);
  await second.start({ id: 'n1', name: 'east', version: '1.1.0' }, TEST_NOW + 1);
  expect(await nodes.see('n2', { unshippedCalls: 7, lagMs: 2_000 }, TEST_NOW + 5)).toBe(true);
  await second.stop('n1', IDLE, TEST_NOW + 9);
  const [east, west] = await second.list();
  expect(east).toMatchObject({ id: 'n1', name: 'east', startedAt: TEST_NOW + 1, stoppedAt: TEST_NOW + 9 });
  expect(west).toEqual({
    id: 'n2',
    name: 'west',
    version: '1.0.0',
    startedAt: TEST_NOW,
    seenAt: TEST_NOW + 5,
    stoppedAt: null,
    unshippedCalls: 7,
    lagMs: 2_000,
  });
});

test('a node that starts again keeps its row, with its present name and version', async () => {
  const { nodes } = (await openTemporaryRecords()).records;
  await nodes.start({ id: 'n1', name: 'old', version: '1.0.0' }, TEST_NOW);
  await nodes.stop('n1', IDLE, TEST_NOW + 1);
  await nodes.start({ id: 'n1', name: 'new', version: '1.1.0' }, TEST_NOW + 2);
  expect(await nodes.list()).toMatchObject([
    { id: 'n1', name: 'new', version: '1.1.0', startedAt: TEST_NOW + 2, stoppedAt: null },
  ]);
});

test('a node that was not seen for ninety days is forgotten, and announces itself again', async () => {
  const { nodes } = (await openTemporaryRecords()).records;
  await nodes.start({ id: 'n1', name: 'one', version: '1.0.0' }, TEST_NOW);
  await nodes.start({ id: 'n2', name: 'two', version: '1.0.0' }, TEST_NOW + 90 * DAY_MS);
  expect(await nodes.list()).toHaveLength(2);
  await nodes.start({ id: 'n2', name: 'two', version: '1.0.0' }, TEST_NOW + 90 * DAY_MS + 1);
  expect((await nodes.list()).map(({ id }) => id)).toEqual(['n2']);
  expect(await nodes.see('n1', IDLE, TEST_NOW + 91 * DAY_MS)).toBe(false);
});

test('the first start is that of the node that has run for longest', async () => {
  const { nodes } = (await openTemporaryRecords()).records;
  await nodes.start({ id: 'n1', name: 'one', version: '1.0.0' }, TEST_NOW);
  await nodes.start({ id: 'n2', name: 'two', version: '1.0.0' }, TEST_NOW + 5);
  expect(firstStart(await nodes.list(), TEST_NOW + 5)).toBe(TEST_NOW);
  await nodes.stop('n1', IDLE, TEST_NOW + 6);
  expect(firstStart(await nodes.list(), TEST_NOW + 5)).toBe(TEST_NOW + 5);
});

test('calls are shipped until the last note of the node that lags most, except for those of nodes that stopped without any', async () => {
  const { nodes } = (await openTemporaryRecords()).records;
  expect(shippedUntil(await nodes.list())).toBe(Infinity);
  await nodes.start({ id: 'n1', name: 'one', version: '1.0.0' }, TEST_NOW);
  await nodes.see('n1', { unshippedCalls: 3, lagMs: 1_000 }, TEST_NOW + 5_000);
  await nodes.start({ id: 'n2', name: 'two', version: '1.0.0' }, TEST_NOW + 4_500);
  expect(shippedUntil(await nodes.list())).toBe(TEST_NOW + 4_000);
  await nodes.stop('n1', { unshippedCalls: 3, lagMs: 1_000 }, TEST_NOW + 5_000);
  expect(shippedUntil(await nodes.list())).toBe(TEST_NOW + 4_000);
  await nodes.stop('n1', IDLE, TEST_NOW + 6_000);
  expect(shippedUntil(await nodes.list())).toBe(TEST_NOW + 4_500);
});
