import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TollbookError } from '../domain/errors.ts';
import { ownFolder } from './data-folder.ts';

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

test('a folder that cannot be created is reported with what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-own-'));
  writeFileSync(join(folder, 'file'), '');
  expect(() => ownFolder(join(folder, 'file', 'data'), () => 0)).toThrow(/can't be used .* SVC_DATA_DIR/);
  expect(() => ownFolder(join(folder, 'file'), () => 0)).toThrow(TollbookError);
  rmSync(folder, { recursive: true });
});
