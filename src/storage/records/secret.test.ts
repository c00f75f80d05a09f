import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fill, opensEverything } from '../../../test/support/stored-secrets.ts';
import {
  newKey,
  openTemporaryRecords,
  TEST_NEXT_SECRET,
  TEST_SECRET,
} from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

test('with SVC_SECRET no file is created', async () => {
  const { dataDir } = await openTemporaryRecords();
  expect(existsSync(join(dataDir, 'secret'))).toBe(false);
});

test.each(['another-master-secret-0123456789-0123456789', `${TEST_SECRET} `, 'short'])(
  'the wrong SVC_SECRET %j stops the start with a sentence',
  async (secret) => {
    const { dataDir } = await openTemporaryRecords();
    await expect(openTemporaryRecords(dataDir, secret)).rejects.toThrow('SVC_SECRET does not fit this');
  },
);

test('a rotation of SVC_SECRET needs the new value and leaves the setting to the operator', async () => {
  const first = await openTemporaryRecords();
  const { webhookId } = await fill(first);
  const unprepared = await openTemporaryRecords(first.dataDir, TEST_SECRET, 1, null);
  await expect(unprepared.records.rotateSecret(null, 'owner')).rejects.toMatchObject({ type: 'invalid' });
  await expect(first.records.rotateSecret('  ', 'owner')).rejects.toThrow('empty');
  expect(await first.records.rotateSecret(TEST_NEXT_SECRET, 'owner')).toEqual({
    setByOperator: true,
  });
  await opensEverything(await openTemporaryRecords(first.dataDir, TEST_NEXT_SECRET), webhookId);
  expect(existsSync(join(first.dataDir, 'secret.next'))).toBe(false);
});

test('readers and writers can decrypt every secret during a rotation', async () => {
  const first = await openTemporaryRecords();
  await fill(first);
  const { records } = first;
  await Promise.all([
    records.keys.listForGateway(),
    records.rotateSecret(TEST_NEXT_SECRET, 'owner'),
    records.keys.listForGateway(),
    records.keys.create(newKey('beside'), 'owner'),
    records.keys.listForGateway(),
  ]);
  const second = await openTemporaryRecords(first.dataDir, TEST_NEXT_SECRET);
  expect(await second.records.keys.listForGateway()).toHaveLength(2);
});

test('the second of two concurrent rotations is refused', async () => {
  const first = await openTemporaryRecords();
  const { webhookId } = await fill(first);
  const rotations = [1, 2].map(() => first.records.rotateSecret(TEST_NEXT_SECRET, 'owner'));
  const [one, two] = await Promise.allSettled(rotations);
  expect(one).toMatchObject({ status: 'fulfilled' });
  expect(two).toMatchObject({ status: 'rejected', reason: { type: 'conflict' } });
  await opensEverything(await openTemporaryRecords(first.dataDir, TEST_NEXT_SECRET), webhookId);
});

test('a changed, swapped or foreign ciphertext is refused with a sentence', async () => {
  const { records, db } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('one'), 'owner');
  const { key: other } = await records.keys.create(newKey('two'), 'owner');
  const sealedOf = async (id: string): Promise<string> =>
    (await db.selectFrom('provider_keys').select('sealed').where('id', '=', id).executeTakeFirstOrThrow()).sealed ?? '';
  const own = await sealedOf(key.providerKey.id);
  const flipped = own.slice(0, -2) + (own.at(-2) === 'A' ? 'B' : 'A') + own.slice(-1);
  for (const sealed of [flipped, await sealedOf(other.providerKey.id), 'v1.AAAA', '']) {
    await db.updateTable('provider_keys').set({ sealed }).where('id', '=', key.providerKey.id).execute();
    await expect(records.keys.providerKey(DEFAULT_WORKSPACE, key.id)).rejects.toThrow("can't be opened");
    const opened = (await records.keys.listForGateway()).map(({ name, providerKey }) => [name, providerKey !== '']);
    expect(Object.fromEntries(opened)).toEqual({ one: false, two: true });
  }
});
