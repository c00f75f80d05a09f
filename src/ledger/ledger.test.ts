import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { newKey } from '../../test/support/temporary-records.ts';
import { openTestLedger } from '../../test/test-ledger.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog, silentLog } from '../lib/log.ts';
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts';
import type { MessageToGateway } from '../ipc/messages.ts';

test.each([
  ['postgres://me:hush@db.invalid/book', /PostgreSQL can't be reached/],
  ['sqlite:/var/lib/ledger.db', /Without SVC_DATABASE_URL/],
  ['ledger.db', /Without SVC_DATABASE_URL/],
])('if no ledger can be opened at %s, none is opened instead', async (address, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-address-'));
  const config = readConfig({ SVC_DATA_DIR: folder, SVC_DATABASE_URL: address });
  const opened = openLedger({ config, clock: systemClock, log: silentLog });
  await expect(opened).rejects.toMatchObject({ message: expect.stringMatching(message) });
  await expect(opened).rejects.not.toMatchObject({ message: expect.stringMatching(/hush/) });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function optionsOf(folder: string, address: string | null): LedgerOptions {
  const config = readConfig({ SVC_DATA_DIR: folder, ...(address && { SVC_PRICES_URL: address }) });
  return { config, clock: systemClock, log: silentLog };
}

function versionIn(testLedger: Ledger): string | undefined {
  return testLedger.prices.resolve('ws_default', 'openai', 'gpt-4o', Date.now())?.version;
}

/** A run that fetched a list from an address that is gone afterwards. */
async function fetchOnce() {
  const row = { models: ['gpt-4o'], usdPerMillion: { input: '7', output: '9' }, source: 'test' };
  const list = createServer((_, answer) => void answer.end(JSON.stringify([{ provider: 'openai', prices: [row] }])));
  await once(list.listen(0, '127.0.0.1'), 'listening');
  const { port } = list.address() as AddressInfo;
  const folder = newFolder();
  const address = `http://127.0.0.1:${port}`;
  const sent: MessageToGateway[] = [];
  const testLedger = await openLedger({
    ...optionsOf(folder, address),
    sendToGateway(message) {
      sent.push(message);
      // A change of prices waits until limits count by them.
      if (message.type === 'ask-applied')
        queueMicrotask(() => testLedger.limits.answered({ type: 'answer-applied', question: message.question }));
    },
  });
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const request = new Request(`http://tollbook/api/manage/prices/${path}`, init);
    return (await testLedger.fetch(request, { caller: 'owner' })).json();
  };
  const { id } = (await post('refresh', {})) as { id: string };
  const versionBefore = versionIn(testLedger);
  await post('update', { id, acceptLarge: true });
  expect(sent).toContainEqual(expect.objectContaining({ type: 'price-lists-refreshed' }));
  expect(versionIn(testLedger)).toMatch(/^refreshed/);
  await testLedger.close();
  list.close();
  return { folder, address, versionBefore };
}

test('fetched prices apply only after a person applied them', async () => {
  expect(await fetchOnce()).toMatchObject({ versionBefore: expect.not.stringMatching(/^refreshed/) });
});

test('without a network, ledger and gateway start with the prices fetched last', async () => {
  const { folder, address } = await fetchOnce();
  if (process.platform !== 'win32') expect(statSync(join(folder, 'prices.json')).mode & 0o077).toBe(0);
  const testLedger = await openLedger(optionsOf(folder, address));
  expect(versionIn(testLedger)).toMatch(/^refreshed/);
  expect((await testLedger.snapshot()).refreshedPrices).toMatchObject([{ provider: 'openai' }]);
  await testLedger.close();
});

test.each([null, 'http://127.0.0.1:1/other'])('prices of one URL are not used for another: %s', async (other) => {
  const { folder } = await fetchOnce();
  const testLedger = await openLedger(optionsOf(folder, other));
  expect(versionIn(testLedger)).not.toMatch(/^refreshed/);
  await testLedger.close();
});

test('damaged price files are reported and ignored', async () => {
  const { folder, address } = await fetchOnce();
  const file = join(folder, 'prices.json');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -9));
  const lines: string[] = [];
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
  const testLedger = await openLedger({ ...optionsOf(folder, address), log });
  expect(versionIn(testLedger)).not.toMatch(/^refreshed/);
  expect(lines).toEqual([expect.stringContaining(`${file} can't be read and is ignored`)]);
  await testLedger.close();
});

test('a provider key that can’t be decrypted is reported by the name of its wrapped key and blocks no other', async () => {
  const { ledger: testLedger, createKey, close } = await openTestLedger();
  const { id } = await createKey('broken');
  await createKey('sound');
  const login = { ...newKey('login'), source: { credential: 'subscription' } } as const;
  await testLedger.records.keys.create(login, 'owner');
  const file = new DatabaseSync(testLedger.files.database);
  file.exec(
    `UPDATE provider_keys SET sealed = 'v1.AAAA' WHERE id = (SELECT provider_key_id FROM wrapped_keys WHERE id = '${id}')`,
  );
  file.close();
  const { keys } = await testLedger.snapshot();
  expect(Object.fromEntries(keys.map(({ name, providerKey }) => [name, providerKey !== '']))).toEqual({
    broken: false,
    sound: true,
    login: false,
  });
  expect(await testLedger.records.alerts.list('ws_default', { limit: 9, unreadOnly: true })).toMatchObject([
    {
      type: 'KEY_PROBLEM',
      severity: 'critical',
      message: expect.stringContaining('"broken"'),
      scope: { key: id },
    },
  ]);
  await close();
});
