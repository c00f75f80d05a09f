import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { startPostgres, type PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Port of the launcher on the loopback address. */
    postgresLauncher: number;
  }
}

export type LauncherAnswer = { readonly url: string } | { readonly error: string };

/**
 * Offers one PostgreSQL server to all test files of a run. It starts when the first of them asks, so that a run without
 * such tests starts nothing, and ends with the run.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | null = null;
  const answer = async (): Promise<LauncherAnswer> => {
    const url = env['SVC_TEST_POSTGRES_URL'];
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
  return async () => {
    launcher.close();
    const server = await started?.catch(() => null);
    await server?.stop();
  };
}
