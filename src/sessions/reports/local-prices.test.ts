import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listCards, localCall } from '../../../test/sessions/local-calls.ts';
import { localPrices } from './local-prices.ts';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const calls = [localCall(NOW), localCall(NOW, {}, { model: 'nobody-knows' })];
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-prices-'));
  file = join(folder, 'new', 'prices.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function rates(version = '1', at = NOW) {
  const cardOf = await localPrices({ file, version })(calls);
  return [cardOf('anthropic', 'claude-opus-5', at), cardOf('anthropic', 'nobody-knows', at)];
}

test('prices equal those of the list, also from the file', async () => {
  const expected = [listCards('anthropic', 'claude-opus-5', NOW), null];
  expect(await rates()).toEqual(expected);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await rates()).toEqual(expected);
  expect(readFileSync(file, 'utf8')).toContain('nobody-knows');
});

test('prices come from the file if it has this version', async () => {
  await rates();
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"input":5000000', '"input":7'));
  const inputOf = async (version: string) => (await rates(version))[0]?.tiers[0]?.rates.input;
  expect([await inputOf('1'), await inputOf('2')]).toEqual([7, 5_000_000]);
});

test.each(['', '{', 'null', '{"key":1}', '[]'])('a file with %j is ignored', async (text) => {
  await rates();
  writeFileSync(file, text);
  expect((await rates())[0]?.model).toBe('claude-opus-5');
});

test('a second request includes the prices of the first, and all are cached', async () => {
  const cards = localPrices({ file, version: '1' });
  await cards(calls);
  const cardOf = await cards([localCall(NOW, {}, { source: 'codex', model: 'gpt-5' })]);
  expect([cardOf('anthropic', 'claude-opus-5', NOW)?.model, cardOf('openai', 'gpt-5', NOW)?.model]).toEqual([
    'claude-opus-5',
    'gpt-5',
  ]);
  for (const name of ['claude-opus-5', 'nobody-knows', 'gpt-5']) expect(readFileSync(file, 'utf8')).toContain(name);
});

test('prices are the same without a cache file', async () => {
  writeFileSync(join(folder, 'file'), '');
  for (const at of [null, join(folder, 'file', 'below', 'prices.json')]) {
    const cardOf = await localPrices({ file: at, version: '1' })(calls);
    expect(cardOf('anthropic', 'claude-opus-5', NOW)?.model).toBe('claude-opus-5');
  }
});
