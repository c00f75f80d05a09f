import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, type DatabaseTemplate, temporaryDatabase } from './postgres.ts';
import { startPostgres } from './postgres-server.ts';

async function open(url: string): Promise<Client> {
  const client = new Client(url);
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Resolves when the server has closed the connection. */
function endOf(client: Client): Promise<true> {
  return new Promise((resolve) => client.once('end', () => resolve(true)));
}

test('a database is empty, sorts by bytes and can be dropped while it is used', async () => {
  const database = await createDatabase();
  const client = await open(database.url);
  const { rows } = await client.query("SELECT word FROM (VALUES ('b'), ('ä'), ('B'), ('a')) v (word) ORDER BY word");
  expect(rows.map(({ word }: { word: string }) => word)).toEqual(['B', 'a', 'b', 'ä']);
  const ended = endOf(client);
  await database.drop();
  expect(await ended).toBe(true);
});

test('a template is prepared once, and what one copy writes is not in the next', async () => {
  let prepared = 0;
  const template: DatabaseTemplate = {
    name: 'once',
    version: '1',
    async prepare(url) {
      prepared += 1;
      const client = new Client(url);
      await client.connect();
      await client.query('CREATE TABLE words (word TEXT)');
      await client.end();
    },
  };
  const urls = await Promise.all([1, 2, 3].map(() => temporaryDatabase(template)));
  expect(prepared).toBe(1);
  for (const url of urls) {
    const client = await open(url);
    await client.query("INSERT INTO words VALUES ('mine')");
    expect((await client.query('SELECT * FROM words')).rowCount).toBe(1);
  }
});

test('a server that crashed keeps what it committed', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const first = await open(server.url);
  await first.query('CREATE TABLE words (word TEXT)');
  const ended = endOf(first);
  await server.crash();
  expect(await ended).toBe(true);
  await server.start();
  const second = await open(server.url);
  expect((await second.query('SELECT * FROM words')).rows).toEqual([]);
});

test('a server ends with the process that started it, even by kill -9', async () => {
  const text = `import { startPostgres } from ${JSON.stringify(new URL('postgres-server.ts', import.meta.url).href)};
    process.stdout.write((await startPostgres()).url);
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  const client = await open(url.toString());
  const ended = endOf(client);
  child.kill('SIGKILL');
  expect(await ended).toBe(true);
});
