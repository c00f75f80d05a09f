import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { silentLog } from '../lib/log.ts';
import { openService } from './service.ts';

test('a book thread that fails when half of it is open ends the start with a sentence, and does not hang', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-start-'));
  // The second of its two sockets can't be made.
  mkdirSync(join(folder, 'control.sock'));
  const config = readConfig({ SVC_DATA_DIR: folder, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' });
  await expect(openService({ config, log: silentLog, clock: () => 0 })).rejects.toThrow('control.sock');
  rmSync(folder, { recursive: true });
});
