import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFile, makeFolder, replaceFile } from './files.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'durable-'));

test('a created file is private and never overwrites', () => {
  const dir = folder();
  expect(createFile(join(dir, 'f'), 'one')).toBe(true);
  expect(createFile(join(dir, 'f'), 'two')).toBe(false);
  expect(readFileSync(join(dir, 'f'), 'utf8')).toBe('one');
  expect(statSync(join(dir, 'f')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['f']);
});

test('a replaced file is private, complete, and leaves no draft behind', () => {
  const dir = folder();
  writeFileSync(join(dir, 'f'), 'old', { mode: 0o644 });
  writeFileSync(join(dir, `f.${process.pid}.draft`), 'left by a crash');
  replaceFile(join(dir, 'f'), 'new');
  expect(readFileSync(join(dir, 'f'), 'utf8')).toBe('new');
  expect(statSync(join(dir, 'f')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['f']);
});

test('a file that cannot be written is an error', () => {
  expect(() => replaceFile(join(folder(), 'absent', 'f'), 'x')).toThrow('ENOENT');
  expect(() => createFile(join(folder(), 'absent', 'f'), 'x')).toThrow('ENOENT');
});

let base: string;
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), 'tollbook-folder-'))));
afterEach(() => rmSync(base, { recursive: true }));

test('missing folders are created as private ones, and a second time changes nothing', () => {
  const path = join(base, 'a', 'b', 'c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o700);
  expect(statSync(path).isDirectory()).toBe(true);
  if (process.platform !== 'win32') expect(statSync(join(base, 'a')).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', () => {
  writeFileSync(join(base, 'file'), '');
  expect(() => makeFolder(join(base, 'file'), 0o700)).toThrow(/is a file/);
  expect(() => makeFolder(join(base, 'file', 'below'), 0o700)).toThrow(/ENOTDIR|EEXIST|ENOENT/);
});

test.runIf(process.platform === 'linux')('an impossible path is an immediate error', () => {
  expect(() => makeFolder('/proc/tollbook/data', 0o700)).toThrow(/ENOENT/);
  expect(existsSync('/proc/tollbook')).toBe(false);
});
