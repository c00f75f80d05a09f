import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TollbookError } from '../core/errors.ts';
import { ownFolder } from './own-folder.ts';

test('a second owner is refused with the folder, the process and what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-own-'));
  const lock = ownFolder(folder, () => 0);
  let refusal: unknown;
  try {
    ownFolder(folder, () => 0);
  } catch (error) {
    refusal = error;
  }
  lock.release();
  rmSync(folder, { recursive: true });
  expect(refusal).toBeInstanceOf(TollbookError);
  expect(refusal).toMatchObject({ type: 'conflict' });
  expect(String(refusal)).toContain(`${folder} is in use by process ${process.pid} since 1970-01-01`);
});
