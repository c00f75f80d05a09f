import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAIN, startService } from './service.ts';

// Nobody else on the machine reads what a process of ours makes, not even while it makes it.

const UMASK_OF_MOST = 0o022;

let folder: string;
let dataDir: string;
let before: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-private-'));
  dataDir = join(folder, 'data');
  before = process.umask(UMASK_OF_MOST);
});
afterEach(async () => {
  process.umask(before);
  await rm(folder, { recursive: true, force: true });
});

/** Everything in the data folder that others may open. */
function openToOthers(): string[] {
  return globSync('**', { cwd: dataDir }).filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0);
}

test.runIf(process.platform === 'linux')(
  'a folder that others can read is reported at the start, and every file that the service creates in it is private',
  async () => {
    await mkdir(dataDir, { mode: 0o755 });
    const service = await startService({ urls: {}, dataDir });
    try {
      expect(globSync('**', { cwd: dataDir })).toEqual(
        expect.arrayContaining(['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'lock.db']),
      );
      expect(openToOthers().filter((name) => name !== '.')).toEqual([]);
      expect(service.output()).toContain(`${dataDir} is open to other users of this machine; close it: chmod go=`);
    } finally {
      await service.close();
    }
  },
);

test.runIf(process.platform === 'linux')(
  'a command that opens the folder itself creates private files, and closes those left open by an earlier process',
  async () => {
    await mkdir(dataDir, { mode: 0o755 });
    await writeFile(join(dataDir, 'lock.db'), '');
    await chmod(join(dataDir, 'lock.db'), 0o644);
    const env = { ...process.env, SVC_DATA_DIR: dataDir };
    const child = spawn(process.execPath, [MAIN, 'tokens', 'create', '--name', 'a'], { env, stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(globSync('**', { cwd: dataDir })).toEqual(expect.arrayContaining(['ledger.db', 'lock.db', 'secret']));
    expect(openToOthers().filter((name) => name !== '.')).toEqual([]);
  },
);
