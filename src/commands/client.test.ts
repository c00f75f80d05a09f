import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestBook } from '../../test/test-book.ts';
import type { TestBook } from '../../test/test-book.ts';
import { ownFolder } from '../book/own-folder.ts';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { connect } from './client.ts';

let it: TestBook;
let config: Config;

beforeEach(async () => {
  it = await openTestBook({ SVC_LOG_LEVEL: 'silent' });
  await it.book.close();
  config = readConfig(it.env);
});
afterEach(() => it.close());

test('a command waits for whoever holds the folder for a moment', async () => {
  const lock = ownFolder(config.dataDir, () => 0);
  let waits = 0;
  const client = await connect(config, undefined, async () => {
    waits += 1;
    if (waits === 2) lock.release();
  });
  expect(await client.get('/api/manage/keys')).toEqual([]);
  await client.close();
  expect(waits).toBe(2);
});

test('a command gives up when the folder stays in use, and says by whom', async () => {
  const lock = ownFolder(config.dataDir, () => 0);
  let waits = 0;
  await expect(connect(config, undefined, async () => void (waits += 1))).rejects.toThrow(
    `in use by process ${process.pid}`,
  );
  lock.release();
  expect(waits).toBe(49);
});
