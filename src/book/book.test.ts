import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openBook } from './book.ts';
import type { ToGate } from './messages.ts';

test.each(['postgres://me:hush@db/book', 'sqlite:/var/lib/book.db', 'book.db'])(
  'a book at %s is not opened, and no other one in its place',
  async (address) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-address-'));
    const config = readConfig({ SVC_DATA_DIR: folder, SVC_DATABASE_URL: address });
    const opened = openBook({ config, clock: systemClock, log: silentLog });
    await expect(opened).rejects.toMatchObject({ message: expect.stringMatching(/leave SVC_DATABASE_URL out/) });
    await expect(opened).rejects.not.toMatchObject({ message: expect.stringMatching(/hush/) });
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  },
);

test('prices from the operator’s address are fetched at each start, not hours later', async () => {
  const row = { models: ['gpt-4o'], usdPerMillion: { input: '7', output: '9' }, source: 'test' };
  const list = createServer((_, answer) => void answer.end(JSON.stringify([{ provider: 'openai', prices: [row] }])));
  await once(list.listen(0, '127.0.0.1'), 'listening');
  const { port } = list.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-prices-'));
  const config = readConfig({ SVC_DATA_DIR: folder, SVC_PRICES_URL: `http://127.0.0.1:${port}` });
  const told = Promise.withResolvers<ToGate>();
  const book = await openBook({ config, clock: systemClock, log: silentLog, toGate: told.resolve });
  book.startJobs();
  expect(await told.promise).toMatchObject({ type: 'refreshed-prices' });
  expect(book.prices.resolve('ws_default', 'openai', 'gpt-4o', Date.now())?.version).toMatch(/^refreshed/);
  await book.close();
  list.close();
  rmSync(folder, { recursive: true });
});
