import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFile, replaceFile } from './durable-file.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'durable-'));

test('a created file is private and never overwrites', () => {
  const dir = folder();
  expect(createFile(join(dir, 'f'), 'one')).toBe(true);
  expect(createFile(join(dir, 'f'), 'two')).toBe(false);
  expect(readFileSync(join(dir, 'f'), 'utf8')).toBe('one');
  expect(statSync(join(dir, 'f')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['f']);
});

test('a replaced file is private, whole, and leaves no draft behind', () => {
  const dir = folder();
  writeFileSync(join(dir, 'f'), 'old', { mode: 0o644 });
  writeFileSync(join(dir, `f.${process.pid}.draft`), 'left by a crash');
  replaceFile(join(dir, 'f'), 'new');
  expect(readFileSync(join(dir, 'f'), 'utf8')).toBe('new');
  expect(statSync(join(dir, 'f')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['f']);
});

test('a file that can not be written says so', () => {
  expect(() => replaceFile(join(folder(), 'absent', 'f'), 'x')).toThrow('ENOENT');
  expect(() => createFile(join(folder(), 'absent', 'f'), 'x')).toThrow('ENOENT');
});
