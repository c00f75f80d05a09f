import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openBook } from './book.ts';

test.each(['postgres://me:hush@db/book', 'sqlite:/var/lib/book.db', 'book.db'])(
  'a book at %s is not opened, and no other one in its place',
  async (address) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-address-'));
    const config = readConfig({ SVC_DATA_DIR: folder, SVC_DATABASE_URL: address });
    const opened = openBook({ config, clock: systemClock, log: silentLog });
    await expect(opened).rejects.toMatchObject({ message: expect.stringMatching(/leave SVC_DATABASE_URL out/) });
    await expect(opened).rejects.not.toMatchObject({ message: expect.stringMatching(/hush/) });
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  },
);
