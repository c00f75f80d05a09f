import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger } from '../../test/test-ledger.ts';
import type { TestLedger } from '../../test/test-ledger.ts';
import { ownFolder } from '../ledger/data-folder.ts';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { controlSocketPath } from '../lib/fs/socket-path.ts';
import { connect } from './client.ts';

let it: TestLedger;
let config: Config;
const clock = (): number => 0;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  await it.ledger.close();
  config = readConfig(it.env);
});
afterEach(() => it.close());

test('a command waits for a moment until the folder is free', async () => {
  const lock = ownFolder(config.dataDir, () => 0);
  let waits = 0;
  const client = await connect({
    config,
    clock,
    wait: async () => {
      waits += 1;
      if (waits === 2) lock.release();
    },
  });
  expect(await client.call('GET /api/manage/keys')).toEqual([]);
  await client.close();
  expect(waits).toBe(2);
});

test('a command gives up if the folder stays in use, and names its user', async () => {
  const lock = ownFolder(config.dataDir, () => 0);
  let waits = 0;
  await expect(connect({ config, clock, wait: async () => void (waits += 1) })).rejects.toThrow(
    `in use by process ${process.pid}`,
  );
  lock.release();
  expect(waits).toBe(49);
});

test('a command that only reads creates no folder, and its error names the missing folder', async () => {
  const dataDir = join(it.folder, 'not-there');
  const client = await connect({ config: { ...config, dataDir }, clock });
  await expect(client.call('GET /api/manage/keys')).rejects.toThrow(`No data folder at ${dataDir}`);
  expect(existsSync(dataDir)).toBe(false);
  await client.call('POST /api/manage/workspaces', { body: { name: 'first' } });
  expect(await client.call('GET /api/manage/workspaces')).toHaveLength(2);
  await client.close();
});

test('a service that accepts connections without answering is not waited for', async () => {
  const silent = createServer(() => {});
  silent.listen(controlSocketPath(config.dataDir));
  await once(silent, 'listening');
  const connecting = connect({ config, clock, answerMsMax: 50 });
  await expect(connecting).rejects.toThrow(/does not answer .*no answer in time.*end its process/);
  silent.closeAllConnections();
  silent.close();
});
