import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { createPriceBook } from '../prices/price-book.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { DocumentRecords } from '../storage/records/documents.ts';
import { type ChosenPrices, createPriceUpdates } from './price-updates.ts';

const NOW = Date.parse('2026-11-28');
const ALLOW = { ranges: [], hosts: [], plainHttp: false };

function listOf(input: string): PriceFile[] {
  const row = { models: ['gpt-4o'], usdPerMillion: { input, output: '10' }, source: 'test' };
  return [{ provider: 'openai', prices: [row] }];
}

function memoryDocuments(): DocumentRecords {
  const texts = new Map<string, string>();
  return {
    place: (name) => name,
    read: async (name) => texts.get(name) ?? null,
    write: async (name, text) => void texts.set(name, text),
  };
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices.json`;
}

function open(pricesUrl: string | null) {
  const used: [ChosenPrices, actor: string][] = [];
  const updates = createPriceUpdates({
    config: { pricesUrl, webhookAllow: ALLOW },
    documents: memoryDocuments(),
    prices: createPriceBook(),
    filesInUse: () => [],
    clock: () => NOW,
    log: silentLog,
    use: async (chosen, actor) => void used.push([chosen, actor]),
  });
  return { updates, used };
}

test('a fetched list waits with its changes, and is applied by its id alone', async () => {
  let list = listOf('2.75');
  const { updates, used } = open(await serve((_, answer) => void answer.end(JSON.stringify(list))));
  const { id, changes } = await updates.fetch();
  expect(changes).toMatchObject([{ model: 'gpt-4o', kind: 'changed', isLarge: true }]);
  expect(used).toEqual([]);
  list = listOf('2.6');
  await updates.fetch();
  await expect(updates.apply({ id, acceptsLarge: true }, 'usr_1')).rejects.toMatchObject({ type: 'conflict' });
  const waiting = await updates.waiting();
  await updates.apply({ id: waiting?.id ?? '', acceptsLarge: true }, 'usr_1');
  expect(used).toMatchObject([[{ id: waiting?.id, changes: 1, largeChanges: 1, files: list }, 'usr_1']]);
});

test('a list with a large change is refused until a person accepts it', async () => {
  const { updates, used } = open(await serve((_, answer) => void answer.end(JSON.stringify(listOf('250')))));
  const { id } = await updates.fetch();
  await expect(updates.apply({ id, acceptsLarge: false }, 'usr_1')).rejects.toMatchObject({
    message: expect.stringContaining('gpt-4o of openai'),
  });
  expect(used).toEqual([]);
  await updates.apply({ id, acceptsLarge: true }, 'usr_1');
  expect(used).toMatchObject([[{ changes: 1, largeChanges: 1 }, 'usr_1']]);
});

test.each<[string, RequestListener, RegExp]>([
  ['no JSON', (_, answer) => void answer.end('<html>'), /not JSON/],
  ['no list', (_, answer) => void answer.end('{"__proto__":{"provider":"openai"}}'), /not valid/],
  ['a negative price', (_, answer) => void answer.end(JSON.stringify(listOf('-1'))), /not a valid price/],
  ['an unknown member', (_, answer) => void answer.end('[{"provider":"openai","prices":[],"run":"rm"}]'), /not valid/],
  ['an error', (_, answer) => void answer.writeHead(500).end('[]'), /answered 500/],
  [
    'a redirect',
    (_, answer) => void answer.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    /sends elsewhere/,
  ],
  ['too many bytes', (_, answer) => void answer.end(Buffer.alloc(8_000_001, ' ')), /larger than 8000000/],
])('%s is refused and nothing waits', async (_, listener, message) => {
  const { updates } = open(await serve(listener));
  await expect(updates.fetch()).rejects.toMatchObject({ message: expect.stringMatching(message) });
  expect(await updates.waiting()).toBeNull();
});

test.each([
  ['http://169.254.169.254/latest/meta-data', /private address/],
  ['http://prices.example/list.json', /not fetched/],
  ['http://1.1.1.1/list.json', /not fetched/],
])('%s is not asked', async (address, message) => {
  await expect(open(address).updates.fetch()).rejects.toMatchObject({ message: expect.stringMatching(message) });
});

test('without an address, the error says how to set one', async () => {
  await expect(open(null).updates.fetch()).rejects.toMatchObject({
    message: expect.stringContaining('SVC_PRICES_URL'),
  });
});
