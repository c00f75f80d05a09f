import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { inject, onTestFinished } from 'vitest';
import type { LauncherAnswer } from './postgres-launcher.ts';

export interface ClickhouseDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Returns the address of a new database, which is dropped when the test ends. */
export async function temporaryClickhouse(): Promise<string> {
  const database = await createClickhouseDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

/** Creates an empty database on the engine of this test run. */
export async function createClickhouseDatabase(): Promise<ClickhouseDatabase> {
  const server = await engineUrl();
  const name = `${inject('clickhouseDatabases')}${randomUUID().replaceAll('-', '')}`;
  await commandServer(server, `CREATE DATABASE ${name}`);
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    drop: () => commandServer(server, `DROP DATABASE IF EXISTS ${name} SYNC`),
  };
}

let server: Promise<string> | null = null;

/** Returns the address of the engine of this test run; the first test to ask starts it. */
function engineUrl(): Promise<string> {
  server ??= text(connect(inject('clickhouseLauncher'), '127.0.0.1')).then((answer) => {
    const found = JSON.parse(answer) as LauncherAnswer;
    if ('error' in found) throw new Error(found.error);
    return found.url;
  });
  return server;
}

async function commandServer(url: string, query: string): Promise<void> {
  const client = createClient({ url });
  try {
    await client.command({ query });
  } finally {
    await client.close();
  }
}
