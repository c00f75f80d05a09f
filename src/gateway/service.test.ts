import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { silentLog } from '../lib/log.ts';
import { openService } from './service.ts';

test('a ledger thread that fails while it opens ends the start with an error, and does not hang', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-start-'));
  // The second of its two sockets can't be made.
  mkdirSync(join(folder, 'control.sock'));
  const config = readConfig({ SVC_DATA_DIR: folder, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' });
  await expect(openService({ config, log: silentLog, clock: () => 0 })).rejects.toThrow('control.sock');
  rmSync(folder, { recursive: true });
});
