import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

let base: string;
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), 'tollbook-folder-'))));
afterEach(() => rmSync(base, { recursive: true }));

test('folders that are missing are made, private ones, and a second time changes nothing', () => {
  const folder = join(base, 'a', 'b', 'c');
  makeFolder(folder, 0o700);
  makeFolder(folder, 0o700);
  expect(statSync(folder).isDirectory()).toBe(true);
  if (process.platform !== 'win32') expect(statSync(join(base, 'a')).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', () => {
  writeFileSync(join(base, 'file'), '');
  expect(() => makeFolder(join(base, 'file'), 0o700)).toThrow(/is a file/);
  expect(() => makeFolder(join(base, 'file', 'below'), 0o700)).toThrow(/ENOTDIR|EEXIST|ENOENT/);
});

test.runIf(process.platform === 'linux')('a place where nothing can be is an error at once', () => {
  expect(() => makeFolder('/proc/tollbook/data', 0o700)).toThrow(/ENOENT/);
  expect(existsSync('/proc/tollbook')).toBe(false);
});
