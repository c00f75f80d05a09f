import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const clock = (): number => 1_700_000_000_000;

function takeOrFail(): { release(): void } {
  const result = lockFolder(folder, clock);
  if ('holder' in result) throw new Error(`held by ${result.holder?.pid}`);
  return result.lock;
}

test('a held folder names its holder, and can be taken after its release', () => {
  const lock = takeOrFail();
  expect(lockFolder(folder, clock)).toEqual({ holder: { pid: process.pid, since: clock() } });
  lock.release();
  takeOrFail().release();
});

test('the lock of a process ends with it, however it dies', async () => {
  const script = `
    import { lockFolder } from ${JSON.stringify(new URL('folder-lock.ts', import.meta.url).href)};
    const held = lockFolder(process.argv[1], () => 5);
    process.stdout.write('lock' in held ? 'taken' : 'refused');
    setInterval(() => held, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  expect(String(said)).toBe('taken');
  expect(lockFolder(folder, clock)).toEqual({ holder: { pid: child.pid, since: 5 } });
  child.kill('SIGKILL');
  await once(child, 'exit');
  takeOrFail().release();
});

test('a missing folder is a separate error, not a holder', () => {
  expect(() => lockFolder(join(folder, 'none'), clock)).toThrow(/unable to open/);
});
