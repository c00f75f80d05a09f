import { createClient } from '@clickhouse/client';
import { expect, onTestFinished, test } from 'vitest';
import { HOSTILE } from './arbitrary-entry.ts';
import { temporaryClickhouse } from './clickhouse.ts';
import { startClickhouse } from './clickhouse-server.ts';

const WELL_FORMED = HOSTILE.map((text) => text.toWellFormed());

function open(url: string) {
  const client = createClient({ url });
  onTestFinished(() => client.close());
  return client;
}

test('the engine returns every text and tag as it was inserted, and takes each as a parameter', async () => {
  const client = open(await temporaryClickhouse());
  await client.command({
    query: 'CREATE TABLE texts (n Int64, text String, tags Map(String, String)) ENGINE = MergeTree ORDER BY n',
  });
  const values = WELL_FORMED.map((text, n) => ({ n, text, tags: Object.fromEntries([[text, text]]) }));
  await client.insert({ table: 'texts', values, format: 'JSONEachRow' });
  const stored = await client.query({ query: 'SELECT text, tags FROM texts ORDER BY n', format: 'JSONEachRow' });
  expect(await stored.json()).toEqual(values.map(({ text, tags }) => ({ text, tags })));
  for (const text of WELL_FORMED) {
    const query = 'SELECT {text:String} AS text, {list:Array(String)} AS list';
    const asked = await client.query({ query, query_params: { text, list: [text] }, format: 'JSONEachRow' });
    expect(await asked.json()).toEqual([{ text, list: [text] }]);
  }
});

test('an error of the engine names its cause', async () => {
  const client = open(await temporaryClickhouse());
  await expect(client.query({ query: 'SELECT * FROM nothing' })).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' });
});

test('an engine that crashed keeps what it confirmed, on the same port', async () => {
  const server = await startClickhouse();
  onTestFinished(() => server.stop());
  const client = open(server.url);
  await client.command({ query: 'CREATE TABLE kept (n Int64) ENGINE = MergeTree ORDER BY n' });
  await client.insert({ table: 'kept', values: [{ n: 7 }], format: 'JSONEachRow' });
  await server.crash();
  await expect(client.query({ query: 'SELECT 1' })).rejects.toThrow(/ECONNREFUSED|hang up|ECONNRESET/);
  await server.start();
  const rows = await client.query({ query: 'SELECT n FROM kept', format: 'JSONEachRow' });
  expect(await rows.json()).toEqual([{ n: 7 }]);
});
