import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import type { LauncherAnswer } from './postgres-launcher.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Port of the launcher on the loopback address. */
    clickhouseLauncher: number;
    /** Beginning of the names of this run's databases. */
    clickhouseDatabases: string;
  }
}

const RUN_BYTES = 6;

/** Offers one ClickHouse engine to all test files of a run. It starts when the first of them asks, and ends with the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<ClickhouseServer> | null = null;
  const answer = async (): Promise<LauncherAnswer> => {
    const url = env['TEST_CLICKHOUSE_URL'];
    if (url) return { url };
    try {
      return { url: (await (started ??= startClickhouse())).url };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  const launcher = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    void answer().then((found) => socket.end(JSON.stringify(found)));
  }).listen(0, '127.0.0.1');
  await once(launcher, 'listening');
  project.provide('clickhouseLauncher', (launcher.address() as AddressInfo).port);
  project.provide('clickhouseDatabases', `tollbook_test_${randomBytes(RUN_BYTES).toString('hex')}_`);
  return async () => {
    launcher.close();
    const server = await started?.catch(() => null);
    await server?.stop();
  };
}
