import { expect, test } from 'vitest';
import { ENGINE, openTemporaryRecords } from '../../../test/support/temporary-records.ts';

const provider = { id: 'my-vllm', name: 'My vLLM', url: 'http://10.0.0.5:8000/v1', priceProvider: null };

test('custom providers outlive the process, and each change is in the audit log', async () => {
  const { records, dataDir } = await openTemporaryRecords();
  expect(await records.providers.list()).toEqual([]);
  await records.providers.add({ ...provider, url: `${provider.url}/` }, 'owner');
  const { records: reopened } = await openTemporaryRecords(dataDir);
  expect(await reopened.providers.list()).toEqual([provider]);
  await expect(reopened.providers.add(provider, 'owner')).rejects.toMatchObject({ type: 'conflict' });
  await reopened.providers.replace({ ...provider, name: 'Other' }, 'owner');
  expect(await records.providers.list()).toEqual([{ ...provider, name: 'Other' }]);
  await reopened.providers.remove('my-vllm', 'owner');
  await expect(records.providers.remove('my-vllm', 'owner')).rejects.toMatchObject({ type: 'not_found' });
  await expect(records.providers.replace(provider, 'owner')).rejects.toMatchObject({ type: 'not_found' });
  const rows = await records.audit.list({ workspaceId: null, limit: 10, before: null });
  expect(rows.map((row) => row.action)).toEqual(['provider.remove', 'provider.change', 'provider.add']);
});

test('providers that are added concurrently are all kept', async () => {
  const { records, dataDir } = await openTemporaryRecords();
  // A file has one process.
  const others = ENGINE === 'postgres' ? (await openTemporaryRecords(dataDir)).records : records;
  const ids = Array.from({ length: 10 }, (_, at) => `own-${at}`);
  await Promise.all(ids.map((id, at) => (at % 2 ? records : others).providers.add({ ...provider, id }, 'owner')));
  expect((await records.providers.list()).map(({ id }) => id).toSorted()).toEqual(ids);
});

test.each([
  [{ id: 'A b' }, 'id'],
  [{ id: '../x' }, 'id'],
  [{ name: '' }, 'name'],
  [{ url: 'ftp://x' }, 'url'],
  [{ url: 'https://user:pw@x.test' }, 'url'],
  [{ url: 'https://x.test/v1?key=1' }, 'url'],
])('a provider with %j is refused by the field’s name', async (wrong, param) => {
  const { records } = await openTemporaryRecords();
  await expect(records.providers.add({ ...provider, ...wrong }, 'owner')).rejects.toMatchObject({
    type: 'invalid',
    param,
  });
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 0 });
});
