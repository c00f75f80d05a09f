import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTemporaryRecords } from '../../../test/support/temporary-records.ts';

const provider = { id: 'my-vllm', name: 'My vLLM', url: 'http://10.0.0.5:8000/v1', priceProvider: null };

test('providers of one’s own live in a private file that people can edit', async () => {
  const { records, dataDir } = await openTemporaryRecords();
  expect(await records.providers.list()).toEqual([]);
  await records.providers.add({ ...provider, url: `${provider.url}/` }, 'owner');
  expect(await records.providers.list()).toEqual([provider]);
  const file = join(dataDir, 'providers.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([provider]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await expect(records.providers.add(provider, 'owner')).rejects.toMatchObject({ type: 'conflict' });
  await records.providers.remove('my-vllm', 'owner');
  await expect(records.providers.remove('my-vllm', 'owner')).rejects.toMatchObject({ type: 'not_found' });
  const rows = await records.audit.list({ workspaceId: null, limit: 10, before: null });
  expect(rows.map((row) => row.action)).toEqual(['provider.remove', 'provider.add']);
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

test.each([
  ['{', 'is not valid JSON'],
  ['{}', 'providers.json'],
  ['[{"id":"a"}]', 'providers.json: "0.name"'],
  [JSON.stringify([provider, provider]), 'occurs twice'],
])('a providers.json of %j says what is wrong', async (text, sentence) => {
  const { records, dataDir } = await openTemporaryRecords();
  writeFileSync(join(dataDir, 'providers.json'), text);
  await expect(records.providers.list()).rejects.toThrow(sentence);
});
