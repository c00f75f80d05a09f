import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { CHDB_FOLDER } from '../../scripts/install-clickhouse.ts';
import { findMemoryFolder } from './memory-folder.ts';

const FRONT = fileURLToPath(new URL('clickhouse-front.ts', import.meta.url));

export interface ClickhouseServer {
  /** Address of its database `default`. */
  readonly url: string;
  /** Ends it without a warning. */
  crash(): Promise<void>;
  /** Starts it again after a crash, on the same port and with the same data. */
  start(): Promise<void>;
  /** Ends it and deletes its data. */
  stop(): Promise<void>;
}

/** True if tests on ClickHouse run here. Where tests decide, a missing engine fails them. */
export const CLICKHOUSE_TESTED = Boolean(env['TEST_CLICKHOUSE_URL'] || env['CI']) || existsSync(CHDB_FOLDER);

/** Starts ClickHouse's engine on a free port of the loopback address. It ends with this process. */
export async function startClickhouse(): Promise<ClickhouseServer> {
  if (!existsSync(CHDB_FOLDER))
    throw new Error(
      "There is no ClickHouse. Install its engine (npm run install-clickhouse), or set TEST_CLICKHOUSE_URL to a server's.",
    );
  const folder = mkdtempSync(join(findMemoryFolder() ?? tmpdir(), 'tollbook-clickhouse-'));
  const first = await runFront(folder, '0');
  let running: ChildProcess | null = first.front;
  const crash = async (): Promise<void> => {
    if (!running) return;
    const ended = once(running, 'exit');
    running.ref();
    running.kill('SIGKILL');
    await ended;
    running = null;
  };
  return {
    url: `http://127.0.0.1:${first.port}/default`,
    crash,
    async start() {
      running ??= (await runFront(folder, first.port)).front;
    },
    async stop() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runFront(
  folder: string,
  port: string,
): Promise<{ readonly front: ChildProcess; readonly port: string }> {
  const front = spawn(execPath, [FRONT, CHDB_FOLDER, join(folder, 'data'), port], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const failed = once(front, 'exit').then(() => {
    throw new Error('The engine of ClickHouse did not start.');
  });
  const [line] = (await Promise.race([once(front.stdout, 'data'), failed])) as [Buffer];
  failed.catch(() => undefined);
  // This process may end before it: closing the pipe ends it too.
  front.unref();
  for (const stream of [front.stdin, front.stdout]) (stream as unknown as { unref(): void }).unref();
  return { front, port: line.toString().trim() };
}
