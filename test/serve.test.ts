import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAIN } from './service.ts';
import { freePort } from './support/free-port.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tollbook-serve-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Served {
  readonly child: ChildProcess;
  printed(): string;
}

/** Resolves once it has printed that it serves, or has ended. */
async function serve(args: readonly string[] = [], temporary = folder): Promise<Served> {
  const own = { SVC_DATA_DIR: join(folder, 'data'), SVC_PORT: String(await freePort()), SVC_LOG_LEVEL: 'warn' };
  const env = { ...process.env, ...own, TMPDIR: temporary, TEMP: temporary };
  const child = spawn(process.execPath, [MAIN, 'serve', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  child.stdout.setEncoding('utf8');
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.stdout.on('data', (piece: string) => {
      text += piece;
      if (text.includes('serves on')) resolve();
    });
  });
  return { child, printed: () => text };
}

async function end({ child }: Served): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

test('a signal sent several times shuts down gracefully', async () => {
  const first = await serve();
  for (let times = 0; times < 3; times++) first.child.kill('SIGTERM');
  expect(await end(first)).toBe(0);
  expect(first.printed()).toContain('SIGTERM: closing');
  const next = await serve();
  next.child.kill('SIGTERM');
  await end(next);
  expect(next.printed()).not.toContain('JOURNAL_PROBLEM');
});

test('a service whose output is no longer read shuts down gracefully', async () => {
  const first = await serve();
  first.child.stdout?.destroy();
  first.child.stderr?.destroy();
  first.child.kill('SIGTERM');
  expect(await end(first)).toBe(0);
  const next = await serve();
  next.child.kill('SIGTERM');
  await end(next);
  expect(next.printed()).not.toContain('JOURNAL_PROBLEM');
});

test("a demo that can't create its folder says so and ends", async () => {
  const demo = await serve(['--demo'], join(folder, 'missing'));
  expect(await end(demo)).toBe(1);
  expect(demo.printed()).toContain('missing');
  expect(await readdir(folder)).toEqual([]);
});
