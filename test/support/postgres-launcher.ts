import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { env } from 'node:process';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { startPostgres, type PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Port of the launcher on the loopback address. */
    postgresLauncher: number;
    /** Beginning of the names of this run's databases. */
    postgresDatabases: string;
  }
}

const RUN_BYTES = 6;

export type LauncherAnswer = { readonly url: string } | { readonly error: string };

/**
 * Offers one PostgreSQL server to all test files of a run. It starts when the first of them asks, so that a run without
 * such tests starts nothing, and ends with the run.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | null = null;
  const answer = async (): Promise<LauncherAnswer> => {
    const url = env['TEST_POSTGRES_URL'];
    if (url) return { url };
    try {
      return { url: (await (started ??= startPostgres())).url };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  const launcher = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    void answer().then((found) => socket.end(JSON.stringify(found)));
  }).listen(0, '127.0.0.1');
  await once(launcher, 'listening');
  project.provide('postgresLauncher', (launcher.address() as AddressInfo).port);
  const databases = `tollbook_test_${randomBytes(RUN_BYTES).toString('hex')}_`;
  project.provide('postgresDatabases', databases);
  return async () => {
    launcher.close();
    const given = env['TEST_POSTGRES_URL'];
    if (given) await dropDatabases(given, databases);
    const server = await started?.catch(() => null);
    await server?.stop();
  };
}

/** Drops what tests left on a server that stays: services that were killed, or did not start. */
async function dropDatabases(url: string, beginning: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [beginning],
  );
  for (const { name } of rows) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.end();
}
