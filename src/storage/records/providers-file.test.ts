import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTemporaryRecords } from '../../../test/support/temporary-records.ts';

const provider = { id: 'my-vllm', name: 'My vLLM', url: 'http://10.0.0.5:8000/v1', priceProvider: null };

test('custom providers live in a private file that people can edit', async () => {
  const { records, dataDir } = await openTemporaryRecords();
  await records.providers.add(provider, 'owner');
  const file = join(dataDir, 'providers.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([provider]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
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
